"""Audiences: the documented answers, the rules of each field, retries, members, and other people's objects."""

import asyncio
from typing import Any
from uuid import uuid4

import pytest
from dirty_equals import IsUUID
from sqlalchemy import delete, insert, update

from app.internal_api.store.knowledge import items
from app.internal_api.store.minds import minds as minds_table
from app.internal_api.store.minds import training_jobs
from tests.app.internal_api.groups import UNKNOWN, audience, demo_mind, minds, study
from tests.app.internal_api.support import KEYWORDS, World

NOW = "2023-11-14T22:13:20.000Z"


async def _names(world: World, audience_id: str) -> list[str]:
    """The members of an audience, in their order."""
    answer = await world.client().get(f"/audiences/{audience_id}")
    return [mind["name"] for mind in answer.json()["data"]["minds"]]


async def test_a_new_audience_has_its_minds_once_and_in_their_order(world: World) -> None:
    mia, noa = await minds(world, "Mia", "Noa")

    created = await world.client().post("/audiences", json={"name": " Gen Z\t", "mindIds": [noa, mia.upper(), noa]})

    assert created.status_code == 201
    shown = {"discipline": "Tea", "profileImageUrl": None, "trainingStatus": "queued"}
    assert created.json() == {
        "data": {
            "id": IsUUID,
            "name": "Gen Z",
            "mindCount": 2,
            "mindIds": [noa, mia],
            "minds": [{"id": noa, "name": "Noa", **shown}, {"id": mia, "name": "Mia", **shown}],
            "isPublic": False,
            "isSharedWithTeam": False,
            "isLinkSharingEnabled": False,
            "publicShareId": None,
            "currentMemberRole": "owner",
            "createdAt": NOW,
            "updatedAt": NOW,
        }
    }


@pytest.mark.both_databases
async def test_a_mind_that_was_given_nothing_is_empty_and_has_not_failed(world: World) -> None:
    taught, blank = await minds(world, "Mia", "Noa")
    async with world.engine.begin() as connection:
        await connection.execute(update(training_jobs).values(status="failed"))
        await connection.execute(delete(items).where(items.c.mind_id == blank))

    shown = await world.client().get(f"/audiences/{await audience(world, 'Gen Z', taught, blank)}")

    assert [mind["trainingStatus"] for mind in shown.json()["data"]["minds"]] == ["failed", "empty"]


@pytest.mark.both_databases
async def test_minds_that_are_missing_anothers_or_a_visitors_are_refused_alike(world: World) -> None:
    (mia,), (bobs,) = await minds(world, "Mia"), await minds(world, "Bo", bearer="bob")
    client = world.client()

    refused = [
        await client.post("/audiences", json={"name": "a", "mindIds": [mia, other]})
        for other in (UNKNOWN, bobs, await demo_mind(world))
    ]

    assert [answer.status_code for answer in refused] == [404] * 3
    assert len({answer.text for answer in refused}) == 1
    assert (await client.get("/audiences")).json()["pagination"]["total"] == 0


@pytest.mark.both_databases
async def test_a_thousand_minds_are_one_audience_and_no_more_can_join(world: World) -> None:
    (mia,) = await minds(world, "Mia")
    many = [str(uuid4()) for _ in range(1000)]
    async with world.engine.begin() as connection:
        row = dict((await connection.execute(minds_table.select())).mappings().one())
        await connection.execute(insert(minds_table), [{**row, "id": mind_id} for mind_id in many])

    audience_id = await audience(world, "All", *many)
    refused = await world.client().post(f"/audiences/{audience_id}/members", json={"mindIds": [mia, many[0]]})
    again = await world.client().post(f"/audiences/{audience_id}/members", json={"mindIds": many})

    assert (refused.status_code, again.status_code) == (400, 200)
    assert again.json()["data"]["mindIds"] == many


@pytest.mark.both_databases
async def test_audiences_are_listed_newest_first_in_pages(world: World) -> None:
    for name in ("One", "Two", "Three"):
        await audience(world, name, *await minds(world, name))
        world.clock.forward(1)
    await audience(world, "Bob's", bearer="bob")

    page = (await world.client().get("/audiences?limit=2&offset=1")).json()

    shown = [(each["name"], [mind["name"] for mind in each["minds"]]) for each in page["data"]]
    assert shown == [("Two", ["Two"]), ("One", ["One"])]
    assert page["pagination"] == {"total": 3, "limit": 2, "offset": 1}


@pytest.mark.both_databases
async def test_an_audience_is_renamed_and_keeps_the_rest(world: World) -> None:
    audience_id = await audience(world, "Old", *await minds(world, "Mia"), isLinkSharingEnabled=True)
    before = (await world.client().get(f"/audiences/{audience_id}")).json()["data"]
    world.clock.forward(1)

    changed = await world.client().put(f"/audiences/{audience_id}", json={"name": "New"})

    assert changed.status_code == 200
    assert changed.json()["data"] == {**before, "name": "New", "updatedAt": "2023-11-14T22:13:21.000Z"}
    assert (await world.client().get(f"/audiences/{audience_id}")).json() == changed.json()


async def test_sharing_mints_an_id_that_ends_with_it(world: World) -> None:
    audience_id = await audience(world)
    shares = []
    for enabled in (True, True, False, True):
        body = {"isLinkSharingEnabled": enabled}
        data = (await world.client().put(f"/audiences/{audience_id}", json=body)).json()["data"]
        assert (data["name"], data["isLinkSharingEnabled"]) == ("Gen Z", enabled)
        shares.append(data["publicShareId"])

    assert shares[0] == shares[1] != shares[3]
    assert shares[2] is None


