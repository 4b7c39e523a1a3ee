"""Minds as rows."""

from dataclasses import replace

import pytest
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine

from app.internal_api.models.minds import CreateMind
from app.internal_api.resources.minds import draft_mind
from app.internal_api.store.minds import (
    count_live_demos,
    delete_expired_demos,
    delete_mind,
    find_mind,
    find_mind_by_key,
    insert_mind,
    list_minds,
    set_profile,
    set_prompt,
)
from tests.app.internal_api.support import ADA, BOB, DEMO, KEYWORDS

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
        kept = await find_mind_by_key(connection, ADA.user_id, "once", made_since=5)
        forgotten = await find_mind_by_key(connection, ADA.user_id, "once", made_since=6)
        bobs = await find_mind_by_key(connection, BOB.user_id, "once", made_since=5)

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


async def test_only_what_has_expired_is_deleted(engine: AsyncEngine) -> None:
    asked = CreateMind.model_validate(KEYWORDS)
    lasting = draft_mind(asked, ADA.user_id, 0)
    short, long = (
        replace(draft_mind(asked, DEMO.user_id, 0), demo_token_hash="x", demo_expires_at=at) for at in (10, 20)
    )

    async with engine.begin() as connection:
        for mind in (lasting, short, long):
            await insert_mind(connection, mind)
        before = await count_live_demos(connection, 9)
        deleted = await delete_expired_demos(connection, 10)
        after = await count_live_demos(connection, 10)
        left = [await find_mind(connection, mind.id) for mind in (lasting, short, long)]

    assert (before, deleted, after) == (2, 1, 1)
    assert left == [lasting, None, long]
