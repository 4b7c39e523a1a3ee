"""A study of Ada's with questions and answers in the database."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from uuid import UUID

from sqlalchemy import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from app.internal_api.store.questions import Answer, Question, answers, questions
from app.internal_api.store.studies import Study, studies
from tests.app.internal_api.panels.rows import STUDY_ID
from tests.app.internal_api.support import ADA, BOB, START

STUDY = Study(
    id=STUDY_ID,
    owner_id=ADA.user_id,
    name="Pricing",
    is_link_sharing_enabled=False,
    public_share_id=None,
    created_at=1,
    updated_at=1,
)
BOBS_STUDY = replace(STUDY, id=str(UUID(int=99)), owner_id=BOB.user_id)


async def store_study(
    engine: AsyncEngine, asked: Sequence[tuple[Question, Sequence[Answer]]] = (), study: Study = STUDY
) -> str:
    """The study with these questions; answers belong to their question, whatever they say."""
    async with engine.begin() as connection:
        await connection.execute(insert(studies).values(asdict(study)))
        for question, given in asked:
            await store_question(connection, question, given)
    return study.id


async def store_question(connection: AsyncConnection, question: Question, given: Sequence[Answer]) -> None:
    await connection.execute(insert(questions).values(_row(asdict(question))))
    for number, answer in enumerate(given):
        own = {"question_id": question.id, "id": str(UUID(int=(UUID(question.id).int << 32) + number))}
        await connection.execute(insert(answers).values(_row(asdict(answer) | own)))


def at(seconds: int) -> int:
    """A moment after the start of the tests' clock."""
    return START + seconds * 1000


def _row(fields: Mapping[str, object]) -> dict[str, object]:
    return {key: value for key, value in fields.items() if key != "seq"}
