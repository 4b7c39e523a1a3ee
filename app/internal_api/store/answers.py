"""Answers as rows, from the moment when somebody is asked until all have landed and a report can be made of them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from sqlalchemy import func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from app.internal_api.store.questions import Answer, Question, answers, questions
from app.internal_api.store.rows import count, find_all

PENDING = "pending"


@dataclass(frozen=True, slots=True)
class Said:
    """What a mind answered to an earlier question of the same study."""

    question: str
    type: str
    value: str | None
    message: str | None


async def answers_of(connection: AsyncConnection, question_id: str) -> list[Answer]:
    """In the order of the groups and their members."""
    of_question = select(answers).where(answers.c.question_id == question_id)
    return await find_all(connection, Answer, of_question.order_by(answers.c.position))


async def pending_minds(connection: AsyncConnection, question_id: str) -> list[str]:
    """Each once, in the order of the groups and their members."""
    waiting = select(answers.c.mind_id).where(answers.c.question_id == question_id, answers.c.status == PENDING)
    rows = await connection.execute(waiting.group_by(answers.c.mind_id).order_by(func.min(answers.c.position)))
    return list(rows.scalars())


async def land(
    connection: AsyncConnection, question_id: str, mind_id: str, values: Mapping[str, Any], now: int
) -> None:
    """Write what a mind answered to all its rows, once: what is there already stays as it is."""
    of_mind = (answers.c.question_id == question_id) & (answers.c.mind_id == mind_id)
    waiting = update(answers).where(of_mind, answers.c.status == PENDING)
    await connection.execute(waiting.values(**values, answered_at=now))


async def end_pending(connection: AsyncConnection, question_id: str, error_code: str, now: int) -> None:
    """Nobody who has not answered yet will be asked any more."""
    waiting = update(answers).where(answers.c.question_id == question_id, answers.c.status == PENDING)
    await connection.execute(waiting.values(status="failed", error_code=error_code, answered_at=now))


async def landed_answers(connection: AsyncConnection, question_id: str, known: Collection[str]) -> list[Answer]:
    """Those that came to their end and are not `known` by their ids, in the order in which they did."""
    ended = (answers.c.question_id == question_id) & (answers.c.status != PENDING)
    wanted = select(answers).where(ended).order_by(answers.c.answered_at, answers.c.position)
    if known:
        # Mostly there is little new: the ids of all are read, and the texts of the new ones only.
        ids = (await connection.execute(select(answers.c.id).where(ended))).scalars()
        wanted = wanted.where(answers.c.id.in_([found for found in ids if found not in known]))
    return await find_all(connection, Answer, wanted)


async def count_answers(connection: AsyncConnection, question_id: str) -> int:
    """All rows of a question, whether they have landed or not."""
    return await count(connection, answers, answers.c.question_id == question_id)


async def audiences_asked(connection: AsyncConnection, question_id: str) -> set[str]:
    """The ids of the groups that had somebody in them when the question was asked."""
    of_question = select(answers.c.audience_id).where(answers.c.question_id == question_id).distinct()
    return set((await connection.execute(of_question)).scalars())


async def said_before(connection: AsyncConnection, question: Question, mind_id: str, limit: int) -> Sequence[Said]:
    """What a mind answered to the last `limit` questions of the study before this one, oldest first."""
    said = select(questions.c.seq, questions.c.text, questions.c.type, answers.c.value, answers.c.message)
    of_mind = said.join(answers, answers.c.question_id == questions.c.id).where(
        questions.c.study_id == question.study_id,
        questions.c.seq < question.seq,
        answers.c.mind_id == mind_id,
        answers.c.status == "answered",
    )
    # A mind in two groups has two equal rows for each question.
    rows = (await connection.execute(of_mind.distinct().order_by(questions.c.seq.desc()).limit(limit))).all()
    return [Said(row.text, row.type, row.value, row.message) for row in reversed(rows)]


async def has_answers(connection: AsyncConnection, study_id: str) -> bool:
    """Whether anybody has answered anything."""
    of_study = select(answers.c.id).join(questions, answers.c.question_id == questions.c.id)
    answered = of_study.where(questions.c.study_id == study_id, answers.c.status == "answered").limit(1)
    return (await connection.execute(answered)).first() is not None


async def source_version(connection: AsyncConnection, study_id: str, name: str) -> str:
    """A digest that changes whenever a report would: with the study's name, every answer, every end of a question."""
    ended = (answers.c.question_id == questions.c.id) & (answers.c.status != PENDING)
    state = (
        select(questions.c.id, questions.c.status, func.count(answers.c.id), func.max(answers.c.answered_at))
        .select_from(questions.outerjoin(answers, ended))
        .where(questions.c.study_id == study_id)
        .group_by(questions.c.seq, questions.c.id, questions.c.status)
        .order_by(questions.c.seq)
    )
    rows = [tuple(row) for row in await connection.execute(state)]
    return sha256(repr((name, rows)).encode()).hexdigest()
