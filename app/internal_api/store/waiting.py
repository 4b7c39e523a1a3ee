"""How much work waits, for whoever watches the service."""

from sqlalchemy import Table, func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from app.internal_api.study_tables import export_jobs, questions
from app.internal_api.tables import training_jobs

QUEUES: dict[str, Table] = {"training": training_jobs, "panel_questions": questions, "panel_exports": export_jobs}


async def count_waiting(engine: AsyncEngine) -> dict[str, int]:
    """By the name of the queue, the jobs that nobody has begun."""
    async with engine.execution_options(read_only=True).connect() as connection:
        return {
            name: await connection.scalar(select(func.count()).select_from(table).where(table.c.status == "queued"))
            or 0
            for name, table in QUEUES.items()
        }
