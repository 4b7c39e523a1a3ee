"""One persona that is asked: what it is given, and what becomes of it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest

from app.internal_api.engines.engine import EngineUnavailable, SurveyAnswer, SurveyQuestion, Turn
from app.internal_api.knowledge.documents import Passage
from app.internal_api.panels.respondent import answered
from app.internal_api.store.minds import Mind
from app.internal_api.store.questions import Answer
from app.internal_api.store.rows import delete_row
from app.internal_api.store.studies import audience_members
from tests.app.internal_api.panels.panels import MadePanel, held_up, make_panel, queue, stored, surveyed
from tests.app.internal_api.support import LINKED, World

PASSAGE = Passage("c1", "i1", "Tea is a drink. " * 40, "Tea", "https://example.com/tea", 3, None, 1.7)
SAID = SurveyAnswer("4", "4/5", "I like it.", (PASSAGE,), "mind_knowledge", "fake", 2)


async def _outcome(world: World, panel: MadePanel, **body: Any) -> Answer:
    """What became of the only persona."""
    question_id = await queue(world, panel, **body)
    await world.ask_all()
    question, (answer,) = await stored(world.engine, question_id)
    assert question.status == "completed"
    return answer


def _asked(world: World) -> list[SurveyQuestion]:
    return [asked[1] for what, asked in world.persona_engine.asked if what == "survey"]


async def test_a_persona_is_given_the_question_and_passages_of_its_own(world: World) -> None:
    mind_id = await world.trained(LINKED)
    panel = await make_panel(world.engine, {"Old": ["Ben"]})
    await _put_into(world, panel, mind_id)

    given = {"type": "categorical", "options": ["green", "black"]}
    question_id = await queue(world, panel, "Green?", responseForm="concise", classification=given)
    await world.ask_all()

    _, answers = await stored(world.engine, question_id)
    ada = next(answer for answer in answers if answer.mind_id == mind_id)
    (posed, _) = _asked(world)
    assert (posed.type, posed.options, posed.response_form, posed.earlier) == (
        "categorical",
        ("green", "black"),
        "concise",
        (),
    )
    assert (ada.origin, ada.chunks_found, ada.engine) == ("mind_knowledge", 2, "fake")
    assert ada.citations is not None
    assert (ada.citations[0]["source"], ada.citations[0]["snippet"]) == (
        "example.com",
        "Green tea is steeped at eighty degrees.",
    )


async def test_the_source_policy_of_a_question_overrides_the_minds(world: World) -> None:
    panel = await make_panel(world.engine, {"Old": ["Ada"]})

    for policy in (None, "knowledge_only"):
        await _outcome(world, panel, sourcePolicy=policy)

    asked = [asked[0].source_policy for what, asked in world.persona_engine.asked if what == "survey"]
    assert asked == ["auto", "knowledge_only"]


@pytest.mark.parametrize(("mode", "reminded"), [("none", []), ("followup_only", [6]), ("last5", [2, 3, 4, 5, 6])])
async def test_a_persona_is_reminded_of_its_own_earlier_answers(world: World, mode: str, reminded: list[int]) -> None:
    panel = await make_panel(world.engine, {"Old": ["Ada", "Ben"], "All": ["Ada"]})
    for number in range(1, 7):
        await queue(world, panel, f"Question {number}: how much on a scale of 1 to {number + 1}?")
        await world.ask_all()

    await queue(world, panel, "Why?", historyMode=mode)
    await world.ask_all()

    (ada,) = [
        asked[1]
        for what, asked in world.persona_engine.asked
        if what == "survey" and asked[0].name == "Ada" and asked[1].text == "Why?"
    ]
    turns = [
        (
            Turn("user", f"Question {number}: how much on a scale of 1 to {number + 1}?"),
            Turn("assistant", f"I am Ada, and I say {number + 1}.\nMy answer: {number + 1}"),
        )
        for number in reminded
    ]
    assert ada.earlier == tuple(turn for both in turns for turn in both)


async def test_a_persona_is_reminded_of_what_a_question_follows_up_on_however_long_ago_it_was(world: World) -> None:
    panel = await make_panel(world.engine, {"Old": ["Ada"]})
    asked, request = [], str(uuid4())
    for number in range(1, 9):
        named = {"clientRequestId": request} if number == 3 else {}
        text = f"Question {number}: how much on a scale of 1 to {number + 1}?"
        asked.append(await queue(world, panel, text, **named))
        await world.ask_all()

    await queue(world, panel, "Why?", historyMode="last5", followUpOf=asked[0])
    await queue(world, panel, "Why so?", historyMode="last5", followUpOf=request)
    await world.ask_all()

    said = {
        each[1].text: [turn.content.partition(":")[0] for turn in each[1].earlier if turn.role == "user"]
        for what, each in world.persona_engine.asked
        if what == "survey" and each[1].text.startswith("Why")
    }
    # What it follows up on stands last: "Why?" is asked of that.
    assert said["Why?"] == [f"Question {number}" for number in (5, 6, 7, 8, 1)]
    assert said["Why so?"] == [*(f"Question {number}" for number in (6, 7, 8)), "Why?", "Question 3"]


async def test_what_a_follow_up_asks_is_understood_and_searched_for_by_its_own_words(world: World) -> None:
    panel = await make_panel(world.engine, {"Old": ["Ada"]})
    first = await queue(world, panel, "How good is it on a scale of 1 to 5?")
    await world.ask_all()

    note = '\n\n(Follow-up for who answered 5 to the question "How good is it on a scale of 1 to 5?".)'
    again = await queue(world, panel, f"Which one: tea or coffee?{note}", historyMode="last5", followUpOf=first)
    await world.ask_all()

    question, _ = await stored(world.engine, again)
    last = [each[1] for what, each in world.persona_engine.asked if what == "survey"][-1]
    assert (question.type, [*question.options]) == ("categorical", ["tea", "coffee"])
    assert last.text == "Which one: tea or coffee?"


async def test_who_declined_is_reminded_of_that_or_told_what_is_followed_up(world: World) -> None:
    panel = await make_panel(world.engine, {"Old": ["Ada"]})
    says = ["I would rather not say.", ""]

    answer = world.persona_engine.survey

    async def declines(persona: Mind, question: SurveyQuestion, passages: Sequence[Passage]) -> SurveyAnswer:
        said = await answer(persona, question, passages)
        if question.text != "How much?":
            return said
        return replace(said, value="", raw_value="", message=says.pop(0), declined=True)

    world.persona_engine.survey = declines  # type: ignore[method-assign]  # one that declines one question
    note = '\n\n(Follow-up for Ada to the question "How much?".)'
    for _ in range(2):
        first = await queue(world, panel, "How much?")
        await world.ask_all()
        await queue(world, panel, "What do you drink?")
        await queue(world, panel, f"Why?{note}", historyMode="last5", followUpOf=first)
        await world.ask_all()

    told, untold = [one for one in _asked(world) if one.text.startswith("Why?")]
    assert [turn.content for turn in told.earlier][-2:] == ["How much?", "I would rather not say."]
    assert (told.text, untold.text) == ("Why?", f"Why?{note}")


@pytest.mark.slow
async def test_a_persona_that_takes_too_long_has_timed_out_and_costs_nobody_else_an_answer(world: World) -> None:
    panel = await make_panel(world.engine, {"Old": ["Ada", "Ben"]})
    world.settings = world.settings.model_copy(update={"answer_seconds": 1})
    held_up(world, "Ada")
    question_id = await queue(world, panel)
    await world.ask_all()

    question, (ada, ben) = await stored(world.engine, question_id)
    assert question.status == "completed"
    assert (ada.status, ada.error_code, ada.value) == ("timeout", "TIMEOUT", None)
    assert (ben.status, ben.error_code) == ("answered", None)


async def test_a_passing_failure_is_tried_once_more(world: World) -> None:
    panel = await make_panel(world.engine, {"Old": ["Ada"]})
    failures = [EngineUnavailable("busy", retryable=True, retry_after=0)]

    async def fails_once(_persona: Mind, _question: SurveyQuestion) -> None:
        if failures:
            raise failures.pop()

    world.persona_engine.on_survey = fails_once
    answer = await _outcome(world, panel)

    assert answer.status == "answered"
    assert surveyed(world) == ["Ada", "Ada"]


@pytest.mark.parametrize(
    ("error", "tries"),
    [
        (EngineUnavailable("busy", retryable=True, retry_after=0, kind="rate_limited"), 2),
        (EngineUnavailable("busy", retryable=True, kind="rate_limited"), 2),
        (EngineUnavailable("no", retryable=False, kind="rate_limited"), 1),
        (EngineUnavailable("later", retryable=True, retry_after=60, kind="rate_limited"), 1),
    ],
)
async def test_a_lasting_failure_has_the_engines_word_for_it(
    world: World, error: EngineUnavailable, tries: int
) -> None:
    panel = await make_panel(world.engine, {"Old": ["Ada"]})
    world.persona_engine.down = error

    answer = await _outcome(world, panel)

    assert (answer.status, answer.error_code, answer.value) == ("failed", "rate_limited", None)
    assert len(surveyed(world)) == tries


async def test_a_fault_in_one_persona_is_its_own(world: World) -> None:
    panel = await make_panel(world.engine, {"Old": ["Ada"]})
    world.persona_engine.broken = ZeroDivisionError("secret")

    answer = await _outcome(world, panel)

    assert (answer.status, answer.error_code, answer.message) == ("failed", "INTERNAL", None)


async def test_a_mind_that_was_deleted_meanwhile_is_not_asked(world: World) -> None:
    panel = await make_panel(world.engine, {"Old": ["Ada"]})
    question_id = await queue(world, panel)
    async with world.engine.begin() as connection:
        await delete_row(connection, Mind, panel.minds["Ada"])

    await world.ask_all()

    _, (answer,) = await stored(world.engine, question_id)
    assert (answer.status, answer.error_code, answer.mind_name) == ("failed", "MIND_GONE", "Ada")
    assert surveyed(world) == []


async def _put_into(world: World, panel: MadePanel, mind_id: str) -> None:
    async with world.engine.begin() as connection:
        member = {"audience_id": panel.audiences["Old"], "mind_id": mind_id, "position": -1}
        await connection.execute(audience_members.insert().values(member))


def test_an_answer_is_stored_with_what_it_stands_on() -> None:
    row = answered(SAID, {"i1": "example.com"}, is_open=False)

    (citation,) = row["citations"]
    assert answered(SAID, {}, is_open=False)["citations"][0]["source"] == "Tea"
    assert {**row, "citations": None} == {
        "status": "answered",
        "value": "4",
        "raw_value": "4/5",
        "message": "I like it.",
        "origin": "mind_knowledge",
        "unsupported": False,
        "chunks_found": 2,
        "citations": None,
        "engine": "fake",
        "codes": None,
    }
    meant = replace(SAID, value="", meant={"Shower": "Dusche"})
    assert answered(meant, {}, is_open=False)["codes"] == {"Shower": "Dusche"}
    assert len(citation.pop("snippet")) <= 300
    assert citation == {
        "id": "c1",
        "title": "Tea",
        "source": "example.com",
        "link": "https://example.com/tea",
        "page": 3,
        "similarity": 1.0,
    }
