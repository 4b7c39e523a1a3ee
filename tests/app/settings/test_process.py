"""How a process ends, as it may be set."""

import pytest
from pydantic import ValidationError

from app.settings.process import ProcessSettings


def test_running_requests_have_half_a_minute_and_nothing_is_announced_unless_it_is_asked_for() -> None:
    settings = ProcessSettings()

    assert (settings.shutdown_seconds, settings.shutdown_notice_seconds) == (30, 0)


@pytest.mark.parametrize("name", ["shutdown_seconds", "shutdown_notice_seconds"])
def test_no_end_takes_less_than_nothing_or_for_ever(name: str) -> None:
    for value in (-1, 1e9):
        with pytest.raises(ValidationError):
            ProcessSettings.model_validate({name: value})
