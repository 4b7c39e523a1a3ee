"""The forms of knowledge and their bounds."""

import pytest
from pydantic import ValidationError

from app.internal_api.models.knowledge import BY_FIELD, KeywordsKnowledge, LinkKnowledge, TextKnowledge


def test_each_form_is_known_by_its_field() -> None:
    assert list(BY_FIELD) == ["link", "file", "text", "keywords"]
    assert isinstance(BY_FIELD["link"].model_validate({"link": "https://example.com"}), LinkKnowledge)


def test_only_keywords_renew_the_prompt_unasked() -> None:
    assert KeywordsKnowledge.model_validate({"keywords": ["tea"]}).regenerate_prompt is True
    assert TextKnowledge.model_validate({"text": "tea"}).regenerate_prompt is False


@pytest.mark.parametrize("count", [0, 16])
def test_there_are_between_one_and_fifteen_keywords(count: int) -> None:
    with pytest.raises(ValidationError):
        KeywordsKnowledge.model_validate({"keywords": ["tea"] * count})
