"""Settings of the persona engine."""

import pytest
from pydantic import ValidationError

from app.internal_api.engines.settings import EngineSettings


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in EngineSettings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)


def test_nothing_and_empty_values_mean_no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_BASE_URL", "")

    assert EngineSettings(_env_file=None).llm_base_url is None


@pytest.mark.parametrize("model", [None, "", "  "])
def test_an_address_without_a_model_is_refused_by_name(model: str | None) -> None:
    with pytest.raises(ValidationError) as raised:
        EngineSettings.model_validate({"llm_base_url": "http://127.0.0.1/v1", "llm_model": model})

    assert "LLM_MODEL" in str(raised.value)


@pytest.mark.parametrize(
    "wrong",
    [
        {"llm_base_url": "ftp://host/"},
        {"llm_base_url": "no address"},
        {"llm_timeout": 0},
        {"llm_temperature": 3},
        {"llm_max_tokens": 1},
        {"llm_api_key": "two words"},
        {"llm_api_key": "line\nbreak"},
        {"llm_api_key": "schlüssel"},
    ],
)
def test_wrong_values_are_refused_without_showing_them(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError) as raised:
        EngineSettings.model_validate({"llm_model": "m", "llm_base_url": "http://127.0.0.1", **wrong})

    assert "two words" not in str(raised.value)


def test_an_incomplete_configuration_does_not_show_the_key() -> None:
    with pytest.raises(ValidationError) as raised:
        EngineSettings.model_validate({"llm_base_url": "http://127.0.0.1/v1", "llm_api_key": "sk-secret"})

    assert "sk-secret" not in str(raised.value)
    assert "sk-secret" not in repr(EngineSettings(_env_file=None, llm_api_key="sk-secret"))
