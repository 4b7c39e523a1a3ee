"""Answers without labels share terms, and only shared ones are themes."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from mcp_server.toolsets.panels._aggregation.derived import shared_terms

QUESTION = "What should we improve in the onboarding?"


def test_terms_that_several_share_are_themes_in_their_usual_spelling() -> None:
    found = shared_terms(
        [
            "The monthly invoice confuses me.",
            "I never understand the monthly invoice.",
            "Support was slow. Setup, too.",
            "Setup took ages.",
        ],
        QUESTION,
    )

    assert found == [["Monthly invoice"], ["Monthly invoice"], ["Setup"], ["Setup"]]


def test_forms_of_one_word_are_one_term() -> None:
    assert shared_terms(["The prices hurt.", "A high price."], QUESTION) == [["Price"], ["Price"]]


def test_the_words_of_the_question_and_of_everyday_are_no_themes() -> None:
    found = shared_terms(["I really think the onboarding could improve."] * 5, QUESTION)

    assert found == [[]] * 5


def test_what_one_alone_says_is_no_theme() -> None:
    assert shared_terms(["Invoices confuse me.", "Setup was slow."], QUESTION) == [[], []]
    assert shared_terms([], QUESTION) == []


def test_a_term_counts_once_for_each_answer() -> None:
    assert shared_terms(["Invoice, invoice, invoice.", "Setup."], QUESTION) == [[], []]


SENTENCES = ["The invoice is late.", "Setup is slow.", "Invoices and setup.", "Support helps.", "Slow support.", ""]


@given(st.lists(st.sampled_from(SENTENCES), max_size=12), st.randoms())
def test_each_answer_has_the_same_terms_in_any_order(messages: list[str], random: Random) -> None:
    before = sorted(zip(messages, shared_terms(messages, QUESTION), strict=True))
    random.shuffle(messages)

    assert sorted(zip(messages, shared_terms(messages, QUESTION), strict=True)) == before
