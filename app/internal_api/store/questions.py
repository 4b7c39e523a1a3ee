"""Questions of a study and their answers as rows; membership is frozen in the answers when a question is asked."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.internal_api.study_tables import answers, questions

PART = 500  # rows of one insert


@dataclass(frozen=True, slots=True)
class Question:
    """One row of `questions`; times are epoch milliseconds."""

    seq: int  # given by the database; 0 before that
    id: str
    study_id: str
    owner_id: str
    question_message_id: str
    answer_message_id: str
    text: str
    type: str
    scale_low: int | None
    scale_high: int | None
    options: Sequence[str]
    most: int | None
    response_form: str
    history_mode: str
    source_policy: str | None
    context: str
    client_request_id: str | None
    status: str
    error_code: str | None
    engine: str | None
    attempt: int
    lease_owner: str | None
    lease_until: int | None
    created_at: int
    started_at: int | None
    completed_at: int | None

    @property
    def scale(self) -> tuple[int, int] | None:
        """Lowest and highest point, both included."""
        if self.scale_low is None or self.scale_high is None:
            return None
        return self.scale_low, self.scale_high


@dataclass(frozen=True, slots=True)
class Answer:
    """One row of `answers`: one persona asked as a member of one group, from `pending` to its end."""

    seq: int  # given by the database; 0 before that
    id: str
    question_id: str
    position: int
    mind_id: str
    mind_name: str
    discipline: str | None
    profile_image_url: str | None
    audience_id: str
    audience_name: str
    status: str
    value: str | None
    raw_value: str | None
    message: str | None
    sentiment: float | None
    origin: str | None
    unsupported: bool | None
    chunks_found: int | None
    citations: Sequence[dict[str, Any]] | None
    engine: str | None
    error_code: str | None
    answered_at: int | None


async def insert_question(connection: AsyncConnection, question: Question, asked: Sequence[Answer]) -> None:
    """With a row for everybody who is asked. Raises IntegrityError when the client's request id is taken."""
    await connection.execute(insert(questions).values(_row(question)))
    # In parts, so that a large panel holds nobody up for long.
    for start in range(0, len(asked), PART):
        await connection.execute(insert(answers), [_row(answer) for answer in asked[start : start + PART]])


async def find_request(connection: AsyncConnection, study_id: str, client_request_id: str) -> Question | None:
    """The question that a client asked under an id of its own."""
    of_request = (questions.c.study_id == study_id) & (questions.c.client_request_id == client_request_id)
    row = (await connection.execute(select(questions).where(of_request))).mappings().one_or_none()
    return None if row is None else Question(**row)


async def list_questions(connection: AsyncConnection, study_id: str) -> list[Question]:
    """Of one study, in the order in which they were asked."""
    rows = await connection.execute(select(questions).where(questions.c.study_id == study_id).order_by(questions.c.seq))
    return [Question(**row) for row in rows.mappings()]


async def find_question(connection: AsyncConnection, question_id: str) -> Question | None:
    row = (await connection.execute(select(questions).where(questions.c.id == question_id))).mappings().one_or_none()
    return None if row is None else Question(**row)


async def answers_of(connection: AsyncConnection, question_id: str) -> list[Answer]:
    """In the order of the groups and their members."""
    rows = await connection.execute(
        select(answers).where(answers.c.question_id == question_id).order_by(answers.c.position)
    )
    return [Answer(**row) for row in rows.mappings()]


def _row(entity: Question | Answer) -> dict[str, Any]:
    names = (field.name for field in fields(entity))
    return {name: getattr(entity, name) for name in names if name != "seq"}
