"""The registration endpoint, from the first byte on."""

from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest
from starlette.applications import Starlette

from oauth.endpoints.token import MAX_BODY, REGISTER_PATH, register_route
from oauth.flows.registration import Registration
from oauth.stores.clients import ClientStore
from tests.oauth.clients import NOW, REGISTRATIONS, SETTINGS, UNRECORDED, body

JSON = {"content-type": "application/json"}
CLAUDE = REGISTRATIONS["Claude"]


@pytest.fixture
async def client(registered: ClientStore) -> AsyncIterator[httpx2.AsyncClient]:
    app = Starlette(routes=[register_route(Registration(registered, SETTINGS), lambda: NOW, UNRECORDED)])
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="https://gw.example.com") as client:
        yield client


@pytest.mark.requirement("seed:gateway:oauth-register")
@pytest.mark.security("RG-01")
async def test_a_public_client_is_registered_and_told_everything(
    client: httpx2.AsyncClient, registered: ClientStore
) -> None:
    words = CLAUDE | {"client_name": "Mémoires 日本", "redirect_uris": ["https://a.example/cb", "https://b.example/cb"]}

    answer = await client.post(REGISTER_PATH, content=body(words), headers=JSON)

    said = answer.json()
    assert answer.status_code == 201
    assert answer.headers["cache-control"] == "no-store"
    assert said | words | {"scope": "sparks:read"} == said
    assert "client_secret" not in said
    assert said["client_id_issued_at"] == int(NOW.timestamp())
    found = await registered.find_client(said["client_id"], NOW)
    assert found is not None
    assert found.name == "Mémoires 日本"


@pytest.mark.security("RG-03", "RG-05", "RG-06", "RG-07")
@pytest.mark.parametrize(
    "uris",
    [None, [], "x", {}, [None], [7], [[]], [""], ["javascript:x"], ["http://a.example/"], ["https://a.example/#x"]],
)
async def test_a_bad_redirect_uri_is_refused_and_nothing_is_stored(
    uris: Any, client: httpx2.AsyncClient, registered: ClientStore
) -> None:
    refused = await client.post(REGISTER_PATH, content=body({"redirect_uris": uris}), headers=JSON)
    missing = await client.post(REGISTER_PATH, content=b"{}", headers=JSON)

    assert (refused.status_code, refused.json()["error"]) == (400, "invalid_redirect_uri")
    assert (missing.status_code, missing.json()["error"]) == (400, "invalid_redirect_uri")
    assert await registered.list_clients() == []


@pytest.mark.security("RG-13", "RG-27", "RG-37")
@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b'{"client_name": "\xff"}',
        b'{"a":' * 9_000 + b"1" + b"}" * 9_000,
        b'{"redirect_uris": ["https://good.example/cb"], "redirect_uris": ["https://evil.example/cb"]}',
    ],
    ids=range(5),
)
async def test_a_body_that_is_not_one_object_is_refused(data: bytes, client: httpx2.AsyncClient) -> None:
    refused = await client.post(REGISTER_PATH, content=data, headers=JSON)

    assert (refused.status_code, refused.json()["error"]) == (400, "invalid_client_metadata")
    assert "evil" not in refused.text


@pytest.mark.security("RG-26")
async def test_an_oversized_body_is_not_read_to_its_end(client: httpx2.AsyncClient) -> None:
    read = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal read
        for _ in range(6_000):
            read += 1_024
            yield b" " * 1_024

    refused = await client.post(REGISTER_PATH, content=endless(), headers=JSON)

    assert refused.status_code == 413
    assert read < 2 * MAX_BODY
    assert (await client.post(REGISTER_PATH, content=body(CLAUDE), headers=JSON)).status_code == 201


@pytest.mark.security("RG-29")
@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", None])
async def test_another_type_is_refused_because_any_page_may_send_it(
    kind: str | None, client: httpx2.AsyncClient
) -> None:
    refused = await client.post(REGISTER_PATH, content=body(CLAUDE), headers={"content-type": kind} if kind else {})

    assert refused.status_code == 400
    assert (
        await client.post(
            REGISTER_PATH, content=body(CLAUDE), headers={"content-type": "Application/JSON; charset=utf-8"}
        )
    ).status_code == 201


@pytest.mark.security("RG-31")
@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "DELETE"])
async def test_there_is_nothing_but_post(method: str, client: httpx2.AsyncClient) -> None:
    assert (await client.request(method, REGISTER_PATH)).status_code == 405
