"""A model's answer to a survey question, against a real endpoint on loopback."""

from dataclasses import replace

import pytest

from app.internal_api.engines.chat.engine import create_engine
from app.internal_api.engines.engine import EngineUnavailable, Persona, SurveyAnswer, SurveyQuestion
from tests.app.internal_api.engines.chat_server import Reply, chat_server, says
from tests.app.internal_api.engines.people import ADA, passage

CLOSED = replace(ADA, source_policy="knowledge_only")
SCALE = SurveyQuestion("How good is espresso?", "scale", scale=(1, 10))
CHOICE = SurveyQuestion("What matters?", "categorical", options=("Price", "Speed"))
SEVERAL = replace(CHOICE, type="multiselect")
OPEN = SurveyQuestion("What is missing?", "qualitative")
SOURCES = [passage("Espresso is small.", "A"), passage("The water has 93 degrees.", "B")]


async def surveyed(
    *replies: Reply, persona: Persona = ADA, question: SurveyQuestion = SCALE, found: int = 2
) -> tuple[SurveyAnswer, int]:
    async with chat_server(*replies) as server:
        answer = await create_engine(server.settings()).survey(persona, question, SOURCES[:found])
    return answer, len(server.bodies)


async def failed(
    *replies: Reply, persona: Persona = ADA, question: SurveyQuestion = SCALE, found: int = 2
) -> tuple[str, bool]:
    with pytest.raises(EngineUnavailable) as raised:
        await surveyed(*replies, persona=persona, question=question, found=found)
    return raised.value.kind, raised.value.retryable


async def test_one_completion_makes_the_answer() -> None:
    answer, asked = await surveyed(
        says("<think>8?</think>It is excellent, at 93 degrees [[CITE:2]].\n**ANSWER: 8/10**")
    )

    assert asked == 1
    assert answer == SurveyAnswer(
        value="8",
        raw_value="8/10**",
        message="It is excellent, at 93 degrees.",
        citations=(SOURCES[1],),
        origin="mind_knowledge",
        engine="openai-compatible",
        chunks_found=2,
    )


async def test_what_was_attached_can_be_cited_and_is_nobodys_knowledge() -> None:
    attached = replace(SCALE, context="Espresso is bitter.")

    answer, _ = await surveyed(says("Bitter [[CITE:3]].\nANSWER: 3"), persona=CLOSED, question=attached)

    assert (answer.origin, answer.citations, answer.message) == ("request_evidence", (), "Bitter.")


async def test_a_value_outside_the_scale_is_asked_for_once_more() -> None:
    answer, asked = await surveyed(says("So good!\nANSWER: 11"), says("ANSWER: 10"))

    assert (answer.value, answer.message, asked) == ("10", "So good!", 2)


async def test_a_reason_that_is_missing_is_asked_for_once_more() -> None:
    answer, asked = await surveyed(says("7"), says("It is small.\nANSWER: 7"))

    assert (answer.value, answer.message, asked) == ("7", "It is small.", 2)


async def test_a_value_that_stays_without_a_reason_is_counted() -> None:
    answer, asked = await surveyed(says("7"), says("7"))
    unsettled, _ = await surveyed(says("ANSWER: 7"), says(""))

    assert (answer.value, answer.message, asked) == ("7", "", 2)
    assert (unsettled.value, unsettled.message) == ("7", "")


async def test_words_without_labels_are_kept_at_once() -> None:
    answer, asked = await surveyed(says("It is dear."), question=OPEN)

    assert (answer.value, answer.message, asked) == ("", "It is dear.", 1)


async def test_labels_without_words_are_asked_for_once_more() -> None:
    answer, asked = await surveyed(says("THEMES: price"), says("It is dear."), question=OPEN)

    assert (answer.value, answer.message, asked) == ("Price", "It is dear.", 2)


async def test_two_options_where_one_is_asked_for_are_asked_for_once_more_and_then_given_up() -> None:
    both = says("Either would do.\nANSWER: Price, Speed")

    answer, asked = await surveyed(both, says("ANSWER: Speed"), question=CHOICE)

    assert (answer.value, answer.message, asked) == ("Speed", "Either would do.", 2)
    assert await failed(both, both, question=CHOICE) == ("unreadable", False)


async def test_an_answer_that_cannot_be_counted_twice_is_given_up() -> None:
    assert await failed(says("So good!\nANSWER: 11")) == ("unreadable", False)
    assert await failed(says("So good!\nANSWER: 7-8"), says("7 or 8")) == ("unreadable", False)


async def test_silence_may_be_asked_again_later() -> None:
    assert await failed(says("")) == ("empty", True)
    assert await failed(says("So good!\nANSWER: 11"), says("")) == ("empty", True)


async def test_closed_knowledge_that_does_not_cover_it_gives_no_answer() -> None:
    unsupported = ("unsupported", False)

    assert await failed(says("[[NOTHING]]"), persona=CLOSED) == unsupported
    assert await failed(says("It is good.\nANSWER: 7"), persona=CLOSED) == unsupported


async def test_closed_knowledge_without_anything_to_rest_on_does_not_ask_the_model() -> None:
    async with chat_server(says("It is good.\nANSWER: 7")) as server:
        with pytest.raises(EngineUnavailable) as raised:
            await create_engine(server.settings()).survey(CLOSED, SCALE, [])

    assert (raised.value.kind, server.bodies) == ("unsupported", [])


@pytest.mark.parametrize("question", [SCALE, CHOICE, SEVERAL, OPEN])
async def test_json_is_asked_for_once_more_and_then_given_up(question: SurveyQuestion) -> None:
    odd = says('{"opinion": {"text": "Small."}}')

    assert await failed(odd, odd, question=question) == ("unreadable", False)
