"""The words of knowledge."""

from app.internal_api.knowledge.documents import SourceRefused


def test_a_refusal_has_a_stable_word_and_a_sentence_for_its_owner() -> None:
    refusal = SourceRefused("timeout", "The page was not read in time.")

    assert (refusal.code, refusal.message, str(refusal)) == ("timeout", refusal.message, refusal.message)
