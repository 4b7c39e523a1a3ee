"""Which status an error has on the wire, by client and by setting; what is logged is the table's always."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from structlog.testing import capture_logs

from app.composition import Parts
from mcp_server.errors import ServiceUnavailable
from tests.edge import BOTH_TYPES, LEGACY, MODERN, REFUSALS, Edge, Stage, request, running, settings_for, toolset

CHALLENGED = {"authentication", "permission"}
OTHERS = ("application/json", "*/*", "application/json, text/event-stream;q=0", "text/event-stream, */*")


@pytest.fixture(scope="module")
async def edge(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Edge]:
    """One gateway for all tests but those that look at what it has counted."""
    async with running(settings_for(tmp_path_factory.mktemp("edge"), http_error_status="auto")) as edge:
        yield edge


@pytest.fixture
async def new(tmp_path: Path) -> AsyncIterator[Edge]:
    async with running(settings_for(tmp_path, http_error_status="auto")) as edge:
        yield edge


async def refused(edge: Edge, which: str, accept: str = BOTH_TYPES, era: str = LEGACY) -> httpx2.Response:
    headers, body = request("tools/call", {"name": "refuse", "arguments": {"kind": which}}, era=era, key=edge.key)
    return await edge.client.post("/mcp", headers={**headers, "accept": accept}, json=body)


@pytest.mark.parametrize("which", sorted(REFUSALS.keys() - CHALLENGED))
async def test_an_mcp_client_of_2025_gets_an_error_with_200_and_everything_else_as_others(
    new: Edge, which: str
) -> None:
    error = REFUSALS[which]()

    with capture_logs() as logs:
        plain, client = await refused(new, which, "application/json"), await refused(new, which)

    assert (plain.status_code, client.status_code) == (error.http_status, 200)
    data = {**plain.json()["error"]["data"], "httpStatus": error.http_status}
    assert client.json() == {**plain.json(), "error": {**plain.json()["error"], "data": data}}
    assert client.json()["error"]["code"] == error.code
    assert client.headers.get("retry-after") == plain.headers.get("retry-after")
    assert client.headers.keys() == plain.headers.keys()
    assert int(client.headers["content-length"]) == len(client.content)
    assert [line["status"] for line in logs if line["event"] == "request"] == [error.http_status] * 2
    metrics = (await new.client.get("/metrics")).text
    assert f'status="{error.http_status // 100}xx"' in metrics or f'status="{error.http_status}"' in metrics


@pytest.mark.parametrize("accept", OTHERS)
async def test_whoever_does_not_list_both_types_gets_the_status(edge: Edge, accept: str) -> None:
    response = await refused(edge, "rate", accept)

    assert (response.status_code, "httpStatus" in response.json()["error"]["data"]) == (429, False)


@pytest.mark.parametrize("which", sorted(REFUSALS))
async def test_challenges_and_the_2026_era_keep_their_status(edge: Edge, which: str) -> None:
    status = REFUSALS[which]().http_status

    assert (await refused(edge, which, era=MODERN)).status_code == status
    if which in CHALLENGED:
        response = await refused(edge, which)
        assert (response.status_code, "www-authenticate" in response.headers) == (status, True)


@pytest.mark.parametrize(
    ("method", "params", "status"),
    [
        ("no/such", None, 404),
        ("tools/call", {"name": "no_such_tool"}, 400),
        ("tools/call", {"arguments": {}}, 400),
        ("initialize", {}, 400),
    ],
)
async def test_errors_of_the_protocol_itself_come_with_200(
    edge: Edge, method: str, params: dict[str, Any] | None, status: int
) -> None:
    headers, body = request(method, params, key=edge.key)

    response = await edge.client.post("/mcp", headers=headers, json=body)

    assert (response.status_code, response.json()["error"]["data"]["httpStatus"]) == (200, status)


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (b"{", {}, 400),
        (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', {}, 400),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping"}', {"mcp_protocol_version": "2099-01-01"}, 400),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping"}', {"content_type": "text/plain"}, 415),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping"}', {"origin": "https://evil.example"}, 403),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping"}', {"authorization": "Bearer x"}, 401),
    ],
)
async def test_what_is_no_well_formed_request_keeps_its_status(
    edge: Edge, body: bytes, headers: dict[str, str], status: int
) -> None:
    response = await edge.post(body, **headers)

    assert response.status_code == status


async def test_the_setting_gives_the_table_to_all(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path, http_error_status="always")) as edge:
        response = await refused(edge, "rate")

    assert (response.status_code, "httpStatus" in response.json()["error"]["data"]) == (429, False)


async def test_a_store_that_is_away_as_the_credential_is_checked_ends_no_session(tmp_path: Path) -> None:
    async def away(_bearer: str) -> None:
        raise ServiceUnavailable

    parts = Parts(toolsets=[toolset(Stage())], authenticate=away)
    async with running(settings_for(tmp_path, http_error_status="auto"), parts) as edge:
        headers, body = request("tools/call", {"name": "say"}, key=edge.key, identity="seven")
        response = await edge.client.post("/mcp", headers=headers, json=body)
        cut_off = await edge.post(b"{", authorization=f"Bearer {edge.key}")

    assert (response.status_code, cut_off.status_code) == (200, 503)
    answer = response.json()
    assert (answer["id"], answer["error"]["code"], answer["error"]["data"]["httpStatus"]) == ("seven", -32006, 503)
    assert response.headers["retry-after"] == "1"


class OldSession:
    """How `mcp` 1.x sends: any status that is an error ends the task that carries all requests of the session."""

    def __init__(self, edge: Edge) -> None:
        self.edge, self.is_open = edge, True

    async def call(self, text: str) -> dict[str, Any]:
        assert self.is_open, "the session is closed"
        headers, body = request("tools/call", {"name": "say", "arguments": {"text": text}}, key=self.edge.key)
        response = await self.edge.client.post("/mcp", headers=headers, json=body)
        try:
            response.raise_for_status()
        except httpx2.HTTPStatusError:
            self.is_open = False
            raise
        answer: dict[str, Any] = response.json()
        return answer


async def test_the_session_of_a_1x_client_outlives_a_rate_limit(tmp_path: Path) -> None:
    settings = settings_for(tmp_path, http_error_status="auto", rate_limit_tools="say=10/minute")
    async with running(settings) as edge:
        session = OldSession(edge)

        answers = [await session.call("x") for _ in range(12)]

    assert ["result" in answer for answer in answers] == [True] * 10 + [False] * 2
    error = answers[-1]["error"]
    assert (error["code"], error["data"]["httpStatus"]) == (-32002, 429)
    assert session.is_open
