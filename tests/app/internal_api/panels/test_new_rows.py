"""What an ask becomes before it is stored."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.models.asking import AskStudy
from app.internal_api.panels.response_format import ResponseFormat
from app.internal_api.resources.asking import new_answers, new_question
from app.internal_api.resources.asking_sources import MAX_CONTEXT, Source, context_of
from app.internal_api.store.rows import storable
from app.internal_api.store.studies import Membership
from tests.app.internal_api.panels.stored import STUDY

ASKED = AskStudy.model_validate(
    {
        "question": " How much? ",
        "responseForm": "concise",
        "historyMode": "last5",
        "sourcePolicy": "knowledge_only",
        "clientRequestId": "AAAAAAAA-AAAA-4AAA-8AAA-AAAAAAAAAAAA",
    }
)
READY = Membership("a1", "Old", "m1", "Ada", "Tea", "https://example.com/ada.png", True, "completed")
UNTRAINED = Membership("a2", "Young", "m2", "Ben", None, None, False, "running")


def test_everybody_has_a_row_and_who_is_not_ready_has_failed_at_once() -> None:
    question = new_question(STUDY, ASKED, ResponseFormat("multiselect", options=("a", "b"), most=1), "", 50)

    spoilt = replace(UNTRAINED, training_status="failed")
    ada, ben, cleo = new_answers(question, [READY, UNTRAINED, spoilt])

    assert (ada.position, ada.mind_name, ada.audience_name, ada.discipline) == (0, "Ada", "Old", "Tea")
    assert (ada.status, ada.error_code, ada.answered_at) == ("pending", None, None)
    assert (ben.position, ben.mind_id, ben.audience_id) == (1, "m2", "a2")
    assert (ben.status, ben.error_code, ben.answered_at) == ("failed", "NOT_READY", 50)
    assert (cleo.status, cleo.error_code) == ("failed", "TRAINING_FAILED")
    assert {ada.question_id, ben.question_id} == {question.id}


def test_each_source_is_named_and_given_whole_where_there_is_room() -> None:
    sources = [Source("Prices", "example.com", "Tea is 3 EUR."), Source("notes.txt", "notes.txt", "Nobody likes it.")]

    context = context_of(sources, ["price", "taste"])

    assert context == (
        "Keywords: price, taste\n\n[1] Prices (example.com)\nTea is 3 EUR.\n\n[2] notes.txt\nNobody likes it."
    )


@given(st.lists(st.text(max_size=30_000), max_size=3))
def test_the_text_of_all_sources_stays_within_the_limit(texts: list[str]) -> None:
    context = context_of([Source("T", "T", text) for text in texts])

    assert len(context) <= MAX_CONTEXT + 100 * len(texts)


@given(st.text(alphabet=st.characters() | st.characters(categories=["Cs"]) | st.just("\0")))
def test_whatever_an_engine_says_can_be_stored(text: str) -> None:
    kept = storable(text)

    assert "\0" not in kept
    assert kept.encode().decode() == kept
    assert len(kept) == len(text)
