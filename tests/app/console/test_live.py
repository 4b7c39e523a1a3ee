"""What a widget watches: who gets a token, what it is good for, and how a stream begins and ends."""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, cast

import httpx2
import jwt
import orjson
import pytest
from pydantic import BaseModel, Field, SecretStr

from app.composition import Parts
from app.console.calls import ToolCalls
from app.console.live import AUDIENCE, MOST_STREAMS, SECONDS, WidgetLive, is_over
from mcp_server.caller import ANONYMOUS, Caller
from mcp_server.minds_api.credentials import EmbeddedCredentials
from mcp_server.toolkit.secret_file import shared_secret
from mcp_server.toolkit.widgets import LIVE, LIVE_PATH, Live
from mcp_server.toolset import Toolset
from oauth.primitives.scopes import ALL
from tests.edge import (
    PATIENCE,
    READ,
    SITE,
    Edge,
    OnStage,
    Stage,
    make_keys,
    running,
    settings_for,
    tool,
    toolset,
    within,
)
from tests.support import ADA, SECRET, Clock, signed_in

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
    return Toolset(usual.name, usual.title, (*usual.tools, tool(course, scopes=READ)), usual.open_service)


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


async def look(edge: Edge, token: str, **headers: str) -> httpx2.Response:
    return await edge.client.post(LIVE_PATH, content=token, headers=headers)


def events(response: httpx2.Response) -> list[dict[str, Any]]:
    assert response.status_code == 200, response.text
    assert response.headers["content-type"].startswith("text/event-stream")
    return [orjson.loads(part.removeprefix("data: ")) for part in response.text.split("\n\n") if part]


def claims_of(token: str) -> dict[str, Any]:
    claims: dict[str, Any] = jwt.decode(token, options={"verify_signature": False})
    return claims


def signed(folder: Path, claims: Mapping[str, Any]) -> str:
    """As this gateway signs them."""
    return jwt.encode(dict(claims), shared_secret(folder).get_secret_value(), "HS256")


async def test_a_token_is_for_one_principal_one_tool_and_one_object_and_for_five_minutes(gateway: Edge) -> None:
    way = await watched(gateway, "bound")
    again = await watched(gateway, "bound")

    claims = claims_of(way["token"])
    assert way["url"] == f"{SITE}{LIVE_PATH}"
    assert set(claims) == {"aud", "sub", "exp", "jti", "client", "tool", "arguments"}
    assert (claims["aud"], claims["tool"], claims["arguments"]) == (AUDIENCE, "course", {"word": "bound"})
    assert 0 < claims["exp"] - time.time() <= SECONDS
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

    assert 1 <= len(events(response)) <= 2


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


async def test_the_ninth_stream_of_an_account_is_one_too_many(gateway: Edge) -> None:
    token = (await watched(gateway, "held"))["token"]
    streams = [asyncio.create_task(look(gateway, token)) for _ in range(MOST_STREAMS)]
    for number in range(MOST_STREAMS):
        await within(gateway.stage.started[f"held {number + 2}"].wait())

    ninth = await look(gateway, token)
    gateway.stage.released["held"].set()
    ended = await within(asyncio.gather(*streams))

    assert (ninth.status_code, ninth.headers["access-control-allow-origin"]) == (429, "*")
    assert int(ninth.headers["retry-after"]) >= 1
    assert [len(events(one)) for one in ended] == [1] * MOST_STREAMS
    assert (await look(gateway, token)).status_code == 200


@dataclass(frozen=True)
class Product:
    """The gateway with its own tools and the embedded API, and two accounts that may use all of them."""

    edge: Edge
    folder: Path
    ada: str
    bob: str

    async def result(self, tool: str, key: str | None = None, **arguments: Any) -> dict[str, Any]:
        """The whole result of a call by Ada, or with another key."""
        response = await self.edge.call(tool, arguments, key=key or self.ada)
        result: dict[str, Any] = response.json()["result"]
        assert not result.get("isError"), result
        return result

    async def persona(self, name: str) -> dict[str, Any]:
        """The result of the creation of a new one."""
        arguments = {"name": name, "mode": "clone", "personaContext": f"{name} weaves on a loom since 1804."}
        return await self.result("create_ai_persona_or_digital_twin", **arguments)


@pytest.fixture(scope="module")
async def product(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Product]:
    folder = tmp_path_factory.mktemp("product")
    settings = settings_for(folder)
    (ada, _), (bob, _) = await make_keys(settings, ALL), await make_keys(settings, ALL)
    async with running(settings, Parts()) as edge:
        yield Product(edge, folder, ada, bob)


