"""The settings of the limits."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from app.settings import Settings
from tests.edge import settings_for


def test_the_defaults_are_the_published_table() -> None:
    settings = Settings(_env_file=None)

    assert (settings.rate_limit_anonymous, settings.rate_limit_authenticated) == ("100/minute", "1000/minute")
    assert settings.rate_limit_tools == (
        "create_ai_persona_or_digital_twin=20/minute,talk_to_ai_persona=60/minute,*=100/minute"
    )
    assert settings.rate_limit_enabled


@pytest.mark.parametrize(
    "wrong",
    [
        {"redis_url": "http://localhost"},
        {"redis_patience_seconds": 0},
        {"rate_limit_anonymous": "many"},
        {"rate_limit_authenticated": "0/minute"},
        {"rate_limit_tools": "talk"},
        {"rate_limit_oauth": "tokens=1/minute"},
        {"rate_limit_workers": 0},
    ],
)
def test_an_impossible_value_stops_the_start_and_names_its_setting(tmp_path: Path, wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError) as refused:
        settings_for(tmp_path, **wrong)

    assert [fault["loc"][0] for fault in refused.value.errors()] == list(wrong)
