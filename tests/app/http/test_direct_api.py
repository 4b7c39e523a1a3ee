"""The embedded API as strangers reach it: what they are charged, what is told of them, and that nobody pays twice."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from pydantic import SecretStr
from starlette.types import Receive, Scope, Send

from app.audit.activity import AuditActivity
from app.composition import Parts
from app.http.direct_api import COSTS_LIKE, DirectApi
from app.http.rate_limits import ConcurrencyLimit
from app.internal_api.resources.table import operations
from app.storage.engine import open_engine
from mcp_server.audit.files import folder_of
from mcp_server.audit.recorder import Recorder
from mcp_server.caller import ANONYMOUS, Caller
from mcp_server.minds_api.credentials import EmbeddedCredentials
from mcp_server.request_context import RequestContext, RequestHeaders, current_context
from mcp_server.toolkit.secret_file import shared_secret
from mcp_server.toolset import discover
from oauth.errors import StoreUnavailable
from oauth.primitives.scopes import ALL
from oauth.verifier import Verifier
from tests.auditing import KEY, Memory, queued, rows_in
from tests.edge import SITE, Edge, make_keys, running, settings_for, within

API = "/api/v1"
FIGURES = {"x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "ratelimit", "ratelimit-policy"}
JSON = {"content-type": "application/json"}
NOBODY = "00000000-0000-4000-8000-00000000dead"
WISH = {"name": "Ada", "discipline": "Mathematics", "mode": "keywords", "keywords": ["numbers"]}


@pytest.fixture(autouse=True)
def _no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INTERNAL_API_RUN_WORKER", "false")


@asynccontextmanager
async def limited(folder: Path, **limits: Any) -> AsyncIterator[tuple[Edge, str]]:
    """A gateway, and a key of an account with every scope."""
    settings = settings_for(folder, **limits)
    key, _ = await make_keys(settings, ALL)
    async with running(settings) as edge:
        yield edge, key


async def asked(edge: Edge, method: str, path: str, key: str | None = None, **more: Any) -> httpx2.Response:
    headers = {"authorization": f"Bearer {key}"} if key else {}
    return await edge.client.request(method, API + path, headers={**headers, **more.pop("headers", {})}, **more)


def wrong_key(number: int) -> str:
    return f"aox_{number:048x}"


def told(folder: Path, event: str) -> list[dict[str, Any]]:
    return [row for row in rows_in(folder_of(folder)) if row["event"] == event]


@pytest.mark.security("RL-02")
async def test_every_answer_of_the_api_says_how_the_tightest_window_stands(tmp_path: Path) -> None:
    async with limited(tmp_path, rate_limit_anonymous="50/minute") as (edge, key):
        answers = [
            await asked(edge, "GET", "/minds", key),
            await asked(edge, "GET", "/minds", key),
            await asked(edge, "POST", "/minds", key, json=WISH),
            await asked(edge, "GET", f"/minds/{NOBODY}", key),
            await asked(edge, "GET", "/minds", edge.narrow_key),
            await asked(edge, "GET", "/minds"),
            await asked(edge, "GET", "/minds", wrong_key(1)),
            await asked(edge, "GET", f"/minds/{NOBODY}", headers={"x-minds-demo-token": "guess"}),
            await asked(edge, "GET", "/nothing/here"),
            await asked(edge, "PATCH", "/minds"),
            await asked(edge, "GET", "/openapi.json"),
        ]

    assert [answer.status_code for answer in answers] == [200, 200, 201, 404, 403, 401, 401, 404, 404, 405, 200]
    assert all(set(answer.headers) >= FIGURES for answer in answers)
    left = [answer.headers["x-ratelimit-remaining"] for answer in answers[5:]]
    assert left == ["49", "48", "47", "46", "45", "44"]


@pytest.mark.security("RL-07", "AK-10")
async def test_wrong_keys_at_the_api_are_slowed_down_while_right_ones_from_there_work(tmp_path: Path) -> None:
    async with limited(tmp_path, rate_limit_anonymous="5/minute") as (edge, key):
        wrong = [(await asked(edge, "GET", "/minds", wrong_key(number))).status_code for number in range(30)]
        elsewhere = (await edge.rpc("tools/list", key=wrong_key(99))).status_code
        right = [(await asked(edge, "GET", "/minds", key)).status_code for _ in range(10)]

    assert wrong == [401] * 5 + [429] * 25
    assert elsewhere == 429, "the window is the one of /mcp"
    assert right == [200] * 10
    assert 0 < len(told(tmp_path, "authFailure")) <= 5


@pytest.mark.parametrize("header", ["Basic QTpC", "Bearer", "Bearer a b", "bearer  x", "Bearer " + "k" * 9_000])
async def test_what_is_no_credential_at_all_is_charged_as_a_wrong_one(tmp_path: Path, header: str) -> None:
    async with limited(tmp_path, rate_limit_anonymous="2/minute") as (edge, _key):
        answers = [await asked(edge, "GET", "/minds", headers={"authorization": header}) for _ in range(3)]

    assert [answer.status_code for answer in answers] == [401, 401, 429]


async def test_a_refusal_has_the_form_of_the_api_and_says_when_to_come_back(tmp_path: Path) -> None:
    async with limited(tmp_path, rate_limit_authenticated="2/minute") as (edge, key):
        answers = [await asked(edge, "GET", "/minds", key) for _ in range(3)]

    refusal = answers[-1]
    body = refusal.json()
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert (body["statusCode"], body["error"], body["url"]) == (429, True, f"{API}/minds")
    assert body["data"]["code"] == "RATE_LIMIT_EXCEEDED"
    assert body["data"]["retryAfter"] == int(refusal.headers["retry-after"]) >= 1
    assert refusal.headers["x-ratelimit-remaining"] == "0"


@pytest.mark.security("RL-06")
async def test_an_account_has_one_window_for_the_tools_and_the_api(tmp_path: Path) -> None:
    async with limited(tmp_path, rate_limit_authenticated="4/minute") as (edge, key):
        tools = [(await edge.rpc("tools/list", key=key)).status_code for _ in range(3)]
        api = [(await asked(edge, "GET", "/minds", key)).status_code for _ in range(2)]
        after = (await edge.rpc("tools/list", key=key)).status_code

    assert (tools, api, after) == ([200] * 3, [200, 429], 429)


@pytest.mark.parametrize(
    ("tool", "path"),
    [
        ("create_ai_persona_or_digital_twin", "/minds"),
        ("talk_to_ai_persona", f"/minds/{NOBODY}/completion"),
        ("ask_panel", f"/studies/{NOBODY}/ask"),
        ("*", f"/minds/{NOBODY}/retrain"),
    ],
)
async def test_what_a_tool_does_costs_the_same_without_it(tmp_path: Path, tool: str, path: str) -> None:
    async with running(settings_for(tmp_path, rate_limit_tools=f"{tool}=2/minute"), Parts()) as edge:
        key, _ = await make_keys(settings_for(tmp_path), ALL)
        tried = [(await asked(edge, "POST", path, key, json={})).status_code for _ in range(3)]
        read = await asked(edge, "GET", "/minds", key)

    assert 429 not in tried[:2]
    assert (tried[2], read.status_code) == (429, 200)


def test_each_price_is_that_of_a_tool_for_an_operation_that_there_is() -> None:
    assert set(COSTS_LIKE) <= {operation.id for operation in operations() if operation.method != "GET"}
    assert set(COSTS_LIKE.values()) <= {
        tool.name for toolset in discover(("personas", "panels")) for tool in toolset.tools
    }


async def test_what_the_gateway_asks_for_a_tool_is_not_charged_or_told_a_second_time(tmp_path: Path) -> None:
    settings = settings_for(tmp_path, rate_limit_anonymous="3/minute", rate_limit_authenticated="4/minute")
    key, _ = await make_keys(settings, ALL)
    async with running(settings, Parts()) as edge:
        known = [await edge.call("list_my_ai_personas", key=key) for _ in range(3)]
        made = await edge.call("create_ai_persona_or_digital_twin", WISH, key=key)
        visitor = [await edge.call("create_ai_persona_or_digital_twin", WISH) for _ in range(3)]

    assert [answer.status_code for answer in (*known, made, *visitor)] == [200] * 7
    assert made.json()["result"]["isError"] is False
    assert [answer.headers["x-ratelimit-remaining"] for answer in known] == ["3", "2", "1"]
    assert visitor[-1].headers["x-ratelimit-remaining"] == "0"
    assert told(tmp_path, "apiChange") == []
    assert len(told(tmp_path, "toolSuccess")) == 7


@pytest.mark.security("RS-29")
async def test_a_service_token_opens_nothing_at_the_port_and_is_charged_as_a_guess(tmp_path: Path) -> None:
    async with limited(tmp_path, rate_limit_anonymous="2/minute") as (edge, _key):
        tokens = [
            EmbeddedCredentials(secret).bearer(ANONYMOUS) for secret in (shared_secret(tmp_path), SecretStr("x" * 64))
        ]
        answers = [(await asked(edge, "GET", "/minds", token)).status_code for token in (*tokens, tokens[0])]

    assert answers == [401, 401, 429]


@pytest.mark.security("RE-05", "RL-02")
async def test_so_much_at_once_and_no_more_for_who_comes_from_outside(tmp_path: Path) -> None:
    entered, released = asyncio.Event(), asyncio.Event()

    async def slowly() -> AsyncIterator[bytes]:
        yield b"{"
        entered.set()
        await released.wait()
        yield b"}"

    async with limited(tmp_path, max_calls_at_once=1) as (edge, key):
        holding = asyncio.create_task(asked(edge, "POST", "/minds", key, content=slowly(), headers=JSON))
        await within(entered.wait())
        refused, at_mcp = await asked(edge, "GET", "/minds", key), await edge.rpc("tools/list", key=key)
        other = await asked(edge, "GET", "/minds", edge.narrow_key)
        released.set()
        held = await within(holding)
        after = await asked(edge, "GET", "/minds", key)

    assert (refused.status_code, at_mcp.status_code) == (429, 429)
    for answer in (refused, at_mcp):
        assert answer.headers["retry-after"] == "1"
        assert answer.headers["ratelimit-policy"] == '"at-once";q=1;qu="concurrent-requests"'
        assert answer.headers["x-ratelimit-remaining"] == "0"
        assert "x-ratelimit-reset" not in answer.headers
    assert refused.json()["data"]["rateLimit"] == {"policy": "at-once", "limit": 1, "remaining": 0}
    assert (other.status_code, held.status_code, after.status_code) == (403, 400, 200)


@pytest.mark.security("RL-07")
async def test_every_change_from_outside_has_its_row_and_reads_have_none(tmp_path: Path) -> None:
    async with limited(tmp_path) as (edge, key):
        made = await asked(edge, "POST", "/minds", key, json=WISH, headers={"x-request-id": "r-1"})
        spark = made.json()["data"]["id"]
        await asked(edge, "GET", f"/minds/{spark}", key)
        await asked(edge, "DELETE", f"/minds/{spark}", key)
        await asked(edge, "DELETE", f"/minds/{spark}", key)  # again: 404
        await asked(edge, "DELETE", f"/minds/{spark}", edge.narrow_key)  # 403
        await asked(edge, "DELETE", f"/minds/{spark}", wrong_key(1))  # nobody: no change, and no row of one

    rows = told(tmp_path, "apiChange")
    said = [(row["tool"], row["detail"], row["outcome"], row.get("reason")) for row in rows]
    assert said == [
        ("createMind", {"method": "POST", "status": 201}, "ok", None),
        ("deleteMind", {"method": "DELETE", "status": 204}, "ok", None),
        ("deleteMind", {"method": "DELETE", "status": 404}, "failed", "404"),
        ("deleteMind", {"method": "DELETE", "status": 403}, "failed", "403"),
    ]
    begun = told(tmp_path, "apiInvoke")
    assert [(row["request"], row["tool"]) for row in begun] == [(row["request"], row["tool"]) for row in rows]
    assert all(first["seq"] < second["seq"] for first, second in zip(begun, rows, strict=True))
    assert rows[0]["request"] == "r-1"
    assert all({"subject", "client", "address", "ms"} <= set(row) for row in rows)
    assert len({row["subject"] for row in rows}) == 2


async def only_ada(bearer: str) -> Caller:
    return Caller("api_key", "ada", ALL, bearer)


async def test_a_change_is_told_before_the_api_is_asked_for_it() -> None:
    recorder, told_by_then = Recorder([Memory()], KEY), []

    async def dies(_scope: Scope, _receive: Receive, _send: Send) -> None:
        told_by_then.extend(queued(recorder))
        raise asyncio.CancelledError

    headers = RequestHeaders([(b"authorization", b"Bearer key")])
    api = DirectApi(dies, only_ada, recorder, None, ConcurrencyLimit(9))
    token = current_context.set(RequestContext("r", headers))
    transport = httpx2.ASGITransport(api)
    async with httpx2.AsyncClient(transport=transport, base_url=SITE) as client:
        with pytest.raises(asyncio.CancelledError):
            await client.delete(f"{API}/minds/{NOBODY}")
    current_context.reset(token)

    assert [(row.event, row.subject, row.client, row.tool) for row in told_by_then] == [
        ("apiInvoke", "ada", "key", "deleteMind")
    ]


async def test_the_account_sees_what_was_changed_through_the_api(tmp_path: Path) -> None:
    async with limited(tmp_path) as (edge, key):
        me = (await asked(edge, "GET", "/auth/me", key)).json()["id"]
        await asked(edge, "POST", "/minds", key, json=WISH)
        await asked(edge, "GET", "/minds", key)
    engine = open_engine(settings_for(tmp_path).database)
    happened = await AuditActivity(Recorder(), engine).latest(me)
    await engine.dispose()

    assert [(one.event, one.outcome) for one in happened] == [("api:createMind", "ok")]


async def test_a_silent_store_costs_nobody_anything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def silent(_self: Verifier, _bearer: str) -> None:
        raise StoreUnavailable("down")

    async with limited(tmp_path, rate_limit_anonymous="2/minute") as (edge, key):
        monkeypatch.setattr(Verifier, "verify", silent)
        answers = [await asked(edge, "GET", "/minds", key) for _ in range(5)]

    assert [answer.status_code for answer in answers] == [503] * 5
    assert all(answer.headers["retry-after"] == "1" for answer in answers)
    assert {answer.headers["x-ratelimit-remaining"] for answer in answers} == {"2"}
