"""The budget of characters that stops a bomb while it is read."""

import pytest

from app.internal_api.knowledge.documents import SourceRefused
from app.internal_api.knowledge.extractors.extracted import Budget


def test_text_within_the_budget_comes_back_as_it_is() -> None:
    budget = Budget(10)

    assert [budget.spend("12345"), budget.spend("67890"), budget.spend("")] == ["12345", "67890", ""]


def test_the_first_character_too_many_is_refused() -> None:
    budget = Budget(10)
    budget.spend("1234567890")

    with pytest.raises(SourceRefused) as refused:
        budget.spend("1")

    assert refused.value.code == "too_large"
