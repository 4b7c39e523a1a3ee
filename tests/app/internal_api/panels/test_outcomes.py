"""What becomes of a persona that was asked, as the values of its rows."""

import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.engines.engine import SurveyAnswer
from app.internal_api.knowledge.documents import Passage
from app.internal_api.panels.outcomes import answered, storable

PASSAGE = Passage("c1", "i1", "Tea is a drink. " * 40, "Tea", "https://example.com/tea", 3, None, 1.7)
SAID = SurveyAnswer("4", "4/5", "I like it.", 0.5, (PASSAGE,), "mind_knowledge", False, "fake", 2)


def test_an_answer_is_stored_with_what_it_stands_on() -> None:
    outcome = answered("m1", SAID, {"i1": "example.com"})

    (citation,) = outcome.values["citations"]
    assert outcome.mind_id == "m1"
    assert answered("m1", SAID, {}).values["citations"][0]["source"] == "Tea"
    assert {**outcome.values, "citations": None} == {
        "status": "answered",
        "value": "4",
        "raw_value": "4/5",
        "message": "I like it.",
        "sentiment": 0.5,
        "origin": "mind_knowledge",
        "unsupported": False,
        "chunks_found": 2,
        "citations": None,
        "engine": "fake",
    }
    assert len(citation.pop("snippet")) <= 300
    assert citation == {
        "id": "c1",
        "title": "Tea",
        "source": "example.com",
        "link": "https://example.com/tea",
        "page": 3,
        "similarity": 1.0,
    }


@pytest.mark.parametrize(("given_one", "stored"), [(-7, -1.0), (math.inf, 1.0), (None, None)])
def test_a_sentiment_is_kept_within_its_ends_and_may_be_absent(given_one: Any, stored: float | None) -> None:
    assert answered("m1", replace(SAID, sentiment=given_one), {}).values["sentiment"] == stored


@given(st.text(alphabet=st.characters() | st.characters(categories=["Cs"]) | st.just("\0")))
def test_whatever_an_engine_says_can_be_stored(text: str) -> None:
    kept = storable(text)

    assert "\0" not in kept
    assert kept.encode().decode() == kept
    assert len(kept) == len(text)
