"""What is read of all that a study was answered: whose message it is, and whether anything changed."""

from hashlib import sha256

from sqlalchemy import func, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.internal_api.store.questions import Question
from app.internal_api.study_tables import answers, questions


async def find_question_of_message(connection: AsyncConnection, study_id: str, message_id: str) -> Question | None:
    """By either of its two messages, or by its own id."""
    named = or_(
        questions.c.id == message_id,
        questions.c.question_message_id == message_id,
        questions.c.answer_message_id == message_id,
    )
    found = await connection.execute(select(questions).where(questions.c.study_id == study_id, named).limit(1))
    row = found.mappings().one_or_none()
    return None if row is None else Question(**row)


async def has_answers(connection: AsyncConnection, study_id: str) -> bool:
    """Whether anybody has answered anything."""
    of_study = select(answers.c.id).join(questions, answers.c.question_id == questions.c.id)
    answered = of_study.where(questions.c.study_id == study_id, answers.c.status == "answered").limit(1)
    return (await connection.execute(answered)).first() is not None


async def source_version(connection: AsyncConnection, study_id: str, name: str) -> str:
    """Another word whenever a report of the study would be another: with every answer, and every end of a question."""
    ended = (answers.c.question_id == questions.c.id) & (answers.c.status != "pending")
    told = (
        select(questions.c.id, questions.c.status, func.count(answers.c.id), func.max(answers.c.answered_at))
        .select_from(questions.outerjoin(answers, ended))
        .where(questions.c.study_id == study_id)
        .group_by(questions.c.seq, questions.c.id, questions.c.status)
        .order_by(questions.c.seq)
    )
    rows = [tuple(row) for row in await connection.execute(told)]
    return sha256(repr((name, rows)).encode()).hexdigest()
