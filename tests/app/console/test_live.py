"""What a widget watches: who gets a token, what it is good for, and how a stream begins and ends."""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import jwt
import orjson
import pytest
from pydantic import BaseModel, Field

from app.composition import Parts
from app.console.live import AUDIENCE, MOST_STREAMS
from mcp_server.minds_api.credentials import EmbeddedCredentials
from mcp_server.toolkit.secret_file import shared_secret
from mcp_server.toolkit.widgets import LIVE, LIVE_PATH, Live
from mcp_server.toolset import Toolset
from tests.app.console.streams import claims_of, events, look, signed
from tests.edge import READ, SITE, Edge, OnStage, Stage, running, settings_for, tool, toolset, within
from tests.support import ADA

pytestmark = pytest.mark.anyio
STEPS = 2


class Course(BaseModel):
    """Something that goes on for a while."""

    word: str
    step: int
    poll_after_ms: Annotated[int | None, Field(serialization_alias="pollAfterMs")]

    def as_text(self) -> str:
        return f"step {self.step}"

    def for_widget(self, live: Live) -> Mapping[str, Any] | None:
        return None if self.poll_after_ms is None else live("course", {"word": self.word})


async def course(stage: OnStage, word: str) -> Course:
    """Look at it. It is over at the second look; what is called `held` answers only when the test says so, and what is
    called `endless` is never over.
    """
    stage.calls.append(word)
    if word.startswith("held") and stage.calls.count(word) > 1:
        stage.started[f"{word} {stage.calls.count(word)}"].set()
        await stage.released[word].wait()
    step = stage.calls.count(word)
    is_open = word.startswith("endless") or step <= STEPS
    return Course(word=word, step=step, poll_after_ms=1_000 if is_open else None)


def courses(stage: Stage) -> Toolset:
    """The fixture tools, and one that can be watched."""
    usual = toolset(stage)
    return Toolset(usual.name, (*usual.tools, tool(course, scopes=READ)), usual.open_service)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("live")


@pytest.fixture(scope="module")
async def gateway(folder: Path) -> AsyncIterator[Edge]:
    stage = Stage()
    async with running(settings_for(folder), Parts(toolsets=[courses(stage)])) as edge:
        yield Edge(edge.app, edge.client, stage, edge.key, edge.narrow_key)


async def watched(edge: Edge, word: str, tool: str = "course", **arguments: Any) -> dict[str, str]:
    """Address and token that a call gives the widget."""
    response = await edge.call(tool, arguments or {"word": word}, key=edge.key)
    way: dict[str, str] = response.json()["result"]["_meta"][LIVE]
    return way


@pytest.mark.requirement("seed:gateway:cache-widget-token", "seed:gateway:utility-discovery-token")
async def test_a_token_is_for_one_principal_one_tool_and_one_object_and_for_five_minutes(gateway: Edge) -> None:
    way = await watched(gateway, "bound")
    again = await watched(gateway, "bound")

    claims = claims_of(way["token"])
    assert way["url"] == f"{SITE}{LIVE_PATH}"
    assert set(claims) == {"aud", "sub", "exp", "jti", "client", "tool", "arguments"}
    assert (claims["aud"], claims["tool"], claims["arguments"]) == (AUDIENCE, "course", {"word": "bound"})
    assert 0 < claims["exp"] - time.time() <= 300
    assert claims["sub"] == claims_of(again["token"])["sub"]
    assert claims["jti"] != claims_of(again["token"])["jti"]


async def test_neither_the_model_nor_the_transcript_is_shown_the_token(gateway: Edge) -> None:
    result = (await gateway.call("course", {"word": "unseen"}, key=gateway.key)).json()["result"]
    token = result["_meta"].pop(LIVE)["token"]

    for secret in (token, LIVE, LIVE_PATH):
        assert secret not in orjson.dumps(result).decode()


async def test_nothing_is_watched_that_is_over(gateway: Edge) -> None:
    for _ in range(STEPS):
        await watched(gateway, "over")

    response = await gateway.call("course", {"word": "over"}, key=gateway.key)

    assert response.json()["result"]["structuredContent"]["pollAfterMs"] is None
    assert LIVE not in response.text


async def test_each_change_is_an_event_and_the_stream_ends_when_it_is_over(gateway: Edge) -> None:
    way = await watched(gateway, "told")

    response = await look(gateway, way["token"])

    assert [(one["step"], one["pollAfterMs"]) for one in events(response)] == [(2, 1_000), (3, None)]
    assert response.headers["cache-control"] == "no-store"


async def test_a_stream_ends_with_its_token(gateway: Edge, folder: Path) -> None:
    claims = claims_of((await watched(gateway, "endless"))["token"])

    response = await look(gateway, signed(folder, {**claims, "exp": int(time.time()) + 2}))

    assert 1 <= len(events(response)) <= 3


