"""The value in what a model wrote."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.engines.chat.survey_replies import Uncountable, labels_in, read_reply, reason_in
from app.internal_api.engines.engine import SurveyQuestion

TEN = SurveyQuestion("?", "scale", scale=(1, 10))
AROUND_ZERO = SurveyQuestion("?", "scale", scale=(-5, 5))
CHOICE = SurveyQuestion("?", "categorical", options=("Yes", "No", "No preference", "Yes, but later"))
AGES = SurveyQuestion("?", "categorical", options=("18-24", "25-34", "3"))
SEVERAL = SurveyQuestion("?", "multiselect", options=("Tea", "Ale, dark", "Milk and honey", "Milk"), most=2)
OR_NOTHING = SurveyQuestion("?", "multiselect", options=("Tea", "None of the above"))
OPEN = SurveyQuestion("?", "qualitative")


@pytest.mark.parametrize(
    ("question", "raw", "value"),
    [
        (TEN, "7", "7"),
        (TEN, "**7**", "7"),
        (TEN, "7.", "7"),
        (TEN, "7.0", "7"),
        (TEN, "7/10", "7"),
        (TEN, "7 out of 10", "7"),
        (TEN, "10/10", "10"),
        (TEN, "- 7", "7"),
        (TEN, "7 (quite likely)", "7"),
        (TEN, "I would say 7", "7"),
        (AROUND_ZERO, "-3", "-3"),
        (AROUND_ZERO, "+3", "3"),
        (CHOICE, "Yes", "Yes"),
        (CHOICE, "yes.", "Yes"),
        (CHOICE, '"No"', "No"),
        (CHOICE, "**No preference**", "No preference"),
        (CHOICE, "2. No", "No"),
        (CHOICE, "b) No", "No"),
        (CHOICE, "3", "No preference"),
        (CHOICE, "No, it is too dear", "No"),
        (CHOICE, "Yes, but later", "Yes, but later"),
        (CHOICE, "Yes (really)", "Yes"),
        (CHOICE, "Yes, no doubt about it", "Yes"),
        (CHOICE, "No, yes-men would say yes", "No"),
        (AGES, "18-24", "18-24"),
        (AGES, "3", "3"),
        (AGES, "2", "25-34"),
        (SEVERAL, "Tea; Milk", "Tea; Milk"),
        (SEVERAL, "tea, ale, dark", "Tea; Ale, dark"),
        (SEVERAL, "1. Tea\n4. Milk", "Tea; Milk"),
        (SEVERAL, "\n- Tea\n- Milk and honey", "Tea; Milk and honey"),
        (SEVERAL, "Tea and Milk", "Tea; Milk"),
        (SEVERAL, "1, 4", "Tea; Milk"),
        (SEVERAL, "Tea; tea", "Tea"),
        (SEVERAL, "Tea\nMilk", "Tea; Milk"),
        (SEVERAL, "Tea\nANSWER: Milk", "Tea; Milk"),
        (SEVERAL, "none", "None"),
        (SEVERAL, "**None of these.**", "None"),
        (SEVERAL, "keine davon", "None"),
        (OR_NOTHING, "none", "None of the above"),
        (OR_NOTHING, "None of the above", "None of the above"),
        (TEN, "7\nANSWER: 7", "7"),
        (TEN, "7\nTHEMES: taste", "7"),
    ],
)
def test_a_value_is_read_kindly(question: SurveyQuestion, raw: str, value: str) -> None:
    reply = read_reply(f"Because it is.\n\nANSWER: {raw}", question)

    assert (reply.value, reply.reason) == (value, "Because it is.")
    assert reply.raw


@pytest.mark.parametrize(
    ("question", "raw"),
    [
        (TEN, "11"),
        (TEN, "0"),
        (TEN, "7.5"),
        (TEN, "7-8"),
        (TEN, "6 or 7"),
        (TEN, "4/5"),
        (TEN, "many"),
        (TEN, ""),
        (AROUND_ZERO, "-6"),
        (CHOICE, "Perhaps"),
        (CHOICE, "Yes and no"),
        (CHOICE, "Nothing"),
        (CHOICE, "9"),
        (CHOICE, ""),
        (SEVERAL, "Tea; Milk; Ale, dark"),
        (SEVERAL, "Tea; Water"),
        (SEVERAL, "None; Tea"),
        (SEVERAL, "Nothing much"),
        (SEVERAL, "Tea " * 9_000),
        (CHOICE, "Yes, No"),
        (CHOICE, "No; Yes, but later"),
        (CHOICE, "Yes (or no)"),
        (CHOICE, "No - or maybe yes."),
        (CHOICE, "1. Yes, 2. No"),
        (CHOICE, "\n- Yes\n- No"),
        (CHOICE, "Yes\nNo"),
        (AGES, "18-24, 25-34"),
        (SEVERAL, ""),
    ],
)
def test_what_is_no_value_is_not_bent_into_one(question: SurveyQuestion, raw: str) -> None:
    with pytest.raises(Uncountable):
        read_reply(f"Because it is.\nANSWER: {raw}", question)


@pytest.mark.parametrize(
    "text",
    [
        "Good coffee.\nANSWER: 7",
        "Good coffee. ANSWER: 7",
        "**Reason:** Good coffee.\n\n**ANSWER:** 7",
        "Good coffee.\n> Answer: 7",
        "Good coffee.\nFinal answer: 7",
        "Good coffee.\nANSWER:\n7",
        "Good coffee.\n7/10",
        "```\nGood coffee.\nANSWER: 7\n```",
        "```text\nReason: Good coffee.\n```\nANSWER: 7",
        "Good coffee.\nTHEMES: taste\nANSWER: 7",
        "ANSWER: 7\n\nGood coffee.",
        "Good coffee.\nANTWORT: 7",
        "Good coffee.\nRÉPONSE : 7",
    ],
)
def test_the_reason_and_the_value_are_told_apart(text: str) -> None:
    reply = read_reply(text, TEN)

    assert (reply.reason, reply.value) == ("Good coffee.", "7")


def test_the_last_marker_counts() -> None:
    reply = read_reply("ANSWER: 3\nNo, more.\nANSWER: 4", TEN)

    assert (reply.value, reply.reason) == ("4", "No, more.")


def test_markers_one_below_the_other_are_one_answer() -> None:
    with pytest.raises(Uncountable):
        read_reply("Hm.\nANSWER: 3\n\nANSWER: 4", TEN)
    with pytest.raises(Uncountable):
        read_reply("Hm.\nANSWER: Yes\nANSWER: No", CHOICE)


def test_a_model_that_ran_away_with_blank_lines_is_read_at_once() -> None:
    reply = read_reply("Good." + "\n" * 100_000 + "ANSWER: 7" + " \n" * 100_000 + ".", TEN)

    assert (reply.value, reply.reason) == ("7", "Good.")


def test_a_number_in_the_last_sentence_is_no_answer() -> None:
    with pytest.raises(Uncountable):
        read_reply("It is good.\nI have drunk it for 3 years.", TEN)


def test_a_value_may_come_without_a_reason() -> None:
    assert read_reply("ANSWER: 7", TEN).reason == ""


@pytest.mark.parametrize(
    ("text", "value", "reason"),
    [
        ("It is dear.\nTHEMES: price; **Trust**", "Price; Trust", "It is dear."),
        ("ANSWER: It is dear.\nTHEMES: price", "Price", "It is dear."),
        ("THEMES: price\n\nIt is dear.", "Price", "It is dear."),
        ("It is dear.\nTHEMES: price\nTHEMES: trust", "Price; Trust", "It is dear."),
        ("It is dear.", "", "It is dear."),
        ("**Answer:** It is dear.", "", "It is dear."),
        ("It is dear.\nIt is bad.", "", "It is dear.\nIt is bad."),
        ("It is dear.\nTHEMES: none", "", "It is dear."),
        ("It is dear.\nTHEMES: one that goes on for far too long to be a label", "", "It is dear."),
        ("THEMES: price", "Price", ""),
    ],
)
def test_words_of_ones_own_are_kept_with_the_labels_that_there_are(text: str, value: str, reason: str) -> None:
    reply = read_reply(text, OPEN)

    assert (reply.value, reply.reason) == (value, reason)


@pytest.mark.parametrize(
    ("question", "answer", "value"),
    [
        (TEN, '"answer": 7', "7"),
        (CHOICE, '"choice": "no preference"', "No preference"),
        (SEVERAL, '"choices": ["Tea", "Ale, dark"]', "Tea; Ale, dark"),
        (OR_NOTHING, '"answer": "none"', "None of the above"),
        (OPEN, '"themes": ["price", "trust"]', "Price; Trust"),
    ],
)
def test_a_json_object_is_read_like_lines(question: SurveyQuestion, answer: str, value: str) -> None:
    reply = read_reply(f'```json\n{{"reason": "Reason: it is.", {answer}}}\n```', question)

    assert (reply.value, reply.reason) == (value, "it is.")
    assert "{" not in reply.raw


@pytest.mark.parametrize(
    ("question", "text"),
    [
        (TEN, '{"reason": "It is.", "answer": 11}'),
        (TEN, '{"reason": "It is 7."}'),
        (CHOICE, '{"reason": "It is.", "answer": "Perhaps"}'),
        (CHOICE, '{"reason": "It is.", "answer": ["Yes", "No"]}'),
        (SEVERAL, '{"reason": "It is.", "answer": ["Tea", "Milk", "Ale, dark"]}'),
        (SEVERAL, '{"reason": "It is.", "answer": ["None", "Tea"]}'),
        (OPEN, '{"opinion": {"text": "It is."}}'),
        (OPEN, '{"answer": "It is.'),
    ],
)
def test_a_json_object_is_not_bent_either(question: SurveyQuestion, text: str) -> None:
    with pytest.raises(Uncountable):
        read_reply(text, question)
    assert "{" not in reason_in(text, question)


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("price; trust", ["Price", "Trust"]),
        ("Price, trust", ["Price", "Trust"]),
        ("\n- Price\n2. Trust", ["Price", "Trust"]),
        ("Price; price; a; b; c", ["Price", "A", "B"]),
        ("a label that is far too long to count; Price", ["Price"]),
    ],
)
def test_labels_are_few_short_and_distinct(text: str, labels: list[str]) -> None:
    assert labels_in(text) == labels


def test_the_reason_is_kept_where_the_value_cannot_be_read() -> None:
    assert reason_in("Reason: good.\nANSWER: eleven", TEN) == "good."
    assert reason_in("Reason: good, an eleven.", TEN) == "good, an eleven."


@given(st.text(max_size=200), st.sampled_from([TEN, AROUND_ZERO, CHOICE, AGES, SEVERAL, OPEN]), st.booleans())
def test_whatever_is_read_can_be_counted(text: str, question: SurveyQuestion, marked: bool) -> None:
    try:
        value = read_reply(f"x\nANSWER: {text}" if marked else text, question).value
    except Uncountable:
        return

    assert question.type != "scale" or (question.scale or (0, 0))[0] <= int(value) <= (question.scale or (0, 0))[1]
    assert question.type != "categorical" or value in question.options
    assert question.type != "multiselect" or 1 <= len(value.split("; ")) <= 2
    assert value or question.type == "qualitative"
