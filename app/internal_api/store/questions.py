"""Questions of a study as rows, and their answers: a row for everybody who is asked, frozen at that moment."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from hashlib import sha256
from typing import Any

from sqlalchemy import String, bindparam, case, cast, func, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from app.internal_api.store.leases import claim_next, is_abandoned, is_live
from app.internal_api.store.rows import JobRow, count, find_all, insert_row, new_id, parts, table_of, values


@dataclass(frozen=True, slots=True, kw_only=True)
class Question(JobRow):
    """One row of `questions`; its id is the contract's questionBlockId."""

    study_id: str
    owner_id: str
    question_message_id: str = new_id()
    answer_message_id: str = new_id()
    text: str
    type: str  # scale | categorical | multiselect | qualitative
    scale_low: int | None = None
    scale_high: int | None = None
    options: Sequence[str]
    most: int | None = None
    response_form: str
    history_mode: str
    source_policy: str | None = None
    follow_up_of: str | None = None  # an earlier question of the study, whose answers are remembered with this one
    context: str  # text of attachments and links, read once
    client_request_id: str | None = None
    engine: str | None = None
    started_at: int | None = None
    usage: Mapping[str, int] | None = None  # calls to the language model, and tokens
    sampled: Mapping[str, Any] | None = None  # of the caller's own language model: its name and its replies
    codebook: Mapping[str, Any] | None = None  # of an open question: its codes, who made them, and what was changed
    coding_failure: Mapping[str, str | None] | None = None  # why a language model did not make them

    @property
    def scale(self) -> tuple[int, int] | None:
        """Lowest and highest point, both included."""
        low, high = self.scale_low, self.scale_high
        return None if low is None or high is None else (low, high)


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One mind in one group: what an answer keeps for ever of who was asked."""

    audience_id: str
    audience_name: str
    mind_id: str
    mind_name: str
    discipline: str | None
    profile_image_url: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer(Member):
    """One row of `answers`: one persona asked as a member of one group, from `pending` to its end.

    Names and membership are those of the moment when the question is asked, for ever.
    """

    seq: int = 0  # given by the database
    id: str = new_id()
    question_id: str
    position: int
    status: str  # pending | answered | declined | uncoded | failed | timeout
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
    coded: Mapping[str, Any] | None = None  # by hand: by whom, at what time, and what was there before
    codes: Mapping[str, str] | None = None  # the id of each of its codes, or what option it may mean, with a quote
    stance: str | None = None  # towards the question's premise: agrees | disagrees | neither


PENDING = "pending"
MEMBER = tuple(each.name for each in fields(Member))
CODED = ("status", "value", "answered_at", "codes")  # what a coding by hand changes of an answer


questions = table_of(Question, "questions")
answers = table_of(Answer, "answers")


async def insert_question(connection: AsyncConnection, question: Question, asked: Sequence[Answer]) -> None:
    """With a row for everybody who is asked. Raises IntegrityError when the client's request id is taken."""
    await insert_row(connection, question)
    for some in parts(asked):
        await connection.execute(insert(answers), [values(answer) for answer in some])


async def list_questions(connection: AsyncConnection, study_id: str) -> list[Question]:
    """Of one study, in the order in which they were asked."""
    of_study = select(questions).where(questions.c.study_id == study_id)
    return await find_all(connection, Question, of_study.order_by(questions.c.seq))


async def claim_question(engine: AsyncEngine, lease_owner: str, now: int, milliseconds: int) -> Question | None:
    """The next question that nobody works on, taken; None when there is none.

    Whoever has the fewest questions running comes first, and then whoever asked first.
    """
    other = questions.alias()
    of_owner = select(func.count()).select_from(other).where(other.c.owner_id == questions.c.owner_id)
    running = of_owner.where(is_live(other, now)).correlate(questions).scalar_subquery()
    free = select(questions.c.id).where((questions.c.status == "queued") | is_abandoned(questions, now))
    return await claim_next(engine, Question, free, lease_owner, now, milliseconds, turns=(running,))


async def answers_of(connection: AsyncConnection, question_id: str) -> list[Answer]:
    """In the order of the groups and their members."""
    of_question = select(answers).where(answers.c.question_id == question_id)
    return await find_all(connection, Answer, of_question.order_by(answers.c.position))


async def pending_minds(connection: AsyncConnection, question_id: str) -> list[str]:
    """Each once, in the order of the groups and their members."""
    waiting = select(answers.c.mind_id).where(answers.c.question_id == question_id, answers.c.status == PENDING)
    rows = await connection.execute(waiting.group_by(answers.c.mind_id).order_by(func.min(answers.c.position)))
    return list(rows.scalars())


async def record_answer(
    connection: AsyncConnection, question_id: str, mind_id: str | None, values: Mapping[str, Any], now: int
) -> None:
    """Write what a mind answered to all its rows, once: what is there already stays as it is. None is every mind."""
    waiting = update(answers).where(answers.c.question_id == question_id, answers.c.status == PENDING)
    if mind_id is not None:
        waiting = waiting.where(answers.c.mind_id == mind_id)
    await connection.execute(waiting.values(**values, answered_at=now))


