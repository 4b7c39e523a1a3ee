"""Questions of a study as rows; who is asked is frozen in their answers when a question is asked."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, insert, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from app.internal_api.store.leases import claim_next, is_abandoned, is_live
from app.internal_api.store.rows import JobRow, find_all, find_one, parts, table_of, values


@dataclass(frozen=True, slots=True, kw_only=True)
class Question(JobRow):
    """One row of `questions`; its id is the contract's questionBlockId."""

    study_id: str
    owner_id: str
    question_message_id: str
    answer_message_id: str
    text: str
    type: str  # scale | categorical | multiselect | qualitative
    scale_low: int | None = None
    scale_high: int | None = None
    options: Sequence[str]
    most: int | None = None
    response_form: str
    history_mode: str
    source_policy: str | None = None
    context: str  # text of attachments and links, read once
    client_request_id: str | None = None
    engine: str | None = None
    started_at: int | None = None

    @property
    def scale(self) -> tuple[int, int] | None:
        """Lowest and highest point, both included."""
        if self.scale_low is None or self.scale_high is None:
            return None
        return self.scale_low, self.scale_high


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One row of `answers`: one persona asked as a member of one group, from `pending` to its end.

    Names and membership are those of the moment when the question is asked, for ever.
    """

    seq: int = 0  # given by the database
    id: str
    question_id: str
    position: int
    mind_id: str
    mind_name: str
    discipline: str | None
    profile_image_url: str | None
    audience_id: str
    audience_name: str
    status: str  # pending | answered | failed | timeout
    value: str | None = None
    raw_value: str | None = None
    message: str | None = None
    sentiment: float | None = None
    origin: str | None = None
    unsupported: bool | None = None
    chunks_found: int | None = None
    citations: Sequence[dict[str, Any]] | None = None  # of each passage: id, title, source, link, page, snippet, ...
    engine: str | None = None
    error_code: str | None = None
    answered_at: int | None = None


questions = table_of(Question, "questions")
answers = table_of(Answer, "answers")


async def insert_question(connection: AsyncConnection, question: Question, asked: Sequence[Answer]) -> None:
    """With a row for everybody who is asked. Raises IntegrityError when the client's request id is taken."""
    await connection.execute(insert(questions).values(values(question)))
    for some in parts(asked):
        await connection.execute(insert(answers), [values(answer) for answer in some])


async def find_request(connection: AsyncConnection, study_id: str, client_request_id: str) -> Question | None:
    """The question that a client asked under an id of its own."""
    of_request = (questions.c.study_id == study_id) & (questions.c.client_request_id == client_request_id)
    return await find_one(connection, Question, select(questions).where(of_request))


async def list_questions(connection: AsyncConnection, study_id: str) -> list[Question]:
    """Of one study, in the order in which they were asked."""
    of_study = select(questions).where(questions.c.study_id == study_id)
    return await find_all(connection, Question, of_study.order_by(questions.c.seq))


async def find_question(connection: AsyncConnection, question_id: str) -> Question | None:
    return await find_one(connection, Question, select(questions).where(questions.c.id == question_id))


async def find_question_of_message(connection: AsyncConnection, study_id: str, message_id: str) -> Question | None:
    """By either of its two messages, or by its own id."""
    ids = (questions.c.id, questions.c.question_message_id, questions.c.answer_message_id)
    named = or_(*(column == message_id for column in ids))
    wanted = select(questions).where(questions.c.study_id == study_id, named).limit(1)
    return await find_one(connection, Question, wanted)


async def claim_question(engine: AsyncEngine, lease_owner: str, now: int, milliseconds: int) -> Question | None:
    """The next question that nobody works on, taken; None when there is none.

    Whoever has the fewest questions running comes first, and then whoever asked first.
    """
    other = questions.alias()
    of_owner = select(func.count()).select_from(other).where(other.c.owner_id == questions.c.owner_id)
    running = of_owner.where(is_live(other, now)).correlate(questions).scalar_subquery()
    free = select(questions.c.id).where((questions.c.status == "queued") | is_abandoned(questions, now))
    lease: dict[str, Any] = {"lease_owner": lease_owner, "now": now, "milliseconds": milliseconds}
    return await claim_next(engine, questions, Question, free, running, **lease)