async def test_a_call_that_fails_ends_the_stream(gateway: Edge, folder: Path) -> None:
    claims = claims_of((await watched(gateway, "failing"))["token"])

    response = await look(gateway, signed(folder, {**claims, "tool": "fail", "arguments": {}}))

    assert events(response) == []


@pytest.mark.parametrize(
    "change",
    [
        {"sub": "somebody else"},
        {"tool": "private"},
        {"arguments": {"word": "another"}},
        {"exp": 4_000_000_000},
        {"client": "another"},
    ],
    ids=lambda change: next(iter(change)),
)
async def test_a_token_with_another_claim_is_refused(gateway: Edge, change: dict[str, Any]) -> None:
    head, _, signature = (await watched(gateway, "endless changed"))["token"].split(".")
    claims = {**claims_of((await watched(gateway, "endless changed"))["token"]), **change}
    body = jwt.encode(claims, "another secret that is long enough for this", "HS256").split(".")[1]

    for token in (f"{head}.{body}.{signature}", jwt.encode(claims, "x" * 40, "HS256"), jwt.encode(claims, "", "none")):
        assert (await look(gateway, token)).status_code == 401


@pytest.mark.parametrize(
    "change",
    [
        {"exp": 1_000_000_000},
        {"exp": None},
        {"sub": None},
        {"jti": None},
        {"aud": None},
        {"aud": "minds-internal-api"},
        {"aud": f"{SITE}/mcp"},
        {"tool": None},
        {"tool": "no_such_tool"},
    ],
    ids=str,
)
async def test_what_this_gateway_signed_for_something_else_or_long_ago_is_refused(
    gateway: Edge, folder: Path, change: dict[str, Any]
) -> None:
    claims = {**claims_of((await watched(gateway, "endless signed"))["token"]), **change}

    given = {name: value for name, value in claims.items() if value is not None}
    assert (await look(gateway, signed(folder, given))).status_code == 401


async def test_no_other_credential_of_this_gateway_opens_a_stream(gateway: Edge, folder: Path) -> None:
    service = EmbeddedCredentials(shared_secret(folder)).bearer(ADA)

    for other in ("", "nonsense", "a.b.c", "\ud7ff" * 100, gateway.key, service):
        response = await look(gateway, other)
        assert (response.status_code, response.headers["access-control-allow-origin"]) == (401, "*")


async def test_a_widgets_token_opens_nothing_else(gateway: Edge) -> None:
    token = (await watched(gateway, "endless elsewhere"))["token"]

    assert (await gateway.call("private", key=token)).status_code == 401
    assert (await gateway.call("say", {"text": "hello"}, key=token)).status_code == 401
    bearer = {"authorization": f"Bearer {token}"}
    assert (await gateway.client.get("/api/v1/minds", headers=bearer)).status_code == 401
    assert (await gateway.client.get("/account", headers=bearer)).status_code == 303


@pytest.mark.parametrize("origin", ["null", "https://elsewhere.example", SITE])
async def test_a_page_of_any_origin_may_read_a_stream(gateway: Edge, origin: str) -> None:
    way = await watched(gateway, f"read by {origin}")

    for token in (way["token"], "nonsense"):
        response = await look(gateway, token, origin=origin)
        assert response.status_code in {200, 401}
        assert response.headers.get_list("access-control-allow-origin") == ["*" if origin != SITE else SITE]
        assert "access-control-allow-credentials" not in response.headers


@pytest.mark.parametrize("path", ["/mcp", "/account", "/api/v1/minds", "/widget", "/oauth/token"])
async def test_a_page_without_an_origin_may_read_nothing_else(gateway: Edge, path: str) -> None:
    response = await gateway.client.post(path, content=b"{}", headers={"origin": "null"})

    assert response.status_code == 403
    assert "access-control-allow-origin" not in response.headers


async def test_a_stream_is_asked_for_by_post_alone(gateway: Edge) -> None:
    token = (await watched(gateway, "endless by get"))["token"]

    assert (await gateway.client.get(f"{LIVE_PATH}?{token}")).status_code == 405


async def test_one_stream_of_an_account_is_one_too_many(gateway: Edge) -> None:
    token = (await watched(gateway, "held"))["token"]
    streams = [asyncio.create_task(look(gateway, token)) for _ in range(MOST_STREAMS)]
    for number in range(MOST_STREAMS):
        await within(gateway.stage.started[f"held {number + 2}"].wait())

    next_one = await look(gateway, token)
    gateway.stage.released["held"].set()
    ended = await within(asyncio.gather(*streams))

    assert (next_one.status_code, next_one.headers["access-control-allow-origin"]) == (429, "*")
    assert int(next_one.headers["retry-after"]) >= 1
    assert [len(events(one)) for one in ended] == [1] * MOST_STREAMS
    assert (await look(gateway, token)).status_code == 200
