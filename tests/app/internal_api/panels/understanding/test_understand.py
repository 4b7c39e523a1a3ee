"""A question's type, scale and options: examples, wishes, and what must hold for any text."""

from collections.abc import Sequence
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.panels.understanding.understand import understand
from app.internal_api.panels.understanding.words import MakesNoSense, Understanding, Wish
from tests.app.internal_api.panels.understanding.questions import OPEN, QUESTIONS, YES_NO, choice, scale, several

_WORDS = (
    "how likely satisfied are you rate scale a the of from 1 5 10 0 to - = , ; : ? . ! ( ) [ ] / or and which these"
    " pick up 3 select all that apply yes no a) b) (c) would do prefer between out % \" ' vs in why what is 1. 2."
)
_WORDING = st.lists(st.sampled_from([*_WORDS.split(), "\n- ", "\n", "“", "”", "¿", "Würden", "café"]), max_size=40).map(
    " ".join
)


def taken(text: str, wish: Wish | None = None) -> Understanding | str:
    try:
        return understand(text, wish)
    except MakesNoSense as refused:
        return refused.code


@pytest.mark.parametrize(("question", "expected"), QUESTIONS)
def test_a_question_is_taken_as_people_mean_it(question: str, expected: Understanding) -> None:
    assert understand(question) == expected


@pytest.mark.parametrize(
    "question",
    [
        "On a scale from 5 to 5, how good is it?",
        "On a scale of 1 to 1000, how good is it?",
        "On a scale from 1.5 to 4, how good is it?",
        "Auf einer Skala von 3 bis 3, wie gut ist es?",
        "On a 1-point scale, how good is it?",
    ],
)
def test_a_scale_that_is_stated_and_makes_no_sense_is_refused(question: str) -> None:
    with pytest.raises(MakesNoSense) as refused:
        understand(question)

    assert refused.value.code == "INVALID_SCALE"
    assert refused.value.message


@pytest.mark.parametrize(
    ("question", "wish", "expected"),
    [
        ("Why?", Wish(), OPEN),
        ("How good is it?", Wish("qualitative"), OPEN),
        ("What do you think?", Wish("scale"), scale(1, 10)),
        ("How likely are you to recommend us?", Wish("scale"), scale(0, 10)),
        ("How good is it (1-5)?", Wish("scale"), scale(1, 5)),
        ("On a scale from 5 to 5, how good is it?", Wish(scale=(0, 4)), scale(0, 4)),
        ("On a scale from 5 to 5, how good is it?", Wish("qualitative"), OPEN),
        ("Anything", Wish(options=("A", "B")), choice("A", "B")),
        ("Pick up to 2", Wish(options=("A", "B", "C")), several("A", "B", "C", most=2)),
        ("Anything", Wish(options=("A", "B", "C"), most=2), several("A", "B", "C", most=2)),
        ("Anything", Wish("multiselect", options=(" A ", "a", "B")), several("A", "B")),
        ("Pick up to 2: A, B, C", Wish("multiselect", most=1), several("A", "B", "C", most=1)),
        ("Pick any: A, B, C", Wish("multiselect", most=9), several("A", "B", "C")),
        ("Pick up to 2: A, B, C", Wish("categorical"), choice("A", "B", "C")),
        ("Do you like it?", Wish("categorical"), YES_NO),
    ],
)
def test_a_wish_overrides_the_wording_and_leaves_the_rest_to_it(
    question: str, wish: Wish, expected: Understanding
) -> None:
    assert understand(question, wish) == expected


@pytest.mark.parametrize(
    ("wish", "code"),
    [
        (Wish("ranking"), "INVALID_CLASSIFICATION"),
        (Wish("categorical", scale=(1, 5)), "INVALID_CLASSIFICATION"),
        (Wish("scale", options=("A", "B")), "INVALID_CLASSIFICATION"),
        (Wish("categorical"), "INVALID_OPTIONS"),
        (Wish("multiselect", most=2), "INVALID_OPTIONS"),
        (Wish("scale", scale=(5, 5)), "INVALID_SCALE"),
    ],
)
def test_a_wish_that_makes_no_sense_is_refused(wish: Wish, code: str) -> None:
    with pytest.raises(MakesNoSense) as refused:
        understand("What do you think?", wish)

    assert refused.value.code == code


@given(st.text(max_size=300) | _WORDING)
def test_any_text_is_understood_and_only_a_stated_scale_is_refused(text: str) -> None:
    found = taken(text)

    if isinstance(found, str):
        assert found == "INVALID_SCALE"
        assert any(noun in text.casefold() for noun in ("scale", "skala", "escala", "échelle", "echelle"))
    else:
        _assert_whole(found)


@given(st.text(max_size=200) | _WORDING)
def test_the_same_text_is_always_understood_alike(text: str) -> None:
    assert taken(text) == taken(text)


