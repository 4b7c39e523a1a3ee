"""Which question is next: taken fairly between owners."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, func, select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from app.internal_api.store.leases import finds_any, is_live, taking
from app.internal_api.store.questions import Question
from app.internal_api.study_tables import questions


async def claim_question(engine: AsyncEngine, lease_owner: str, now: int, milliseconds: int) -> Question | None:
    """The next question that nobody works on, taken; None when there is none.

    Whoever has the fewest questions running comes first, and then whoever asked first.
    """
    free = select(questions.c.id).where(_is_free(now)).limit(1)
    if not await finds_any(engine, free):
        return None
    # One statement: PostgreSQL locks the row that it chooses, SQLite lets one writer in at a time.
    chosen = free.order_by(*_turns(now)).with_for_update(skip_locked=True).scalar_subquery()
    take = update(questions).where(questions.c.id == chosen)
    async with engine.begin() as connection:
        taken = take.values(taking(questions, lease_owner, now, milliseconds)).returning(*questions.c)
        row = (await connection.execute(taken)).mappings().one_or_none()
    return None if row is None else Question(**row)


def _is_free(now: int) -> ColumnElement[bool]:
    abandoned = (questions.c.status == "running") & (questions.c.lease_until < now)
    return (questions.c.status == "queued") | abandoned


def _turns(now: int) -> Sequence[ColumnElement[Any]]:
    other = questions.alias()
    of_owner = select(func.count()).select_from(other).where(other.c.owner_id == questions.c.owner_id)
    running = of_owner.where(is_live(other, now)).correlate(questions).scalar_subquery()
    return (running, questions.c.seq)
