"""Who may call what, bodies of the wrong form or size, and what every refusal looks like."""

import asyncio
import gc
import re
from collections.abc import AsyncIterator

import psutil
import pytest
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from app.internal_api.errors import Unavailable
from app.internal_api.http.operation import Operation
from app.internal_api.principals import Principal
from app.internal_api.resources.table import operations
from tests.app.internal_api.support import ADA, KEYWORDS, World

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
        ("/sparks", 404),
        ("/groups", 404),
        ("/panels", 404),
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


@pytest.mark.parametrize("credential", [None, "Bearer revoked", "Bearer ", "Basic ada"])
async def test_missing_and_wrong_credentials_are_refused_alike(world: World, credential: str | None) -> None:
    headers = {} if credential is None else {"Authorization": credential}
    refused = await world.client(None, headers=headers).get("/minds")

    assert refused.status_code == 401
    assert refused.headers["www-authenticate"] == "Bearer"
    assert refused.json() == {
        "statusCode": 401,
        "statusMessage": "Unauthorized",
        "message": "Unauthorized",
        "url": "/api/v1/minds",
        "error": True,
    }


async def test_a_wrong_method_is_told_the_right_ones(world: World) -> None:
    refused = await world.client().put("/minds", json={})

    assert refused.status_code == 405
    assert refused.headers["allow"] == "GET, POST"
    assert refused.json()["statusMessage"] == "Method Not Allowed"


async def _demo(world: World) -> tuple[str, str]:
    """The id and the token of a new demo mind."""
    created = (await world.client("demo").post("/minds", json=KEYWORDS)).json()["data"]
    return str(created["id"]), str(created["demo"]["token"])


@pytest.mark.parametrize("path", ["/minds/{}", "/minds/{}/training"])
async def test_a_demo_token_alone_reads_its_mind_and_nothing_else(world: World, path: str) -> None:
    mind_id, token = await _demo(world)
    other_id, lasting_id = (await _demo(world))[0], await world.mind()
    visitor = world.client(None, headers={"x-minds-demo-token": token})

    own, other, lasting = [
        (await visitor.get(path.format(each))).status_code for each in (mind_id, other_id, lasting_id)
    ]
    wrong = await world.client(None, headers={"x-minds-demo-token": f"{token}x"}).get(path.format(mind_id))

    assert (own, other, lasting, wrong.status_code) == (200, 404, 404, 404)


@pytest.mark.parametrize("headers", [{"x-minds-demo-token": ""}, {"Authorization": "Bearer revoked"}])
async def test_a_missing_token_and_a_wrong_credential_make_no_visitor(world: World, headers: dict[str, str]) -> None:
    mind_id, token = await _demo(world)

    refused = await world.client(None, headers={"x-minds-demo-token": token, **headers}).get(f"/minds/{mind_id}")

    assert refused.status_code == 401


SCOPED = [operation for operation in operations() if operation.scope is not None]
CLOSED = [operation for operation in operations() if not (operation.public or operation.for_visitors)]


def _path(operation: Operation) -> str:
    return re.sub(r"\{\w+\}", ONE[7:], operation.path)


@pytest.mark.parametrize("operation", SCOPED, ids=[operation.id for operation in SCOPED])
async def test_a_missing_scope_is_named(world: World, operation: Operation) -> None:
    world.principals.known["narrow"] = Principal(ADA.user_id, ADA.scopes - {str(operation.scope)})

    refused = await world.client("narrow").request(operation.method, _path(operation), json={})

    assert refused.status_code == 403
    assert refused.json()["data"] == {"code": "INSUFFICIENT_SCOPE", "required": [operation.scope]}


@pytest.mark.parametrize("operation", CLOSED, ids=[operation.id for operation in CLOSED])
async def test_a_demo_token_is_no_credential_for_anything_else(world: World, operation: Operation) -> None:
    _, token = await _demo(world)
    visitor = world.client(None, headers={"x-minds-demo-token": token})

    refused = await visitor.request(operation.method, _path(operation), json=KEYWORDS)

    assert refused.status_code == 401


NO_OBJECTS = [b"", b"{", b"[]", b'"text"', b"NaN", b"\xff", b"[" * 100_000, b'{"name":' * 5_000]


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [(b"name=Ada", "text/plain", 415), *((body, "application/json", 400) for body in NO_OBJECTS)],
)
async def test_what_is_no_json_object_is_refused(world: World, body: bytes, kind: str, status: int) -> None:
    refused = await world.client().post("/minds", content=body, headers={"content-type": kind})

    assert refused.status_code == status


async def test_a_body_over_the_limit_is_refused_whether_or_not_its_length_is_declared(world: World) -> None:
    world.settings = world.settings.model_copy(update={"max_json_bytes": 1000})
    client = world.client()

    async def endless() -> AsyncIterator[bytes]:
        for _ in range(20):
            yield b" " * 100

    json = {"content-type": "application/json"}
    declared = await client.post("/minds", content=b" " * 2000, headers=json)
    undeclared = await client.post("/minds", content=endless(), headers=json)

    assert (declared.status_code, undeclared.status_code) == (413, 413)


async def test_an_upload_that_ends_in_the_middle_of_its_file_leaves_no_file_open(world: World) -> None:
    client = world.client()
    made = await client.post("/minds", json=KEYWORDS)
    cut = b'--a\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n' + b"y" * 2_000_000
    before = psutil.Process().num_fds()

    refused = [
        await client.post(
            f"/minds/{made.json()['data']['id']}/knowledge",
            content=cut,
            headers={"content-type": "multipart/form-data; boundary=a"},
        )
        for _ in range(3)
    ]
    files = psutil.Process().num_fds()
    gc.collect()  # a file that was left to it would be told of here

    assert [answer.status_code for answer in refused] == [400] * 3
    assert files <= before + 2  # connections of the database
