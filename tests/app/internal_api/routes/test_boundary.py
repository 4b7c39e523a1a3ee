"""What every refusal looks like, and what none of them shows."""

import asyncio

import pytest

from app.internal_api.principals import Principal
from tests.app.internal_api.support import ADA, KEYWORDS, World

ONE = "/minds/00000000-0000-4000-8000-000000000000"


@pytest.mark.parametrize("bearer", [None, "revoked", ""])
async def test_missing_and_wrong_credentials_are_refused_alike(world: World, bearer: str | None) -> None:
    refused = await world.client(bearer).get("/minds")

    assert refused.status_code == 401
    assert refused.headers["www-authenticate"] == "Bearer"
    assert refused.json() == {
        "statusCode": 401,
        "statusMessage": "Unauthorized",
        "message": "Unauthorized",
        "url": "/api/v1/minds",
        "error": True,
    }


async def test_another_scheme_than_bearer_is_refused(world: World) -> None:
    refused = await world.client(None, Authorization="Basic ada").get("/auth/me")

    assert refused.status_code == 401


@pytest.mark.parametrize(
    ("method", "path", "scope"),
    [
        ("GET", "/minds", "sparks:read"),
        ("POST", "/minds", "sparks:write"),
        ("GET", ONE, "sparks:read"),
        ("DELETE", ONE, "sparks:write"),
        ("GET", f"{ONE}/training", "sparks:read"),
        ("POST", f"{ONE}/retrain", "sparks:write"),
        ("POST", f"{ONE}/regenerate-prompt", "sparks:write"),
        ("GET", f"{ONE}/knowledge", "sparks:read"),
        ("POST", f"{ONE}/knowledge", "sparks:write"),
        ("GET", f"{ONE}/knowledge/{ONE[7:]}/status", "sparks:read"),
        ("POST", f"{ONE}/completion", "sparks:chat"),
    ],
)
async def test_a_missing_scope_is_named(world: World, method: str, path: str, scope: str) -> None:
    others = ADA.scopes - {scope}
    world.principals.known["narrow"] = Principal(ADA.user_id, others)

    refused = await world.client("narrow").request(method, path, json={})

    assert refused.status_code == 403
    assert refused.json()["data"] == {"code": "INSUFFICIENT_SCOPE", "required": [scope]}


async def test_who_am_i_needs_no_scope(world: World) -> None:
    world.principals.known["bare"] = Principal(ADA.user_id, frozenset())

    answer = await world.client("bare").get("/auth/me")

    assert (answer.status_code, answer.json()) == (200, {"id": ADA.user_id})


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/minds/not-a-uuid", 400),
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


async def test_a_wrong_method_is_told_the_right_ones(world: World) -> None:
    refused = await world.client().put("/minds", json={})

    assert refused.status_code == 405
    assert refused.headers["allow"] == "GET, POST"
    assert refused.json()["statusMessage"] == "Method Not Allowed"


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'"text"', b"NaN", b"\xff", b"[" * 100_000, b'{"name":' * 5_000])
async def test_what_is_no_json_object_is_refused(world: World, body: bytes) -> None:
    refused = await world.client().post("/minds", content=body, headers={"content-type": "application/json"})

    assert refused.status_code == 400


async def test_another_content_type_is_refused(world: World) -> None:
    refused = await world.client().post("/minds", content=b"name=Ada", headers={"content-type": "text/plain"})

    assert refused.status_code == 415


async def test_a_body_over_the_limit_is_refused_whether_or_not_its_length_is_declared(world: World) -> None:
    world.settings = world.settings.model_copy(update={"max_json_bytes": 1000})
    client = world.client()

    async def endless():  # noqa: ANN202
        for _ in range(20):
            yield b" " * 100

    json = {"content-type": "application/json"}
    declared = await client.post("/minds", content=b" " * 2000, headers=json)
    undeclared = await client.post("/minds", content=endless(), headers=json)

    assert (declared.status_code, undeclared.status_code) == (413, 413)


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