async def test_a_training_is_watched_to_its_end(product: Product) -> None:
    created = await product.persona("Ada")
    spark_id = created["structuredContent"]["sparkId"]

    told = events(await look(product.edge, created["_meta"][LIVE]["token"]))
    after = await product.result("check_ai_persona_training_progress", sparkId=spark_id)

    assert {one["sparkId"] for one in told} == {spark_id}
    assert [one["readyToChat"] for one in told][-1] is True
    assert told == [one for at, one in enumerate(told) if at == 0 or one != told[at - 1]]
    assert LIVE not in after.get("_meta", {})


async def test_a_panel_is_watched_until_all_its_questions_are_answered(product: Product) -> None:
    subject = claims_of((await product.persona("Charles"))["_meta"][LIVE]["token"])["sub"]
    rows = [{"name": f"Weaver {number}", "context": f"Weaver {number} likes looms."} for number in range(3)]
    made = (await product.result("create_personas", rows=rows, group="Weavers"))["structuredContent"]
    await all_trained(product)
    panel = (await product.result("create_panel", name="Looms", groupIds=[made["groupId"]]))["structuredContent"]
    panel_id = panel["panelId"]

    asked = await product.result("ask_panel", panelId=panel_id, question="Do you like looms?")
    claims = {"aud": AUDIENCE, "sub": subject, "jti": "1", "client": "x", "exp": int(time.time()) + SECONDS}
    named = {"tool": "get_panel_results", "arguments": {"panelId": panel_id}}
    [told] = events(await look(product.edge, signed(product.folder, {**claims, **named})))

    assert asked["structuredContent"]["status"] == "completed"
    assert LIVE not in asked.get("_meta", {})
    assert told["panelId"] == panel_id
    assert [(one["status"], one["overall"]["pending"]) for one in told["questions"]] == [("completed", 0)]


async def all_trained(product: Product) -> None:
    async with asyncio.timeout(PATIENCE * 3):
        while True:
            listed = (await product.result("list_my_ai_personas"))["structuredContent"]["personas"]
            if all(one["status"] == "completed" for one in listed):
                return
            await asyncio.sleep(0.2)


async def test_what_belongs_to_somebody_else_is_not_shown(product: Product) -> None:
    ours = claims_of((await product.persona("Bertha"))["_meta"][LIVE]["token"])
    bobs = await product.result(
        "create_ai_persona_or_digital_twin", product.bob, name="Bob", mode="clone", personaContext="Bob weaves."
    )
    his = claims_of(bobs["_meta"][LIVE]["token"])

    mixed = signed(product.folder, {**ours, "arguments": his["arguments"]})

    assert ours["sub"] != his["sub"]
    assert events(await look(product.edge, mixed)) == []


async def test_who_makes_a_persona_without_signing_in_gets_no_token(product: Product) -> None:
    arguments = {"name": "Demo", "mode": "keywords", "keywords": ["looms"]}

    response = await product.edge.call("create_ai_persona_or_digital_twin", arguments)

    assert response.json()["result"]["structuredContent"]["sparkId"]
    assert LIVE not in response.text


@pytest.mark.parametrize(
    ("caller", "is_linked", "gets_one"),
    [
        (ANONYMOUS, False, False),
        (ADA, False, True),
        (ADA, True, False),  # her key of a real API is kept nowhere, so that nobody could look later
        (Caller("oauth", "ada"), True, True),
    ],
)
def test_a_token_is_for_who_can_be_looked_for_later(caller: Caller, is_linked: bool, gets_one: bool) -> None:
    async def linked_key(_user_id: str) -> SecretStr:
        return SecretStr("minds_linked")

    clock = Clock()
    live = WidgetLive(SECRET, SITE, cast("ToolCalls", None), {}, linked_key if is_linked else None, now=clock)
    with signed_in(caller):
        meta = live.token("course", {"word": "x"})

    assert (meta is not None) is gets_one
    if meta is not None:
        way = meta[LIVE]
        assert way["url"] == f"{SITE}{LIVE_PATH}"
        assert (claims_of(way["token"])["sub"], claims_of(way["token"])["exp"]) == ("ada", clock.now + SECONDS)


@pytest.mark.parametrize(
    ("content", "over"),
    [
        ({"pollAfterMs": None}, True),
        ({"pollAfterMs": 2_000}, False),
        ({"questions": []}, True),
        ({"questions": [{"status": "completed"}, {"status": "failed"}]}, True),
        ({"questions": [{"status": "completed"}, {"status": "processing"}], "pollAfterMs": None}, False),
    ],
)
def test_what_is_over_is_known_by_what_the_tools_tell(content: dict[str, Any], over: bool) -> None:
    assert is_over(content) is over
