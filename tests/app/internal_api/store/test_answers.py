"""Answers land once, in all rows of a mind, and stay as they are."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from sqlalchemy import update
from sqlalchemy.ext.asyncio import AsyncEngine

from app.internal_api.store.questions import answers as answers_table
from app.internal_api.store.questions import (
    answers_of,
    finished_answers,
    list_questions,
    record_answer,
    said_before,
    source_version,
)
from app.internal_api.store.questions import questions as questions_table
from tests.app.internal_api.panels.rows import another, answer, answers, pending, question
from tests.app.internal_api.panels.stored import STUDY, at, store_study

ASKED = question("scale", status="running")
ADA, BEN = str(UUID(int=2000)), str(UUID(int=2001))
VALUES: dict[str, Any] = {"status": "answered", "value": "4", "message": "Yes.", "citations": [{"id": "c"}]}


async def _statuses(engine: AsyncEngine) -> Sequence[tuple[str, str | None]]:
    async with engine.connect() as connection:
        return [(row.status, row.value) for row in await answers_of(connection, ASKED.id)]


async def test_what_has_landed_is_never_written_again(engine: AsyncEngine) -> None:
    await store_study(engine, [(ASKED, [pending(0)])])

    async with engine.begin() as connection:
        await record_answer(connection, ASKED.id, ADA, VALUES, 70)
        await record_answer(connection, ASKED.id, ADA, {**VALUES, "value": "1"}, 80)
        await record_answer(connection, ASKED.id, None, {"status": "failed"}, 90)

    assert await _statuses(engine) == [("answered", "4")]


async def test_news_are_what_is_not_known_in_the_order_of_landing(engine: AsyncEngine) -> None:
    given = [
        answer("1", position=0, answered_at=30),
        answer("2", position=1, answered_at=20),
        pending(2),
        answer("3", position=3, answered_at=20),
    ]
    await store_study(engine, [(ASKED, given)])

    async with engine.connect() as connection:
        everything = await finished_answers(connection, ASKED.id, set())
        news = await finished_answers(connection, ASKED.id, {everything[0].id})
        nothing = await finished_answers(connection, ASKED.id, {row.id for row in everything})

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

    assert [(row.text, row.type, row.value, row.message) for row in all_of_it] == [
        ("Question 0", "scale", "2", "It costs too much."),
        ("Question 1", "scale", "3", "It costs too much."),
    ]
    assert one == all_of_it[1:]


async def test_the_version_changes_with_every_answer_and_stays_without(engine: AsyncEngine) -> None:
    question = another(1, status="running")
    await store_study(engine, [(question, [pending(0), pending(1)])])
    changes = [
        update(answers_table).where(answers_table.c.position == 0).values(status="answered", answered_at=at(1)),
        update(answers_table).where(answers_table.c.position == 1).values(status="failed", answered_at=at(1)),
        update(questions_table).values(status="completed"),
    ]

    async with engine.begin() as connection:
        versions = [await source_version(connection, STUDY.id, "Pricing")]
        for change in changes:
            await connection.execute(change)
            versions.append(await source_version(connection, STUDY.id, "Pricing"))
        again = await source_version(connection, STUDY.id, "Pricing")
        renamed = await source_version(connection, STUDY.id, "Prices")

    assert len({*versions, renamed}) == 5
    assert again == versions[-1]
    assert len(again) == 64
