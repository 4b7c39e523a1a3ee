"""A question is taken by one worker, in its owner's turn."""

import asyncio
from dataclasses import replace
from uuid import UUID, uuid4

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from app.internal_api.principals import Principal
from app.internal_api.store.leases import Lease, LeaseLost, give_back, hold
from app.internal_api.store.question_claims import claim_question
from app.internal_api.store.questions import Question
from app.internal_api.study_tables import questions
from tests.app.internal_api.panels.rows import another
from tests.app.internal_api.panels.stored import STUDY, store_study
from tests.app.internal_api.support import ADA, BOB


async def _queued(engine: AsyncEngine, *owners: Principal) -> list[str]:
    """A study with a question of each of these owners, in this order."""
    asked = [
        another(number, status="queued", attempt=0, owner_id=owner.user_id, started_at=None, completed_at=None)
        for number, owner in enumerate(owners)
    ]
    await store_study(engine, [(question, []) for question in asked], replace(STUDY, id=asked[0].study_id))
    return [question.id for question in asked]


async def _taken(engine: AsyncEngine, owner: str, now: int = 10) -> Question:
    question = await claim_question(engine, owner, now, 100)
    assert question is not None
    return question


async def test_many_claims_at_once_take_one_question_once(engine: AsyncEngine) -> None:
    (question_id,) = await _queued(engine, ADA)

    taken = await asyncio.gather(*(claim_question(engine, uuid4().hex, 10, 100) for _ in range(8)))

    (question,) = [each for each in taken if each is not None]
    assert (question.id, question.status, question.attempt) == (question_id, "running", 1)
    assert (question.started_at, question.lease_until) == (10, 110)


async def test_an_owner_with_fewer_running_questions_comes_first_and_then_the_oldest(engine: AsyncEngine) -> None:
    asked = await _queued(engine, ADA, ADA, ADA, BOB, BOB)

    taken = [(await _taken(engine, name)).id for name in "abcde"]

    assert taken == [asked[number] for number in (0, 3, 1, 4, 2)]
    assert await claim_question(engine, "f", 10, 100) is None


async def test_an_abandoned_question_is_taken_over_and_lost_to_its_first_owner(engine: AsyncEngine) -> None:
    await _queued(engine, ADA)
    first = await _taken(engine, "a", 10)

    early, late = await claim_question(engine, "b", 110, 100), await claim_question(engine, "b", 111, 100)

    assert early is None
    assert late is not None
    assert (late.id, late.attempt, late.started_at) == (first.id, 2, 10)
    with pytest.raises(LeaseLost):
        async with engine.begin() as connection:
            await hold(connection, Lease(first.id, "a", 100, questions), 112)


async def test_a_question_given_back_is_free_at_once_and_the_attempt_does_not_count(engine: AsyncEngine) -> None:
    await _queued(engine, ADA)
    await _taken(engine, "a")

    await give_back(engine, questions, "a")

    assert (await _taken(engine, "b", 11)).attempt == 1


async def test_a_question_that_has_ended_is_not_taken(engine: AsyncEngine) -> None:
    await store_study(engine, [(replace(another(1), id=str(UUID(int=5))), [])])

    assert await claim_question(engine, "a", 10**15, 100) is None
