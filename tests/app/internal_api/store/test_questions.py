"""A question and everybody who is asked are stored together, once for each request."""

from dataclasses import replace
from uuid import UUID

import pytest
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine

from app.internal_api.store import questions as store
from app.internal_api.store.questions import (
    Answer,
    Question,
    answers_of,
    find_question,
    find_request,
    insert_question,
    list_questions,
)
from tests.app.internal_api.panels.rows import another, answers, pending
from tests.app.internal_api.panels.stored import STUDY, store_study

REQUEST = str(UUID(int=500))


async def _insert(engine: AsyncEngine, question: Question, asked: list[Answer]) -> None:
    own = [replace(answer, question_id=question.id) for answer in asked]
    async with engine.begin() as connection:
        await insert_question(connection, question, own)


async def test_what_was_stored_is_found_as_it_was(engine: AsyncEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "PART", 2)
    await store_study(engine)
    question, asked = another(1, "scale", client_request_id=REQUEST), [*answers("5", "4", "3", "2"), pending(4)]

    await _insert(engine, question, asked)

    async with engine.connect() as connection:
        found = await find_question(connection, question.id)
        rows = await answers_of(connection, question.id)
        assert await find_request(connection, STUDY.id, REQUEST) == found
        assert await list_questions(connection, STUDY.id) == [found]
    assert found is not None
    assert replace(found, seq=0, options=()) == replace(question, options=())
    assert [replace(row, seq=0) for row in rows] == [replace(answer, question_id=question.id) for answer in asked]


async def test_a_request_is_stored_once_in_each_study(engine: AsyncEngine) -> None:
    other = replace(STUDY, id=str(UUID(int=98)))
    await store_study(engine)
    await store_study(engine, study=other)
    await _insert(engine, another(1, client_request_id=REQUEST), answers("Price"))

    with pytest.raises(IntegrityError):
        await _insert(engine, another(2, client_request_id=REQUEST), answers("Price"))
    elsewhere = another(3, client_request_id=REQUEST, study_id=other.id)
    await _insert(engine, elsewhere, [replace(answer, id=str(UUID(int=7))) for answer in answers("Price")])

    async with engine.connect() as connection:
        found = await find_request(connection, other.id, REQUEST)
        assert await find_question(connection, another(2).id) is None
        assert await find_request(connection, STUDY.id, str(UUID(int=501))) is None
    assert found is not None
    assert found.id == elsewhere.id
