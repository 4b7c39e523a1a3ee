"""What the stdio process reads from the environment; the HTTP process inherits all but the key."""

import pytest
from pydantic import ValidationError

from mcp_server.settings import StdioSettings


def test_toolsets_are_read_as_a_list_with_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLSETS", "panels, personas ,")

    assert StdioSettings(_env_file=None).toolsets == ("panels", "personas")


def test_a_key_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINDSAI_API_KEY", "minds_" + "0" * 48)

    assert "0000" not in repr(StdioSettings(_env_file=None))


@pytest.mark.parametrize("name", ["BREAKER_FAILURES", "TIMEOUT_DEFAULT", "CACHE_CREATE_DEDUP"])
def test_nothing_lasts_for_no_time(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "0")

    with pytest.raises(ValidationError):
        StdioSettings(_env_file=None)


def test_a_blank_that_was_pasted_with_the_key_is_no_part_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINDSAI_API_KEY", " minds_key\n")

    key = StdioSettings(_env_file=None).mindsai_api_key

    assert key is not None
    assert key.get_secret_value() == "minds_key"
