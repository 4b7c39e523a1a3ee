"""Minds as rows."""

from dataclasses import replace

import pytest
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine

from app.internal_api.models.minds import CreateMind
from app.internal_api.routes.drafts import draft_mind
from app.internal_api.store.minds import (
    delete_mind,
    find_mind,
    find_mind_by_key,
    forget_key,
    insert_mind,
    list_minds,
    set_profile,
    set_prompt,
)
from tests.app.internal_api.support import ADA, BOB, KEYWORDS

MIND = draft_mind(CreateMind.model_validate(KEYWORDS), ADA.user_id, 5, key="once")


async def test_a_mind_comes_back_as_it_was_stored_until_it_is_deleted(engine: AsyncEngine) -> None:
    async with engine.begin() as connection:
        await insert_mind(connection, MIND)
        found = await find_mind(connection, MIND.id)
        await delete_mind(connection, MIND.id)
        gone = await find_mind(connection, MIND.id)

    assert (found, gone) == (MIND, None)


async def test_a_key_belongs_to_one_mind_of_its_owner_until_it_is_forgotten(engine: AsyncEngine) -> None:
    other = draft_mind(CreateMind.model_validate(KEYWORDS), ADA.user_id, 5, key="once")
    async with engine.begin() as connection:
        await insert_mind(connection, MIND)
        await insert_mind(connection, replace(other, owner_id=BOB.user_id))
    with pytest.raises(IntegrityError):
        async with engine.begin() as connection:
            await insert_mind(connection, replace(other, id=ADA.user_id))

    async with engine.begin() as connection:
        await forget_key(connection, ADA.user_id, "once", made_before=5)
        kept = await find_mind_by_key(connection, ADA.user_id, "once")
        await forget_key(connection, ADA.user_id, "once", made_before=6)
        forgotten = await find_mind_by_key(connection, ADA.user_id, "once")
        bobs = await find_mind_by_key(connection, BOB.user_id, "once")

    assert (kept, forgotten) == (MIND, None)
    assert bobs is not None


async def test_profile_and_prompt_are_written_and_the_prompt_makes_ready(engine: AsyncEngine) -> None:
    async with engine.begin() as connection:
        await insert_mind(connection, MIND)
        await set_profile(connection, MIND.id, {"discipline": "Tea"})
        await set_prompt(connection, MIND.id, "You are Ada.", 9)
        found = await find_mind(connection, MIND.id)

    assert found is not None
    assert (MIND.ready, found.ready) == (False, True)
    assert (found.profile, found.system_prompt, found.updated_at) == ({"discipline": "Tea"}, "You are Ada.", 9)


async def test_the_signs_of_a_pattern_are_searched_for_as_they_are(engine: AsyncEngine) -> None:
    named = CreateMind.model_validate({**KEYWORDS, "name": "100%_sure\\"})
    async with engine.begin() as connection:
        await insert_mind(connection, MIND)
        await insert_mind(connection, draft_mind(named, ADA.user_id, 5))
        counts = [
            (await list_minds(connection, ADA.user_id, search=search, limit=10, offset=0))[1]
            for search in ("%", "_", "\\", "ada", "")
        ]

    assert counts == [1, 1, 1, 1, 2]
