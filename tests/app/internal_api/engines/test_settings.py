"""Settings of the persona engine."""

import re
from typing import Any

import pytest
from pydantic import ValidationError

from app.internal_api.engines.settings import EngineSettings
from mcp_server.settings import settings_problems


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in EngineSettings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)


def test_nothing_and_empty_values_mean_no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_BASE_URL", "")

    assert EngineSettings(_env_file=None).llm_base_url is None


@pytest.mark.parametrize(
    "wrong",
    [
        *({"llm_model": model, "llm_api_key": "sk-secret"} for model in (None, "", "  ")),
        {"llm_base_url": "ftp://host/"},
        {"llm_base_url": "no address"},
        {"llm_base_url": "http:///v1"},
        {"llm_timeout": 0},
        {"llm_temperature": 3},
        {"llm_max_tokens": 1},
        {"llm_api_key": "two words"},
        {"llm_api_key": "line\nbreak"},
        {"llm_api_key": "schlüssel"},
    ],
)
def test_wrong_values_are_refused_and_a_missing_model_by_its_name_without_showing_them(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError) as raised:
        EngineSettings.model_validate({"llm_model": "m", "llm_base_url": "http://127.0.0.1", **wrong})

    assert "LLM_MODEL" in str(raised.value) or "llm_model" not in wrong
    assert re.search("two words|sk-secret", str(raised.value)) is None
    known = EngineSettings(_env_file=None, llm_api_key="sk-secret", llm_base_url="http://127.0.0.1", llm_model="m")
    assert "sk-secret" not in repr(known)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"llm_base_url": "localhost:11434/v1", "llm_model": "m"}, "http://"),
        ({"llm_api_key": "sk"}, "LLM_BASE_URL"),
        ({"llm_model": "m"}, "LLM_DISCOVER"),
    ],
)
def test_what_is_half_given_says_what_is_missing(given: dict[str, Any], named: str) -> None:
    with pytest.raises(ValidationError) as raised:
        EngineSettings(_env_file=None, **given)

    [problem] = settings_problems(raised.value)
    assert named in problem