@pytest.mark.parametrize("body", [{}, {"name": None}, {"other": 1}, {"name": ""}, {"sparkIds": []}])
async def test_a_change_of_nothing_or_to_nonsense_is_refused(world: World, body: dict[str, Any]) -> None:
    audience_id = await audience(world)

    refused = await world.client().put(f"/audiences/{audience_id}", json=body)

    assert refused.status_code == 400


async def test_a_deleted_audience_is_gone_and_its_minds_stay(world: World) -> None:
    (mia,) = await minds(world, "Mia")
    audience_id = await audience(world, "a", mia)
    study_id = await study(world, audienceIds=[audience_id])
    client = world.client()

    deleted = await client.delete(f"/audiences/{audience_id}")
    again = await client.delete(f"/audiences/{audience_id}")

    assert (deleted.status_code, deleted.content, again.status_code) == (204, b"", 404)
    assert (await client.get(f"/minds/{mia}")).status_code == 200
    assert (await client.get(f"/studies/{study_id}")).json()["data"]["audiences"] == []


async def test_minds_join_behind_the_members_there_are(world: World) -> None:
    mia, noa, zoe = await minds(world, "Mia", "Noa", "Zoe")
    audience_id = await audience(world, "a", noa)
    world.clock.forward(1)

    joined = await world.client().post(f"/audiences/{audience_id}/members", json={"mindIds": [zoe, noa, mia, zoe]})

    data = joined.json()["data"]
    assert (joined.status_code, data["mindIds"], data["mindCount"]) == (200, [noa, zoe, mia], 3)
    assert data["updatedAt"] == "2023-11-14T22:13:21.000Z"
    assert await _names(world, audience_id) == ["Noa", "Zoe", "Mia"]


@pytest.mark.both_databases
async def test_minds_that_join_at_the_same_moment_are_all_members(world: World) -> None:
    everyone = await minds(world, "Mia", "Noa", "Zoe", "Bea")
    audience_id = await audience(world)
    client = world.client()

    answers = await asyncio.gather(
        *(client.post(f"/audiences/{audience_id}/members", json={"mindIds": [one, everyone[0]]}) for one in everyone)
    )

    assert [answer.status_code for answer in answers] == [200] * 4
    assert sorted(await _names(world, audience_id)) == ["Bea", "Mia", "Noa", "Zoe"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 400),
        ({"mindIds": []}, 400),
        ({"mindIds": ["1"]}, 400),
        ({"sparkIds": [UNKNOWN]}, 400),
        ({"mindIds": [UNKNOWN]}, 404),
    ],
)
async def test_nobody_joins_by_a_bad_request(world: World, body: dict[str, Any], status: int) -> None:
    (mia,) = await minds(world, "Mia")
    audience_id = await audience(world, "a", mia)

    refused = await world.client().post(f"/audiences/{audience_id}/members", json=body)

    assert refused.status_code == status
    assert await _names(world, audience_id) == ["Mia"]


@pytest.mark.both_databases
async def test_a_member_leaves_once(world: World) -> None:
    mia, noa = await minds(world, "Mia", "Noa")
    audience_id = await audience(world, "a", mia, noa)
    client, members = world.client(), f"/audiences/{audience_id}/members"

    left, again, bad = [await client.delete(f"{members}/{one}") for one in (mia, mia, "1")]

    assert (left.status_code, left.content, again.status_code, bad.status_code) == (204, b"", 404, 400)
    assert await _names(world, audience_id) == ["Noa"]


async def test_nobody_reaches_anothers_audience(world: World) -> None:
    (mia,), (bobs,) = await minds(world, "Mia"), await minds(world, "Bo", bearer="bob")
    one = f"/audiences/{await audience(world, 'a', mia)}"
    bob, unknown = world.client("bob"), f"/audiences/{UNKNOWN}"
    before = (await world.client().get(one)).json()

    async def tried(path: str) -> list[tuple[int, str]]:
        answers = [
            await bob.get(path),
            await bob.put(path, json={"name": "b"}),
            await bob.post(f"{path}/members", json={"mindIds": [bobs]}),
            await bob.delete(f"{path}/members/{mia}"),
            await bob.delete(path),
        ]
        return [(answer.status_code, answer.json()["message"]) for answer in answers]

    assert await tried(one) == await tried(unknown)
    assert {status for status, _ in await tried(one)} == {404}
    assert (await bob.get("/audiences")).json()["data"] == []
    assert (await world.client().get(one)).json() == before


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/audiences", 403),
        ("POST", "/audiences", 403),
        ("GET", "/audiences/{}", 404),
        ("PUT", "/audiences/{}", 404),
        ("DELETE", "/audiences/{}", 404),
        ("GET", "/studies", 403),
        ("POST", "/studies", 403),
        ("GET", "/studies/{}", 404),
        ("DELETE", "/studies/{}", 404),
    ],
)
async def test_visitors_have_neither_audiences_nor_studies(world: World, method: str, path: str, status: int) -> None:
    """Even were their scopes to allow it."""
    one = await (study(world) if path.startswith("/studies") else audience(world))

    refused = await world.client("demo").request(method, path.format(one), json={**KEYWORDS})

    assert refused.status_code == status
