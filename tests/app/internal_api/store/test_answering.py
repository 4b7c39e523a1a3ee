"""Answers land once, in all rows of a mind, and stay as they are."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncEngine

from app.internal_api.store.answering import (
    Said,
    audiences_asked,
    count_answers,
    end_pending,
    land,
    landed_answers,
    pending_minds,
    said_before,
)
from app.internal_api.store.questions import Answer, answers_of, list_questions
from tests.app.internal_api.panels.rows import another, answer, answers, pending, question
from tests.app.internal_api.panels.stored import STUDY, store_study

ASKED = question("scale", status="running")
ADA, BEN = str(UUID(int=2000)), str(UUID(int=2001))
VALUES: dict[str, Any] = {"status": "answered", "value": "4", "message": "Yes.", "citations": [{"id": "c"}]}


def _both_in_both_groups() -> list[Answer]:
    twice = [replace(pending(2, "Parents"), mind_id=BEN), replace(pending(3, "Parents"), mind_id=ADA)]
    return [pending(0), pending(1), *twice]


async def _statuses(engine: AsyncEngine) -> Sequence[tuple[str, str | None]]:
    async with engine.connect() as connection:
        return [(row.status, row.value) for row in await answers_of(connection, ASKED.id)]


async def test_who_is_still_to_be_asked_is_named_once_in_order(engine: AsyncEngine) -> None:
    await store_study(engine, [(ASKED, [*_both_in_both_groups(), answer("5", position=9)])])

    async with engine.connect() as connection:
        assert await pending_minds(connection, ASKED.id) == [ADA, BEN]
        assert await count_answers(connection, ASKED.id) == 5
        assert await audiences_asked(connection, ASKED.id) == {answer().audience_id, pending(2, "Parents").audience_id}


async def test_an_answer_lands_in_all_rows_of_its_mind_and_in_no_others(engine: AsyncEngine) -> None:
    await store_study(engine, [(ASKED, _both_in_both_groups())])

    async with engine.begin() as connection:
        await land(connection, ASKED.id, ADA, VALUES, 70)

    async with engine.connect() as connection:
        landed = await landed_answers(connection, ASKED.id, set())
        assert await pending_minds(connection, ASKED.id) == [BEN]
    assert await _statuses(engine) == [("answered", "4"), ("pending", None), ("pending", None), ("answered", "4")]
    assert [(row.answered_at, row.citations) for row in landed] == [(70, [{"id": "c"}])] * 2


async def test_what_has_landed_is_never_written_again(engine: AsyncEngine) -> None:
    await store_study(engine, [(ASKED, [pending(0)])])

    async with engine.begin() as connection:
        await land(connection, ASKED.id, ADA, VALUES, 70)
        await land(connection, ASKED.id, ADA, {**VALUES, "value": "1"}, 80)
        await end_pending(connection, ASKED.id, "INTERRUPTED", 90)

    assert await _statuses(engine) == [("answered", "4")]


async def test_those_who_are_left_fail_with_the_reason(engine: AsyncEngine) -> None:
    await store_study(engine, [(ASKED, [answer("5", position=0), pending(1)])])

    async with engine.begin() as connection:
        await end_pending(connection, ASKED.id, "INTERRUPTED", 90)

    async with engine.connect() as connection:
        first, last = await answers_of(connection, ASKED.id)
    assert first.status == "answered"
    assert (last.status, last.error_code, last.answered_at) == ("failed", "INTERRUPTED", 90)


async def test_news_are_what_is_not_known_in_the_order_of_landing(engine: AsyncEngine) -> None:
    given = [
        answer("1", position=0, answered_at=30),
        answer("2", position=1, answered_at=20),
        pending(2),
        answer("3", position=3, answered_at=20),
    ]
    await store_study(engine, [(ASKED, given)])

    async with engine.connect() as connection:
        everything = await landed_answers(connection, ASKED.id, set())
        news = await landed_answers(connection, ASKED.id, {everything[0].id})
        nothing = await landed_answers(connection, ASKED.id, {row.id for row in everything})

    assert [row.value for row in everything] == ["2", "3", "1"]
    assert [row.value for row in news] == ["3", "1"]
    assert nothing == []


async def test_a_mind_is_reminded_of_its_own_answers_in_this_study_before_this_question(engine: AsyncEngine) -> None:
    asked = [another(number, "scale", text=f"Question {number}") for number in range(5)]
    twice = [*answers("3"), replace(answer("3", position=7, group="Parents"), mind_id=ADA)]
    failed = answers(None)
    others = [replace(row, mind_id=BEN) for row in answers("1")]
    await store_study(engine, list(zip(asked, [answers("2"), twice, failed, others, answers("5")], strict=True)))
    elsewhere = [replace(another(9, text="Elsewhere"), study_id=str(UUID(int=77)))]
    await store_study(engine, [(elsewhere[0], answers("4"))], replace(STUDY, id=str(UUID(int=77))))

    async with engine.connect() as connection:
        last = (await list_questions(connection, STUDY.id))[4]
        all_of_it = await said_before(connection, last, ADA, 5)
        one = await said_before(connection, last, ADA, 1)

    assert all_of_it == [
        Said("Question 0", "scale", "2", "It costs too much."),
        Said("Question 1", "scale", "3", "It costs too much."),
    ]
    assert one == all_of_it[1:]