@given(_WORDING, st.lists(st.text(min_size=1, max_size=20), min_size=2, max_size=6), st.none() | st.integers(1, 9))
def test_wished_options_are_taken_or_refused(text: str, options: Sequence[str], most: int | None) -> None:
    found = taken(text, Wish(options=options, most=most))

    if isinstance(found, str):
        assert found == "INVALID_OPTIONS"
    else:
        _assert_whole(found)
        assert len(found.options) <= len(options)


def _assert_whole(found: Understanding) -> None:
    assert (found.scale is not None) == (found.type == "scale")
    assert bool(found.options) == (found.type in {"categorical", "multiselect"})
    assert len({option.casefold() for option in found.options}) == len(found.options)
    assert all(option.strip() == option and 0 < len(option) <= 200 for option in found.options)
    assert not any(";" in option for option in found.options)
    assert found.scale is None or 0 < found.scale[1] - found.scale[0] <= 100
    assert found.most is None or 1 <= found.most < len(found.options)


@pytest.mark.parametrize(
    "piece",
    [
        "a", " ", "\n", '"', "(", "[", "-", ".", "?", ":", ": ", ", ", "1 ", "1-", "1 = ", "1 (", "1 (a) ", "a or ",
        "how likely ", "would you ", "would you, ", "pick up to ", "which of ", "rather ", "a scale ", "a scale of 1 ",
        "strongly agree ", "- a\n", "a) ", "between 1 and ", "rate 1 to 10 x ", "out of 1 ", "in a or ", "¿", "« ",
        "if a ", "one ", "e.g. ", " 'a", "😀", "a vs ", "choose the best ",
        "a, ", "1,1", "would you like to keep it or ", "a & b and ", "very a, ", "a?\n", "a - ", "one or two ",
        "zu oder ", "fish and ", "might or ", "1 - a, ", "1 (a) 2 ", "A: b ", "a or b, ", "[a] ", "(select ",
        "the a or ", "select one: ", "? a, b ", "/ a ", "-vous a ou ", "sie a oder ",
    ],
)  # fmt: skip
def test_reading_takes_time_in_proportion_to_the_length(piece: str) -> None:
    """Four times the text may take four times the time, with room for a busy machine; backtracking takes sixteen."""
    assert_proportionate("Which", piece)


@pytest.mark.parametrize("piece", ["a or b, ", "a, ", "or a ", "the a or ", "a (1) ", "/ a "])
def test_reading_of_alternatives_takes_time_in_proportion_to_the_length(piece: str) -> None:
    assert_proportionate("Do you", piece)


def assert_proportionate(lead: str, piece: str) -> None:
    short, long = (fastest(f"{lead} {piece * (size // len(piece))}?") for size in (5_000, 20_000))

    assert long < 10 * short + 0.05


def fastest(text: str) -> float:
    def once() -> float:
        start = process_time()
        taken(text)
        return process_time() - start

    return min(once() for _ in range(3))


@pytest.mark.parametrize("text", ["Rate our service from A to E.", "Bewerten Sie uns von A bis F."])
def test_a_rating_in_letters_gets_no_scale_of_numbers(text: str) -> None:
    assert understand(text) == OPEN


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("Würden Sie CDU, SPD oder Grüne wählen?", ("CDU", "SPD", "Grüne")),
        ("Sind Sie für oder gegen ein Tempolimit auf Autobahnen?", ("Für", "Gegen")),
        (
            "If there were an election, would you vote for Smith, Jones & Co, or nobody?",
            ("Smith", "Jones & Co", "Nobody"),
        ),
        ("Would you vote for Smith?", ("Yes", "No")),
        ("Which of these do you use most?\n- Email\n- Phone\n- Chat", ("Email", "Phone", "Chat")),
        ("Which of these do you own: a car, a bike or both?", ("A car", "A bike", "Both")),
        ("Pick your favourite: 1) Pasta 2) Pizza 3) Salad", ("Pasta", "Pizza", "Salad")),
    ],
)
def test_one_of_the_named_options_is_asked_for_and_yes_or_no_only_where_none_is(
    text: str, options: tuple[str, ...]
) -> None:
    assert understand(text) == Understanding("categorical", options=options)


@pytest.mark.parametrize(
    ("text", "understood"),
    [
        ("Do you remember your first visit? Tell us about it.", "qualitative"),
        ("Erinnern Sie sich daran? Erzählen Sie uns davon.", "qualitative"),
        ("Would you buy it? Tell us why.", "categorical"),
        ("Would you buy it? Would you sell it? Tell us about it.", "categorical"),
    ],
)
def test_a_question_that_leads_to_a_request_to_tell_is_open(text: str, understood: str) -> None:
    assert understand(text).type == understood