async def told_as(connection: AsyncConnection, question_id: str, engine: str, own: str) -> str:
    """The engine, and how many of those who were asked it answered for, such as ` (24 of 36)`, where it is not all.
    Where it is nobody, the service's `own` answered.
    """
    its = case((answers.c.engine == engine, answers.c.mind_id))
    counts = select(func.count(answers.c.mind_id.distinct()), func.count(its.distinct()))
    asked, mine = (await connection.execute(counts.where(answers.c.question_id == question_id))).one()
    told = engine if mine else f"{own} ({engine.partition(':')[0]}: 0 of {asked})"
    return f"{told} ({mine} of {asked})" if 0 < mine < asked else told


async def code_answers(connection: AsyncConnection, rows: Sequence[Answer], coded: Mapping[str, Any]) -> None:
    """Write a coding by hand, or take it back, in all rows of one mind."""
    await connection.execute(update(answers).where(answers.c.id.in_([row.id for row in rows])).values(**coded))


async def finished_answers(connection: AsyncConnection, question_id: str, known: Collection[str]) -> list[Answer]:
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


async def coded_alike(connection: AsyncConnection, question: Question, *, lock: bool = False) -> list[Question]:
    """All askings of this question in its study that have a codebook, latest first; with `lock`, until the commit."""
    of_study = select(questions).where(questions.c.study_id == question.study_id, questions.c.type == question.type)
    latest_first = of_study.order_by(questions.c.seq.desc())
    found = await find_all(connection, Question, latest_first.with_for_update() if lock else latest_first)
    return [one for one in found if one.codebook and are_alike(one, question)]


def are_alike(one: Question, other: Question) -> bool:
    """Whether they are the same question, asked twice."""
    first, second = (" ".join(each.text.split()).casefold() for each in (one, other))
    return first == second and one.type == other.type


async def write_codings(connection: AsyncConnection, question_id: str, codings: Mapping[str, Any]) -> None:
    """The `codes`, the `stance` and who coded it by hand of what each mind answered, in all its rows."""
    of_mind = (answers.c.question_id == question_id) & (answers.c.mind_id == bindparam("of_mind"))
    new: dict[str, Any] = {name: bindparam(f"new_{name}") for name in ("codes", "stance", "coded")}
    change, said = update(answers).where(of_mind).values(**new), codings.items()
    rows = [{f"new_{name}": getattr(one, name) or None for name in new} | {"of_mind": mind} for mind, one in said]
    for some in parts(rows):
        await connection.execute(change, some)


async def audiences_asked(connection: AsyncConnection, question_id: str) -> set[str]:
    """The ids of the groups that had somebody in them when the question was asked."""
    of_question = select(answers.c.audience_id).where(answers.c.question_id == question_id).distinct()
    return set((await connection.execute(of_question)).scalars())


async def said_before(connection: AsyncConnection, question: Question, mind_id: str, limit: int) -> list[Any]:
    """What a mind answered to the last questions before this one, oldest first, and to what it follows up on: `limit`.

    That stands last, so that "Why?" is asked of it. Of each the text and the type of the question, and the value and
    the message of the answer.
    """
    base = or_(*(name == (question.follow_up_of or "") for name in (questions.c.id, questions.c.client_request_id)))
    is_base = case((base, 0), else_=1).label("is_base")
    said = select(questions.c.seq, questions.c.text, questions.c.type, answers.c.value, answers.c.message, is_base)
    of_mind = said.join(answers, answers.c.question_id == questions.c.id).where(
        questions.c.study_id == question.study_id,
        questions.c.seq < question.seq,
        answers.c.mind_id == mind_id,
        answers.c.status.in_(("answered", "uncoded")) | (answers.c.message != ""),  # who declined in words, too
    )
    # A mind in two groups has two equal rows for each question.
    nearest = of_mind.distinct().order_by(is_base, questions.c.seq.desc()).limit(limit)
    return sorted((await connection.execute(nearest)).all(), key=lambda row: (-row.is_base, row.seq))


async def has_answers(connection: AsyncConnection, study_id: str) -> bool:
    """Whether anybody has answered anything."""
    of_study = select(answers.c.id).join(questions, answers.c.question_id == questions.c.id)
    answered = of_study.where(questions.c.study_id == study_id, answers.c.status.in_(("answered", "uncoded"))).limit(1)
    return (await connection.execute(answered)).first() is not None


async def source_version(connection: AsyncConnection, study_id: str, name: str) -> str:
    """A digest that changes whenever a report would: with the study's name, every answer, every end of a question."""
    ended = (answers.c.question_id == questions.c.id) & (answers.c.status != PENDING)
    codebook = func.max(cast(questions.c.codebook, String))
    state = (
        select(questions.c.id, questions.c.status, func.count(answers.c.id), func.sum(answers.c.answered_at), codebook)
        .select_from(questions.outerjoin(answers, ended))
        .where(questions.c.study_id == study_id)
        .group_by(questions.c.seq, questions.c.id, questions.c.status)
        .order_by(questions.c.seq)
    )
    rows = [tuple(row) for row in await connection.execute(state)]
    return sha256(repr((name, rows)).encode()).hexdigest()
