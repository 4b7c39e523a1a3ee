"""A question and everybody who is asked are stored together, once for each request."""

from dataclasses import replace
from uuid import UUID

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from app.internal_api.principals import Principal
from app.internal_api.store import rows as row_module
from app.internal_api.store.questions import (
    Answer,
    Question,
    answers_of,
    claim_question,
    insert_question,
    list_questions,
)
from app.internal_api.store.rows import find_row
from tests.app.internal_api.panels.rows import another, answers, pending
from tests.app.internal_api.panels.stored import STUDY, store_study
from tests.app.internal_api.support import ADA, BOB

REQUEST = str(UUID(int=500))


async def _insert(engine: AsyncEngine, question: Question, asked: list[Answer]) -> None:
    own = [replace(answer, question_id=question.id) for answer in asked]
    async with engine.begin() as connection:
        await insert_question(connection, question, own)


async def test_what_was_stored_is_found_as_it_was(engine: AsyncEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_module, "PART", 2)
    await store_study(engine)
    question, asked = another(1, "scale", client_request_id=REQUEST), [*answers("5", "4", "3", "2"), pending(4)]

    await _insert(engine, question, asked)

    async with engine.connect() as connection:
        found = await find_row(connection, Question, question.id)
        rows = await answers_of(connection, question.id)
        assert await list_questions(connection, STUDY.id) == [found]
    assert found is not None
    assert replace(found, seq=0, options=()) == replace(question, options=())
    assert [replace(row, seq=0) for row in rows] == [replace(answer, question_id=question.id) for answer in asked]


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


async def test_an_owner_with_fewer_running_questions_comes_first_and_then_the_oldest(engine: AsyncEngine) -> None:
    asked = await _queued(engine, ADA, ADA, ADA, BOB, BOB)

    taken = [(await _taken(engine, name)).id for name in "abcde"]

    assert taken == [asked[number] for number in (0, 3, 1, 4, 2)]
    assert await claim_question(engine, "f", 10, 100) is None
