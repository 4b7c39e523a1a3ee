"""Answers land once, in all rows of a mind, and stay as they are."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from sqlalchemy import update
from sqlalchemy.ext.asyncio import AsyncEngine

from app.internal_api.store.answers import (
    Said,
    answers_of,
    audiences_asked,
    count_answers,
    end_pending,
    has_answers,
    land,
    landed_answers,
    pending_minds,
    said_before,
    source_version,
)
from app.internal_api.store.questions import Answer, find_question_of_message, list_questions
from app.internal_api.store.questions import answers as answers_table
from app.internal_api.store.questions import questions as questions_table
from tests.app.internal_api.panels.rows import another, answer, answers, pending, question
from tests.app.internal_api.panels.stored import BOBS_STUDY, STUDY, at, store_question, store_study

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


async def test_a_question_is_found_by_each_of_its_ids_in_its_own_study_only(engine: AsyncEngine) -> None:
    first, second = another(1), another(2)
    await store_study(engine, [(first, answers("Price")), (second, [])])
    await store_study(engine, study=BOBS_STUDY)

    async with engine.connect() as connection:
        found = [
            await find_question_of_message(connection, STUDY.id, message_id)
            for message_id in (second.id, second.question_message_id, second.answer_message_id, STUDY.id)
        ]
        elsewhere = await find_question_of_message(connection, BOBS_STUDY.id, second.id)

    assert [question and question.id for question in found] == [second.id, second.id, second.id, None]
    assert elsewhere is None


async def test_only_what_was_answered_is_an_answer(engine: AsyncEngine) -> None:
    question = another(1)
    await store_study(engine, [(question, [pending(0), answer(None, position=1)])])

    async with engine.begin() as connection:
        before = await has_answers(connection, STUDY.id)
        await store_question(connection, another(2), answers("Price"))
        after = await has_answers(connection, STUDY.id)

    assert (before, after) == (False, True)


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
