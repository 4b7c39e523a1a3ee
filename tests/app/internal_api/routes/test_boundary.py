"""What every refusal looks like, and what none of them shows."""

import asyncio

import pytest
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from app.internal_api.errors import Unavailable
from tests.app.internal_api.support import KEYWORDS, World

ONE = "/minds/00000000-0000-4000-8000-000000000000"


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/minds/not-a-uuid", 400),
        ("/minds/sparks", 400),
        ("/minds/0000000000000000000000000000000000000", 400),
        ("/minds/{00000000-0000-4000-8000-000000000000}", 400),
        ("/minds/..%2f..%2fetc/training", 400),
        ("/minds/%2e%2e/training", 400),
        ("/minds/a%0ab", 400),
        ("/minds/a%5cb", 400),
        (ONE, 404),
        ("/nothing", 404),
        ("/minds/", 404),
    ],
)
async def test_strange_ids_are_refused_and_unknown_ones_not_found(world: World, path: str, status: int) -> None:
    refused = await world.client().get(path)

    assert (refused.status_code, refused.json()["error"]) == (status, True)


async def test_a_fault_shows_nothing_internal(world: World) -> None:
    mind_id = await world.trained(KEYWORDS)
    world.persona_engine.broken = RuntimeError("secret detail")

    failed = await world.client().post(f"/minds/{mind_id}/completion", json={})

    assert failed.status_code == 500
    assert failed.json()["message"] == "Internal Server Error"
    assert "secret" not in failed.text


async def test_two_users_never_reach_each_others_minds(world: World) -> None:
    mind_id = await world.trained(KEYWORDS, "ada")
    bob = world.client("bob")
    one = f"/minds/{mind_id}"
    message = {"messages": [{"role": "user", "content": "Hi"}]}

    answers = await asyncio.gather(
        bob.get(one),
        bob.delete(one),
        bob.get(f"{one}/training"),
        bob.post(f"{one}/retrain"),
        bob.post(f"{one}/regenerate-prompt"),
        bob.get(f"{one}/knowledge"),
        bob.post(f"{one}/knowledge", json={"text": "poison"}),
        bob.get(f"{one}/knowledge/{mind_id}/status"),
        bob.post(f"{one}/completion", json=message),
    )

    unknown = (await bob.get("/minds/00000000-0000-4000-8000-000000000000")).json()
    assert [answer.status_code for answer in answers] == [404] * 9
    assert {answer.json()["message"] for answer in answers} == {unknown["message"]}
    assert (await bob.get("/minds")).json()["data"] == []
    assert (await world.client("ada").get(one)).status_code == 200


async def test_a_database_that_is_away_is_a_503(world: World) -> None:
    client = world.client()
    async with world.engine.begin() as connection:
        await connection.exec_driver_sql("ALTER TABLE minds RENAME TO gone")

    failed = await client.get("/minds")

    # SQLite calls a missing table an operational error, PostgreSQL a programming error.
    assert failed.status_code in {500, 503}
    assert "minds" not in failed.json()["message"]


@pytest.mark.parametrize(
    "fault",
    [
        OperationalError("SELECT secret", {}, Exception("connection refused")),
        InterfaceError("SELECT secret", {}, Exception("the connection is closed")),
        PoolTimeout("no connection left"),
        Unavailable(),
    ],
)
async def test_a_database_that_gives_no_answer_is_a_503_that_says_when_to_come_back(
    world: World, fault: Exception
) -> None:
    mind_id = await world.trained(KEYWORDS)
    world.persona_engine.broken = fault

    failed = await world.client().post(f"/minds/{mind_id}/completion", json={})

    assert (failed.status_code, failed.headers["retry-after"]) == (503, "1")
    assert failed.json()["error"] is True
    assert "secret" not in failed.text
