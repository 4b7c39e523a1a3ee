"""A study's answers are found by message, and every change of them is noticed."""

from sqlalchemy import update
from sqlalchemy.ext.asyncio import AsyncEngine

from app.internal_api.store.results import find_question_of_message, has_answers, source_version
from app.internal_api.study_tables import answers as answers_table
from app.internal_api.study_tables import questions as questions_table
from tests.app.internal_api.panels.rows import another, answer, answers, pending
from tests.app.internal_api.panels.stored import BOBS_STUDY, STUDY, at, store_question, store_study


async def test_a_question_is_found_by_each_of_its_ids_in_its_own_study_only(engine: AsyncEngine) -> None:
    first, second = another(1), another(2)
    await store_study(engine, [(first, answers("Price")), (second, [])])
    await store_study(engine, study=BOBS_STUDY)

    async with engine.connect() as connection:
        found = [
            await find_question_of_message(connection, STUDY.id, message_id)
            for message_id in (second.id, second.question_message_id, second.answer_message_id, STUDY.id)
        ]
        elsewhere = await find_question_of_message(connection, BOBS_STUDY.id, second.id)

    assert [question and question.id for question in found] == [second.id, second.id, second.id, None]
    assert elsewhere is None


async def test_only_what_was_answered_is_an_answer(engine: AsyncEngine) -> None:
    question = another(1)
    await store_study(engine, [(question, [pending(0), answer(None, position=1)])])

    async with engine.begin() as connection:
        before = await has_answers(connection, STUDY.id)
        await store_question(connection, another(2), answers("Price"))
        after = await has_answers(connection, STUDY.id)

    assert (before, after) == (False, True)


async def test_the_version_changes_with_every_answer_and_stays_without(engine: AsyncEngine) -> None:
    question = another(1, status="running")
    await store_study(engine, [(question, [pending(0), pending(1)])])
    changes = [
        update(answers_table).where(answers_table.c.position == 0).values(status="answered", answered_at=at(1)),
        update(answers_table).where(answers_table.c.position == 1).values(status="failed", answered_at=at(1)),
        update(questions_table).values(status="completed"),
    ]

    async with engine.begin() as connection:
        versions = [await source_version(connection, STUDY.id, "Pricing")]
        for change in changes:
            await connection.execute(change)
            versions.append(await source_version(connection, STUDY.id, "Pricing"))
        again = await source_version(connection, STUDY.id, "Pricing")
        renamed = await source_version(connection, STUDY.id, "Prices")

    assert len({*versions, renamed}) == 5
    assert again == versions[-1]
    assert len(again) == 64
