"""What a model wrote on a survey question is read in its usual forms, and never bent into a value."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.engines.chat.survey import read_reply
from app.internal_api.engines.engine import SurveyQuestion

TEN = SurveyQuestion("?", "scale", scale=(1, 10))
AROUND_ZERO = SurveyQuestion("?", "scale", scale=(-5, 5))
CHOICE = SurveyQuestion("?", "categorical", options=("Yes", "No", "No preference", "Yes, but later"))
AGES = SurveyQuestion("?", "categorical", options=("18-24", "25-34", "3"))
SEVERAL = SurveyQuestion("?", "multiselect", options=("Tea", "Ale, dark", "Milk and honey", "Milk"), most=2)
OR_NOTHING = SurveyQuestion("?", "multiselect", options=("Tea", "None of the above"))
OPEN = SurveyQuestion("?", "qualitative")
QUESTIONS = (TEN, AROUND_ZERO, CHOICE, AGES, SEVERAL, OR_NOTHING, OPEN)
VALUES = [
    (TEN, ["7", "**7**", "[7]", "7.", "7.0", "7/10", "7 out of 10", "7 von 10", "- 7", "I would say 7"], "7"),
    (TEN, ["7 (quite likely)", "7 on a scale of 1 to 10", "7 because I like it", "7\nTHEMES: taste"], "7"),
    (TEN, ["10/10"], "10"),
    (AROUND_ZERO, ["-3", "\u22123", "\u20133", "**-3**"], "-3"),
    (AROUND_ZERO, ["+3"], "3"),
    (CHOICE, ["Yes", "yes.", '"Yes"', "1. Yes", "a) Yes", "1"], "Yes"),
    (CHOICE, ["**No preference**", "3"], "No preference"),
    (CHOICE, ["Yes, but later"], "Yes, but later"),
    (AGES, ["3"], "3"),
    (AGES, ["2", "25-34"], "25-34"),
    (SEVERAL, ["Tea; Milk", "Tea, milk", "1, 4", "1. Tea\n4. Milk", "\n- Tea\n- Milk", "tea\nmilk"], "Tea; Milk"),
    (SEVERAL, ["tea; ale, dark"], "Tea; Ale, dark"),
    (SEVERAL, ["Tea; milk and honey"], "Tea; Milk and honey"),
    (SEVERAL, ["Tea; tea"], "Tea"),
    (SEVERAL, ["none", "**None of these.**", "keine davon"], "None"),
    (OR_NOTHING, ["none", "None of the above"], "None of the above"),
    (OPEN, ["price; trust", "Price, trust", "\n- Price\n2. Trust", "Price; price; trust; none"], "Price; Trust"),
    (OPEN, ["a label that is far too long to count; Price"], "Price"),
]
NO_VALUES = [
    (TEN, ["", "11", "0", "7.5", "7-8", "7; 8", "6 or 7", "7 (or 8)", "4/5", "many", "1 to 10", "7, a 3 last year"]),
    (AROUND_ZERO, ["-6"]),
    (CHOICE, ["", "Perhaps", "Yes and no", "Nothing", "9", "Yes, No", "Yes (or no)", "\n- Yes\n- No", "No, too dear"]),
    (AGES, ["18-24, 25-34"]),
    (SEVERAL, ["", "Tea; Milk; Ale, dark", "Tea; Water", "None; Tea", "Nothing much", "Tea " * 9_000]),
]


@pytest.mark.parametrize(
    ("question", "raw", "value"), [(question, raw, value) for question, raws, value in VALUES for raw in raws]
)
def test_a_value_is_read_in_its_usual_forms(question: SurveyQuestion, raw: str, value: str) -> None:
    marker = "THEMES" if question is OPEN else "ANSWER"

    reply = read_reply(f"Because it is.\n\n{marker}: {raw}", question)

    assert (reply.value, reply.reason) == (value, "Because it is.")
    assert reply.raw


@pytest.mark.parametrize(("question", "raw"), [(question, raw) for question, raws in NO_VALUES for raw in raws])
def test_what_is_no_value_is_not_bent_into_one(question: SurveyQuestion, raw: str) -> None:
    assert read_reply(f"Because it is.\nANSWER: {raw}", question).value == ""


@pytest.mark.parametrize(
    "text",
    [
        "Good coffee.\nANSWER: 7",
        "Good coffee. ANSWER: 7",
        "**Reason:** Good coffee.\n\n**ANSWER:** 7",
        "Good coffee.\n> Answer: 7",
        "Good coffee.\nANSWER:\n7",
        "Good coffee.\n7/10",
        "```text\nReason: Good coffee.\n```\nANSWER: 7",
        "Good coffee.\nTHEMES: taste\nANSWER: 7",
        "ANSWER: 7\n\nGood coffee.",
        "Good coffee.\nANTWORT: 7",
        "Good coffee.\nRÉPONSE : 7",
        "Good coffee." + "\n" * 100_000 + "ANSWER: 7" + " \n" * 100_000 + ".",
    ],
)
def test_the_reason_and_the_value_are_separated(text: str) -> None:
    reply = read_reply(text, TEN)

    assert (reply.reason, reply.value) == ("Good coffee.", "7")


def test_a_number_in_the_last_sentence_is_no_answer() -> None:
    assert read_reply("It is good.\nI have drunk it for 3 years.", TEN).value == ""


@pytest.mark.parametrize(
    ("text", "value", "reason"),
    [
        ("It is dear.\nTHEMES: price; **Trust**", "Price; Trust", "It is dear."),
        ("ANSWER: It is dear.\nTHEMES: price", "Price", "It is dear."),
        ("THEMES: price\n\nIt is dear.", "Price", "It is dear."),
        ("It is dear.\nIt is bad.", "", "It is dear.\nIt is bad."),
        ("It is dear.\nTHEMES: none", "", "It is dear."),
        ("THEMES: price", "Price", ""),
    ],
)
def test_an_open_answer_is_kept_with_the_labels_that_there_are(text: str, value: str, reason: str) -> None:
    reply = read_reply(text, OPEN)

    assert (reply.value, reply.reason) == (value, reason)


@pytest.mark.parametrize(
    "text", ["{}", '```json\n{"answer": "Yes"}', '{"answer": 7', "{'answer': 'Yes'}", '[{"a": 7}]']
)
def test_json_is_never_taken_for_words(text: str) -> None:
    for question in QUESTIONS:
        reply = read_reply(text, question)
        assert (reply.value, reply.reason) == ("", "")


def test_the_reason_is_kept_where_the_value_cannot_be_read() -> None:
    assert read_reply("Reason: good.\nANSWER: eleven", TEN).reason == "good."
    assert read_reply("Reason: good, an eleven.", TEN).reason == "good, an eleven."


@given(st.text(max_size=200), st.sampled_from(QUESTIONS), st.booleans())
def test_whatever_is_read_can_be_counted(text: str, question: SurveyQuestion, marked: bool) -> None:
    value = read_reply(f"x\nANSWER: {text}" if marked else text, question).value

    low, high = question.scale or (0, 0)
    assert not value or question.type != "scale" or low <= int(value) <= high
    assert not value or question.type != "categorical" or value in question.options
    assert not value or question.type != "multiselect" or len(value.split("; ")) <= 2
