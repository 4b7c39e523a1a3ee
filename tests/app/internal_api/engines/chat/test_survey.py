"""A model's answer to a survey question: read from the object that was asked for, and never bent into a value."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.engines.chat.engine import Reply, create_engine, read_reply
from app.internal_api.engines.chat.prompts import survey_schema
from app.internal_api.engines.engine import EngineUnavailable, SurveyAnswer, SurveyQuestion
from app.internal_api.store.minds import Mind
from tests.app.internal_api.engines.chat_server import chat_server, says
from tests.app.internal_api.engines.people import ADA, passage

CLOSED = replace(ADA, source_policy="knowledge_only")
SCALE = SurveyQuestion("How good is espresso?", "scale", scale=(1, 10))
AROUND_ZERO = replace(SCALE, scale=(-5, 5))
CHOICE = SurveyQuestion("What matters?", "categorical", options=("Price", "Speed", "18-24"))
SEVERAL = SurveyQuestion("?", "multiselect", options=("Tea", "Ale, dark", "Milk and honey", "Milk"), most=2)
OR_NOTHING = SurveyQuestion("?", "multiselect", options=("Tea", "None"))
OPEN = SurveyQuestion("What is missing?", "qualitative")
QUESTIONS = (SCALE, AROUND_ZERO, CHOICE, SEVERAL, OR_NOTHING, OPEN)
SOURCES = [passage("Espresso is small.", "A"), passage("The water has 93 degrees.", "B")]
VALUES: list[tuple[SurveyQuestion, list[object], str]] = [
    (SCALE, [7, 7.0, "7", [7]], "7"),
    (AROUND_ZERO, [-3, "-3"], "-3"),
    (CHOICE, ["Price", "price.", '"Price"', "**Price**", ["Price"]], "Price"),
    (CHOICE, ["18-24"], "18-24"),
    (SEVERAL, [["Tea", "Milk"], ["Tea", None, "Milk"], ["tea", "milk", "Milk"]], "Tea; Milk"),
    (SEVERAL, [["Milk and honey", "Ale, dark"]], "Milk and honey; Ale, dark"),
    (SEVERAL, [[], "none", ["None"]], "None"),
    (OR_NOTHING, ["none", ["None"]], "None"),
    (OPEN, [["price", "trust"], ["Price", "price", "- Trust", "none"]], "Price; Trust"),
    (OPEN, [["a label that is far too long to count", "Price"], "price"], "Price"),
]
NO_VALUES: list[tuple[SurveyQuestion, list[object]]] = [
    (SCALE, [None, "", 11, 0, 7.5, "7-8", "7 or 8", [7, 8], "many", True, {"a": 7}, float("nan")]),
    (AROUND_ZERO, [-6]),
    (CHOICE, [None, "", "Perhaps", "Price and speed", 1, ["Price", "Speed"], []]),
    (SEVERAL, [None, "", ["Tea", "Milk", "Ale, dark"], ["Tea", "Water"], ["None", "Tea"], "Tea " * 9_000]),
]


def written(reason: str, answer: object) -> str:
    return json.dumps({"reason": reason, "answer": answer})


@pytest.mark.parametrize(
    ("question", "answer", "value"),
    [(question, answer, value) for question, answers, value in VALUES for answer in answers],
)
def test_a_value_is_read_as_it_counts(question: SurveyQuestion, answer: object, value: str) -> None:
    reply = read_reply(written("Because it is.", answer), question)

    assert (reply.value, reply.reason) == (value, "Because it is.")


@pytest.mark.parametrize(
    ("question", "answer"), [(question, answer) for question, answers in NO_VALUES for answer in answers]
)
def test_what_is_no_value_is_not_bent_into_one(question: SurveyQuestion, answer: object) -> None:
    assert read_reply(written("Because it is.", answer), question).value == ""


@pytest.mark.parametrize(
    "text", ["{object}", "```json\n{object}\n```", "Here you {are}: {object} Enjoy!", "\ufeff {object}\n7"]
)
def test_the_object_is_found_in_what_surrounds_it(text: str) -> None:
    reply = read_reply(text.replace("{object}", '{"reason": "Good\ncoffee.", "answer": 7}'), SCALE)

    assert (reply.value, reply.raw, reply.reason) == ("7", "7", "Good\ncoffee.")


def test_an_object_with_another_name_for_the_answer_is_kept_as_it_was_written() -> None:
    text = '{"reason": "Good coffee.", "rating": 8}'

    assert read_reply(text, SCALE) == Reply(raw=text, reason="Good coffee.")


def test_words_without_an_object_are_the_answer_as_it_came() -> None:
    assert read_reply("It is dear. ", OPEN) == Reply(reason="It is dear.")
    assert read_reply("It is a **7**.\n", SCALE) == Reply(reason="It is a **7**.")
    assert read_reply('{"reason": "It is dear, and', OPEN).reason == "It is dear, and"
    assert read_reply("[[NOTHING]] I have no view.", SCALE).declined
    draft, again = written("A draft.", 3), written("It got better.", 8)
    assert read_reply(f"{draft}\nWait.\n{again}", SCALE).value == ""
    assert read_reply(f"{draft}\nOnce more: {draft}", SCALE).value == "3"
    assert read_reply(written("I cannot tell.", None), CHOICE) == Reply(reason="I cannot tell.", declined=True)
    assert not read_reply(written("It is dear.", None), OPEN).declined


@given(st.text(max_size=200) | st.integers() | st.lists(st.text(max_size=9), max_size=4), st.sampled_from(QUESTIONS))
def test_whatever_is_read_can_be_counted(answer: object, question: SurveyQuestion) -> None:
    value = read_reply(written("x", answer), question).value

    low, high = question.scale or (0, 0)
    assert not value or question.type != "scale" or low <= int(value) <= high
    assert not value or question.type != "categorical" or value in question.options
    assert not value or question.type != "multiselect" or len(value.split("; ")) <= 2


async def surveyed(
    *replies: str, persona: Mind = ADA, question: SurveyQuestion = SCALE, found: int = 2
) -> tuple[SurveyAnswer, int]:
    async with chat_server(*map(says, replies)) as server:
        answer = await create_engine(server.settings()).survey(persona, question, SOURCES[:found])
    return answer, len(server.bodies)


async def test_a_number_in_brackets_is_a_rating_and_no_footnote_where_nothing_but_words_came() -> None:
    assert (await surveyed("[2]"))[0].message == "[2]"
    assert (await surveyed(written("It is small [1].", 2)))[0].citations == (SOURCES[0],)


async def failed(*replies: str, persona: Mind = ADA, question: SurveyQuestion = SCALE) -> tuple[str, bool]:
    with pytest.raises(EngineUnavailable) as raised:
        await surveyed(*replies, persona=persona, question=question)
    return raised.value.kind, raised.value.retryable


async def test_one_completion_makes_the_answer() -> None:
    answer, asked = await surveyed("<think>8?</think>" + written("It is excellent, at 93 degrees [[CITE:2]].", 8))

    assert asked == 1
    assert answer == SurveyAnswer(
        value="8",
        raw_value="8",
        message="It is excellent, at 93 degrees.",
        citations=(SOURCES[1],),
        origin="mind_knowledge",
        engine="openai-compatible",
        chunks_found=2,
    )


async def test_what_was_attached_can_be_cited_and_is_nobodys_knowledge() -> None:
    question = replace(SCALE, context="Espresso is bitter.")

    answer, _ = await surveyed(written("Bitter [[CITE:3]].", 3), persona=CLOSED, question=question)

    assert (answer.origin, answer.citations, answer.message) == ("request_evidence", (), "Bitter.")


@pytest.mark.parametrize(
    ("question", "reply", "expected"),
    [
        (SCALE, written("So good!", 11), ("", "11", "So good!")),
        (SCALE, written("", 7), ("7", "7", "")),
        (SCALE, written("Either.", "7-8"), ("", "7-8", "Either.")),
        (SCALE, "It is a 7. [[CITE:1]]", ("", "", "It is a 7.")),
        (OPEN, "It is dear.", ("", "", "It is dear.")),
        (CHOICE, written("Either.", ["Price", "Speed"]), ("", "Price; Speed", "Either.")),
        (CHOICE, '{"opinion": "Speed"}', ("", "", '{"opinion": "Speed"}')),
    ],
)
async def test_what_is_not_written_as_asked_for_keeps_its_words_and_is_asked_for_once(
    question: SurveyQuestion, reply: str, expected: tuple[str, str, str]
) -> None:
    answer, asked = await surveyed(reply, question=question)

    assert ((answer.value, answer.raw_value, answer.message), asked) == (expected, 1)


@pytest.mark.parametrize("question", QUESTIONS)
async def test_an_empty_answer_is_none(question: SurveyQuestion) -> None:
    assert await failed("", question=question) == ("empty", True)


async def test_who_says_to_have_no_view_declines() -> None:
    answer, _ = await surveyed(written("I never drink it.", None))

    assert (answer.declined, answer.value, answer.message) == (True, "", "I never drink it.")


@pytest.mark.parametrize("question", QUESTIONS)
async def test_the_model_is_held_to_the_form_of_the_answer_where_that_can_be(question: SurveyQuestion) -> None:
    async with chat_server(says(written("It is.", None))) as server:
        await create_engine(server.settings()).survey(ADA, question, SOURCES)

    asked = server.bodies[0]["response_format"]
    assert asked["type"] == "json_schema"
    assert asked["json_schema"]["schema"] == survey_schema(question)
    assert [*asked["json_schema"]["schema"]["properties"]] == ["reason", "answer"]


@pytest.mark.parametrize("reply", ["[[NOTHING]]", written("[[NOTHING]]", 1), written("It is good.", 7)])
async def test_closed_knowledge_that_does_not_cover_it_gives_no_answer(reply: str) -> None:
    assert await failed(reply, persona=CLOSED) == ("unsupported", False)


async def test_closed_knowledge_without_anything_to_rest_on_does_not_ask_the_model() -> None:
    async with chat_server(says(written("It is good.", 7))) as server:
        with pytest.raises(EngineUnavailable) as raised:
            await create_engine(server.settings()).survey(CLOSED, SCALE, [])

    assert (raised.value.kind, server.bodies) == ("unsupported", [])
