"""What is created with an idempotency key is created once: the key repeats its own body, for a day, for one account."""

import asyncio
from typing import Any

import pytest
from sqlalchemy import update

from app.internal_api.store.studies import audiences
from tests.app.internal_api.support import KEYWORDS, World

pytestmark = [pytest.mark.security("FI-24"), pytest.mark.both_databases]
ONCE = {"x-minds-idempotency-key": "once"}
CREATED = [("/minds", KEYWORDS), ("/audiences", {"name": "a"})]


@pytest.mark.parametrize(("path", "body"), CREATED)
async def test_a_repeat_answers_200_with_the_same_and_another_body_is_refused(
    world: World, path: str, body: dict[str, Any]
) -> None:
    client = world.client(headers=ONCE)

    first, again = await client.post(path, json=body), await client.post(path, json=body)
    refused = await client.post(path, json={**body, "name": "Somebody else"})

    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json()["data"] == first.json()["data"]
    assert (refused.status_code, refused.json()["data"]["code"]) == (409, "IDEMPOTENCY_CONFLICT")
    assert (await client.get(path)).json()["pagination"]["total"] == 1


@pytest.mark.parametrize(("path", "body"), CREATED)
async def test_repeats_at_the_same_moment_make_one(world: World, path: str, body: dict[str, Any]) -> None:
    client = world.client(headers=ONCE)

    answers = await asyncio.gather(*(client.post(path, json=body) for _ in range(6)))

    assert sorted(answer.status_code for answer in answers) == [200] * 5 + [201]
    assert len({answer.json()["data"]["id"] for answer in answers}) == 1


@pytest.mark.parametrize(("path", "body"), CREATED)
async def test_a_key_is_forgotten_after_a_day_and_belongs_to_one_account(
    world: World, path: str, body: dict[str, Any]
) -> None:
    first = await world.client(headers=ONCE).post(path, json=body)
    other = await world.client("bob", headers=ONCE).post(path, json=body)
    world.clock.forward(24 * 3600)
    late = await world.client(headers=ONCE).post(path, json=body)
    world.clock.forward(1)
    later = await world.client(headers=ONCE).post(path, json=body)

    answers = (first, other, late, later)
    assert [answer.status_code for answer in answers] == [201, 201, 200, 201]
    assert len({answer.json()["data"]["id"] for answer in answers}) == 3


async def test_a_repeat_may_be_written_differently_and_come_after_a_change(world: World) -> None:
    client = world.client(headers=ONCE)
    made = (await client.post("/audiences", json={"name": "a"})).json()["data"]["id"]
    await client.put(f"/audiences/{made}", json={"name": "renamed"})

    again = await client.post("/audiences", json={"isLinkSharingEnabled": False, "mindIds": None, "name": " a "})

    assert (again.status_code, again.json()["data"]["id"], again.json()["data"]["name"]) == (200, made, "renamed")


async def test_a_key_from_before_bodies_were_remembered_is_repeated_with_any(world: World) -> None:
    client = world.client(headers=ONCE)
    made = (await client.post("/audiences", json={"name": "a"})).json()["data"]["id"]
    async with world.engine.begin() as connection:
        await connection.execute(update(audiences).values(idempotency_digest=None))

    again = await client.post("/audiences", json={"name": "b"})

    assert (again.status_code, again.json()["data"]["id"]) == (200, made)
