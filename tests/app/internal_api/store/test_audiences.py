"""Audiences as rows, and the minds in them."""

from dataclasses import replace

from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from app.internal_api.models.minds import CreateMind
from app.internal_api.resources.minds import draft_mind
from app.internal_api.store.audiences import (
    Audience,
    Member,
    add_members,
    delete_audience,
    find_audience,
    insert_audience,
    list_audiences,
    member_places,
    members_of,
    owned_audiences,
    owned_minds,
    remove_member,
    update_audience,
)
from app.internal_api.store.minds import delete_mind, insert_mind
from app.internal_api.store.rows import PART
from tests.app.internal_api.support import ADA, BOB, KEYWORDS

AUDIENCE = Audience(
    id="a",
    owner_id=ADA.user_id,
    name="Gen Z",
    is_link_sharing_enabled=False,
    public_share_id=None,
    idempotency_key="once",
    created_at=5,
    updated_at=5,
)


async def _minds(connection: AsyncConnection, count: int, owner_id: str = ADA.user_id) -> list[str]:
    drafts = [draft_mind(CreateMind.model_validate(KEYWORDS), owner_id, 5) for _ in range(count)]
    for draft in drafts:
        await insert_mind(connection, draft)
    return [draft.id for draft in drafts]


async def test_an_audience_comes_back_as_it_was_stored_until_it_is_deleted(engine: AsyncEngine) -> None:
    changed = replace(AUDIENCE, name="Boomers", public_share_id="s", is_link_sharing_enabled=True, updated_at=6)
    async with engine.begin() as connection:
        await insert_audience(connection, AUDIENCE, [])
        stored = await find_audience(connection, "a")
        await update_audience(connection, changed)
        updated = await find_audience(connection, "a", lock=True)
        await delete_audience(connection, "a")
        gone = await find_audience(connection, "a")

    assert (stored, updated, gone) == (AUDIENCE, changed, None)


async def test_audiences_of_one_owner_are_listed_newest_first(engine: AsyncEngine) -> None:
    made = [replace(AUDIENCE, id=name, idempotency_key=None, created_at=at) for name, at in (("x", 1), ("y", 3))]
    async with engine.begin() as connection:
        for audience in (*made, replace(AUDIENCE, id="z", owner_id=BOB.user_id)):
            await insert_audience(connection, audience, [])

        everything = await list_audiences(connection, ADA.user_id, limit=10, offset=0)
        second = await list_audiences(connection, ADA.user_id, limit=1, offset=1)

    assert everything == ([made[1], made[0]], 2)
    assert second == ([made[0]], 2)


async def test_only_what_is_the_owners_is_found_among_what_was_named(engine: AsyncEngine) -> None:
    async with engine.begin() as connection:
        own, others = await _minds(connection, 2), await _minds(connection, 1, BOB.user_id)
        demo = draft_mind(CreateMind.model_validate(KEYWORDS), ADA.user_id, 5)
        await insert_mind(connection, replace(demo, demo_token_hash="x", demo_expires_at=9))
        await insert_audience(connection, AUDIENCE, [])
        await insert_audience(connection, replace(AUDIENCE, id="b", owner_id=BOB.user_id), [])

        named = [own[0], *others, demo.id, *(f"unknown {number}" for number in range(PART)), own[1]]
        found_minds = await owned_minds(connection, ADA.user_id, named)
        found = await owned_audiences(connection, ADA.user_id, ["a", "b", "c"])
        nothing = await owned_minds(connection, ADA.user_id, [])

    assert (found_minds, found, nothing) == (set(own), {"a": AUDIENCE}, set())


async def test_members_keep_their_order_however_many_they_are(engine: AsyncEngine) -> None:
    async with engine.begin() as connection:
        ids = await _minds(connection, PART + 3)
        await insert_audience(connection, AUDIENCE, ids[2:])
        await insert_audience(connection, replace(AUDIENCE, id="b", idempotency_key=None), [])
        await add_members(connection, "a", ids[1::-1], after=PART + 1)

        members = await members_of(connection, ["a", "b"])
        places = await member_places(connection, "a")

    order = [*ids[2:], ids[1], ids[0]]
    assert [member.id for member in members["a"]] == order
    assert members["b"] == []
    assert places == {mind_id: place for place, mind_id in enumerate(order)}
    assert members["a"][0] == Member(ids[2], "Ada", "Tea", None)


async def test_a_member_leaves_once_and_goes_with_its_mind(engine: AsyncEngine) -> None:
    async with engine.begin() as connection:
        first, second, third = await _minds(connection, 3)
        await insert_audience(connection, AUDIENCE, [first, second, third])
        left = [await remove_member(connection, "a", first) for _ in range(2)]
        await delete_mind(connection, second)
        rest = await members_of(connection, ["a"])

    assert left == [True, False]
    assert [member.id for member in rest["a"]] == [third]
