"""The parts of a survey answer that is one JSON object."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.engines.chat.objects import object_parts

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
