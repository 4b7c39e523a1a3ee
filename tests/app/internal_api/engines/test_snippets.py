"""The snippet beside an answer shows what the answer rests on."""

from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.engines.snippets import LENGTH, claims, snippet

FILLER = "The harbour was quiet and nobody came by. " * 10
FACT = "The boat stops when the wind is above 43 knots."


def test_each_citation_has_the_words_before_its_mark() -> None:
    first = "Well: it stops at 43 knots. [[CITE:0]] It waits. [[CITE:0]][[CITE:1]]"
    content = f"{first}\n\nAlso this: Ice is rare.[[CITE:2]]\nBye."

    assert claims(content) == {
        0: "Well: it stops at 43 knots. It waits.",
        1: "It waits.",
        2: "Also this: Ice is rare.",
    }


def test_an_answer_without_citations_claims_nothing() -> None:
    assert claims("I have nothing on that.") == {}
    assert claims("") == {}


def test_a_short_passage_is_shown_whole() -> None:
    assert snippet("Green\n tea.", "anything") == "Green tea."


def test_of_a_long_passage_the_claimed_sentence_is_shown_wherever_it_stands() -> None:
    for passage in (f"{FACT} {FILLER}", f"{FILLER}{FACT} {FILLER}", f"{FILLER}{FACT}"):
        assert FACT in snippet(passage, f"What I know: {FACT}")


def test_what_is_left_out_is_marked() -> None:
    beginning, end = snippet(f"{FACT} {FILLER}", FACT), snippet(f"{FILLER}{FACT}", FACT)

    assert (beginning.startswith("…"), beginning.endswith("…")) == (False, True)
    assert (end.startswith("…"), end.endswith("…")) == (True, False)


def test_without_a_claim_the_beginning_is_shown() -> None:
    assert snippet(f"{FACT} {FILLER}").startswith(FACT)


def test_a_sentence_that_is_too_long_is_cut_between_words() -> None:
    words = "word " * 100

    assert snippet(words).removesuffix("…").split(" ")[-1] == "word"


def test_a_text_without_blanks_between_sentences_is_shown_as_it_is() -> None:
    passage = "船は静かな港にいます。" * 40 + "風速は四十三ノットです。"

    shown = snippet(passage)

    assert len(shown) <= LENGTH
    assert shown.removesuffix("…") in passage


@given(st.text(max_size=1_000), st.text(max_size=200))
def test_a_snippet_is_one_short_line_of_the_passage(passage: str, claim: str) -> None:
    shown = snippet(passage, claim)

    assert len(shown) <= LENGTH
    assert "\n" not in shown
    assert shown == " ".join(passage.split()) or shown.removeprefix("…").removesuffix("…") in " ".join(passage.split())


@given(st.text(alphabet=st.characters(exclude_characters="[]")), st.lists(st.integers(0, 99), max_size=5))
def test_claims_are_found_for_every_mark(said: str, numbers: list[int]) -> None:
    content = said + "".join(f"[[CITE:{number}]]" for number in numbers)

    assert set(claims(content)) == set(numbers)
