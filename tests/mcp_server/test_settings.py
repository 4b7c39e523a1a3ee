"""What the tools' half reads from the environment, and that it agrees with the HTTP process."""

import pytest
from pydantic import ValidationError

from app.settings import Settings
from mcp_server.settings import McpSettings


def defaults(settings: type[McpSettings] | type[Settings]) -> dict[str, object]:
    return {name: field.default for name, field in settings.model_fields.items()}


@pytest.mark.parametrize("name", sorted(set(McpSettings.model_fields) & set(Settings.model_fields)))
def test_a_setting_that_both_halves_read_has_the_same_default_in_both(name: str) -> None:
    assert defaults(McpSettings)[name] == defaults(Settings)[name]


def test_toolsets_are_read_as_a_list_with_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLSETS", "panels, personas ,")

    assert McpSettings(_env_file=None).toolsets == ("panels", "personas")


def test_a_key_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINDSAI_API_KEY", "minds_" + "0" * 48)

    assert "0000" not in repr(McpSettings(_env_file=None))


@pytest.mark.parametrize("name", ["BREAKER_FAILURES", "TIMEOUT_DEFAULT", "CACHE_CREATE_DEDUP"])
def test_nothing_lasts_for_no_time(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "0")

    with pytest.raises(ValidationError):
        McpSettings(_env_file=None)


def test_a_blank_that_was_pasted_with_the_key_is_no_part_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINDSAI_API_KEY", " minds_key\n")

    key = McpSettings(_env_file=None).mindsai_api_key

    assert key is not None
    assert key.get_secret_value() == "minds_key"
