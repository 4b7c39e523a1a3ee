"""The parts of a survey answer that is one JSON object."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.engines.chat.survey_fields import object_parts, point

KINDS = ("scale", "categorical", "multiselect", "qualitative")
NAMES = st.sampled_from(["reason", "message", "answer", "value", "choices", "themes", "other"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES | st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "text", ["Good.\nANSWER: 7", "[[CITE:1]] Good.", "[1] Good.", "{name} is good.", "", 'I wrote {"port": 80}.', "7"]
)
def test_what_is_not_written_as_json_is_left_alone(text: str, kind: str) -> None:
    assert object_parts(text, kind) is None


@pytest.mark.parametrize(
    "text",
    [
        '{"Reason": "Good.", "ANSWER": 7}',
        ' \ufeff\n```json\n{"reason": "Good.", "answer": 7}\n```\n',
        '```{"reason": "Good.", "answer": 7}```',
        '{"explanation": " Good. ", "rating": "7"}',
        '{"reason": 5, "rationale": "Good.", "score": 7.0}',
        '{"reason": " ", "comment": "Good.", "answer": null, "value": 7}',
        '{"reason": "Good.", "answer": true, "value": {"answer": 3}, "rating": 7}',
        '{"reason": "Good.", "answer": NaN, "value": 1e999, "score": ["7"], "sure": NaN}',
        '{"reason": "{\\"answer\\": 1}", "text": "Good.", "answer": 7}',
        '{"reason": "\\u0000Good.\\ud800", "answer": 7}',
    ],
)
def test_the_reason_and_the_value_are_taken_from_the_usual_fields(text: str) -> None:
    assert object_parts(text, "scale") == ("Good.", "7")


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ('"7\\nor so"', "7\nor so"),
        ("7.5", "7.5"),
        ("-3", "-3"),
        ("5e-05", ""),
        ("1" * 5_000, ""),
        ('["Tea", "Milk"]', ""),
        ("[7]", ""),
        ("[]", ""),
        ("{}", ""),
        ('"{\\"a\\": 7}"', ""),
    ],
)
def test_only_a_number_or_words_are_one_value(written: str, value: str) -> None:
    found = object_parts(f'{{"answer": {written}}}', "scale")

    assert found == ("", value)


@pytest.mark.parametrize(
    ("written", "value"),
    [('["Tea", "Milk"]', "Tea; Milk"), ('"Tea; Milk"', "Tea; Milk"), ('["Tea", 3]', ""), ('["Tea", ["Milk"]]', "")],
)
def test_several_values_are_a_list_of_words(written: str, value: str) -> None:
    assert object_parts(f'{{"selected": {written}}}', "multiselect") == ("", value)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ('{"answer": "Longer breaks", "themes": ["Breaks"]}', ("Longer breaks", "Breaks")),
        ('{"response": "Longer\nbreaks", "topics": "Breaks; Rest"}', ("Longer\nbreaks", "Breaks; Rest")),
        ('{"reason": "I am tired.", "answer": "Longer breaks"}', ("Longer breaks", "")),
        ('{"message": "Longer breaks", "themes": [1], "labels": ["Rest"]}', ("Longer breaks", "Rest")),
        ('{"answer": {"text": "Longer breaks"}}', ("", "")),
        ('{"answer": 7}', ("", "")),
    ],
)
def test_words_of_ones_own_come_with_their_themes(text: str, parts: tuple[str, str]) -> None:
    assert object_parts(text, "qualitative") == parts


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "{",
        '{"answer": "Good."',
        '{"answer": "Good."} {"answer": "Bad."}',
        '{"answer": "Good."}\nANSWER: 7',
        '{"answer": "Good.", "Answer": "Bad."}',
        "{'answer': 'Good.'}",
        "{answer: 7}",
        '[{"answer": "Good."}]',
        '["Good."]',
        f'{{"answer": "{"x" * 10_000_000}"}}',
        '{"answer":' * 4_000 + "7" + "}" * 4_000,
        f'{{"answer": {"[" * 15_000}7{"]" * 15_000}}}',
        "{" + '"a":{' * 2_000_000,
        f'{{"answer": {"7" * 5_000}}}',
    ],
    ids=lambda text: text[:24],
)
def test_json_that_cannot_be_used_has_no_parts(text: str, kind: str) -> None:
    assert object_parts(text, kind) == ("", "")


@given(st.dictionaries(NAMES, JSON, max_size=6), st.sampled_from(KINDS))
def test_whatever_an_object_holds_no_json_comes_out_of_it(fields: dict[str, object], kind: str) -> None:
    parts = object_parts(json.dumps(fields), kind)

    assert parts is not None
    for part in parts:
        part.encode()
        assert object_parts(part, kind) is None


TEN, AROUND_ZERO = (1, 10), (-5, 5)


@pytest.mark.parametrize(
    ("raw", "number"),
    [
        ("7", 7),
        ("**7**", 7),
        ("[7]", 7),
        ("7.0", 7),
        ("7,0", 7),
        ("7/10", 7),
        ("7 / 10", 7),
        ("8 von 10", 8),
        ("10/10", 10),
        ("- 7", 7),
        ("I would say 7", 7),
        ("7 (quite likely)", 7),
        ("7 (on a scale of 1 to 10)", 7),
        ("7 on a scale from 1-10", 7),
        ("7 because 3 of my friends like it", 7),
        ("7, because in 2019 it was better", 7),
        ("7. In 2019 it was better.", 7),
        ("7/10 - it was a 3 last year", 7),
        ("seven", 7),
        ("**Sieben.**", 7),
    ],
)
def test_a_number_is_read_however_it_is_written(raw: str, number: int) -> None:
    assert point(raw, TEN, alone=False) == number


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "many",
        "0",
        "11",
        "eleven",
        "zero",
        "7.5",
        "7,5",
        "7-8",
        "7\u20138",
        "7 - 8",
        "7, 8",
        "7; 8",
        "6 or 7",
        "7 to 8",
        "7 (or 8)",
        "7 (maybe 8)",
        "7. Or an 8.",
        "between 7 and 8",
        "4/5",
        "1-10",
        "1 to 10",
        "because 3 of us like it, 7",
    ],
)
def test_two_numbers_and_those_beside_the_scale_are_no_answer(raw: str) -> None:
    assert point(raw, TEN, alone=False) is None


@pytest.mark.parametrize("raw", ["-3", "\u22123", "\u20133", "**-3**", "-3 (it got worse since 2019)"])
def test_a_number_below_zero_keeps_its_sign(raw: str) -> None:
    assert point(raw, AROUND_ZERO, alone=False) == -3
    assert point(raw, (1, 5), alone=False) is None


@pytest.mark.parametrize(("raw", "number"), [("7/10", 7), ("**7**.", 7), ("I came 7 years ago.", None)])
def test_a_number_in_a_sentence_is_none_where_it_has_to_stand_alone(raw: str, number: int | None) -> None:
    assert point(raw, TEN, alone=True) == number


@given(st.text(max_size=60), st.integers(-20, 20), st.integers(1, 40), st.booleans())
def test_whatever_is_read_is_on_the_scale(raw: str, low: int, width: int, alone: bool) -> None:
    found = point(raw, (low, low + width), alone=alone)

    assert found is None or low <= found <= low + width


@given(st.integers(-100, 100), st.integers(-100, 100), st.sampled_from(["-", " or ", ", ", "; ", " (or ", " to "]))
def test_two_numbers_are_never_one(first: int, second: int, between: str) -> None:
    scale = (-101, 101)

    assert point(f"{first}{between}{second}", scale, alone=False) in ({None} | ({first} if first == second else set()))
