"""The snippet beside an answer shows what the answer rests on."""

from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.engines.snippets import LENGTH, claims, snippet

FILLER = "The harbour was quiet and nobody came by. " * 10
FACT = "The boat stops when the wind is above 43 knots."


def test_each_citation_has_the_words_before_its_mark() -> None:
    first = "Well: it stops at 43 knots. [[CITE:0]] It waits. [[CITE:0]][[CITE:1]]"
    content = f"{first}\n\nAlso this: Ice is rare.[[CITE:2]]\nBye."

    assert claims(content) == {0: "Well: it stops at 43 knots. It waits.", 1: "It waits.", 2: "Also this: Ice is rare."}


def test_of_a_long_passage_the_claimed_sentence_is_shown_wherever_it_stands() -> None:
    for passage in (f"{FACT} {FILLER}", f"{FILLER}{FACT} {FILLER}", f"{FILLER}{FACT}"):
        assert FACT in snippet(passage, f"What I know: {FACT}")


def test_of_a_question_the_words_that_mean_something_tell_which_part_is_shown_in_any_form() -> None:
    asked = "When is it that the boats are stopped by the wind?"

    assert FACT in snippet(f"{FILLER}It is what it is, and that is that. {FILLER}{FACT}", asked)


def test_what_is_left_out_is_marked() -> None:
    beginning, end = snippet(f"{FACT} {FILLER}", FACT), snippet(f"{FILLER}{FACT}", FACT)

    assert (beginning.startswith("…"), beginning.endswith("…")) == (False, True)
    assert (end.startswith("…"), end.endswith("…")) == (True, False)


@given(st.text(max_size=1_000), st.text(max_size=200))
def test_a_snippet_is_one_short_line_of_the_passage(passage: str, claim: str) -> None:
    shown = snippet(passage, claim)

    assert len(shown) <= LENGTH
    assert "\n" not in shown
    assert shown == " ".join(passage.split()) or shown.removeprefix("…").removesuffix("…") in " ".join(passage.split())
