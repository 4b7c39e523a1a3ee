"""Around a call: who, which, how long; and what came of it, in the words of the client's era."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Annotated, Any

import anyio
import httpx2
import mcp_types as types
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from pydantic import BaseModel, Field
from starlette.datastructures import Headers

from mcp_server.caller import ANONYMOUS, Caller, current_caller
from mcp_server.errors import CircuitBreakerOpen, NotReady, RateLimitExceeded, ServiceUnavailable
from mcp_server.limits.headers import META
from mcp_server.limits.rules import Limits, RateRules
from mcp_server.limits.windows import InMemorySlidingWindow
from mcp_server.observability.telemetry import no_op
from mcp_server.pipeline import Pipeline
from mcp_server.request_context import RequestContext, current_context
from mcp_server.runtime import Runtime
from mcp_server.toolkit.signature import PROVIDED
from mcp_server.toolkit.widgets import Live
from mcp_server.toolset import Context, Progress, Tool, Toolset
from mcp_server.upstream.addresses import AddressRefused
from mcp_server.upstream.deadline import BUDGET, NEVER, current_deadline, time_left
from tests.support import (
    ADA,
    BOB,
    ERAS,
    Era,
    FakeApi,
    Reply,
    connect_without_http,
    failure_of,
    serve,
    signed_in,
    text_of,
)


class Greeter:
    """The service of the toolset in this file."""

    def greet(self, name: str) -> str:
        return f"Hello {name}"


class Greeting(BaseModel):
    words: str = Field(serialization_alias="theWords")

    def as_text(self) -> str:
        return self.words

    def for_widget(self, _live: Live) -> dict[str, Any]:
        return {"minds/widget": "private"}


async def greet(
    greeter: Annotated[Greeter, PROVIDED],
    progress: Annotated[Progress, PROVIDED],
    context: Annotated[Context, PROVIDED],
    *,
    name: str,
) -> Greeting:
    """Greet."""
    await progress(1, 2, "half way")
    who = current_caller.get().subject
    return Greeting(words=f"{greeter.greet(name)} from {who} by {context.method}")


async def slow() -> Greeting:
    """Take for ever."""
    await anyio.sleep_forever()
    raise AssertionError


async def patient() -> Greeting:
    """Have much time."""
    await anyio.sleep_forever()
    raise AssertionError


async def remaining() -> Any:
    """How much time there is."""
    return types.CallToolResult(content=[types.TextContent(type="text", text=str(time_left()))])


async def crash() -> Greeting:
    """Crash."""
    message = "password=hunter2"
    raise RuntimeError(message)


async def refuse(*, how: str) -> Greeting:
    """Refuse."""
    kinds: dict[str, Exception] = {
        "limit": RateLimitExceeded(60),
        "open": CircuitBreakerOpen(12),
        "down": ServiceUnavailable(),
        "later": NotReady("not yet", stage="index"),
        "protocol": MCPError(-32602, "as the tool said it"),
        "private": AddressRefused("private_address", "It is not on the public internet."),
        "unreachable": httpx2.ConnectError("no route to 10.0.0.1"),
    }
    raise kinds[how]


@asynccontextmanager
async def open_greeter(_runtime: Runtime) -> AsyncIterator[Greeter]:
    yield Greeter()


def tool(run: Any, **more: Any) -> Tool:
    return Tool(run=run, title=run.__name__, annotations=types.ToolAnnotations(), **{"public": True, **more})


TOOLSET = Toolset(
    "greetings",
    (
        tool(greet, public=False, scopes=frozenset({"greet"})),
        tool(slow, timeout=0.02),
        tool(patient),
        tool(remaining, timeout=60),
        tool(crash),
        tool(refuse),
    ),
    open_greeter,
)
GUEST = Caller(kind="api_key", subject="guest", scopes=frozenset({"greet"}), client_id="app")


@asynccontextmanager
async def client(caller: Caller = GUEST, era: Era = "auto") -> AsyncIterator[Client]:
    async with serve(FakeApi(), [TOOLSET]) as gateway, gateway.connect(caller, era) as connected:
        yield connected


@pytest.mark.requirement("seed:gateway:tool-answers-text", "seed:gateway:tool-answers-structured")
@pytest.mark.parametrize("era", ERAS)
async def test_a_result_is_structured_content_complete_text_and_something_for_the_widget(era: Era) -> None:
    async with client(era=era) as connected:
        result = await connected.call_tool("greet", {"name": "Ada"})

    words = "Hello Ada from guest by tools/call"
    assert result.structured_content == {"theWords": words}
    assert text_of(result) == words
    assert result.meta is not None
    assert result.meta["minds/widget"] == "private"


@pytest.mark.requirement("seed:gateway:tool-answers-error")
@pytest.mark.parametrize("era", ERAS)
async def test_what_the_model_can_put_right_is_a_result_with_a_stable_word(era: Era) -> None:
    async with client(era=era) as connected:
        error = failure_of(await connected.call_tool("refuse", {"how": "later"}))
        fault = failure_of(await connected.call_tool("refuse", {}))

    assert error == {"code": "not_ready", "message": "not yet", "stage": "index"}
    assert fault["code"] == "invalid_arguments"


@pytest.mark.parametrize(
    ("how", "old", "new", "name"),
    [
        ("limit", -32002, 429, "RATE_LIMIT_EXCEEDED"),
        ("open", -32008, 503, "CIRCUIT_BREAKER_OPEN"),
        ("down", -32006, 503, "SERVICE_UNAVAILABLE"),
        ("unreachable", -32006, 503, "SERVICE_UNAVAILABLE"),
        ("slow", -32005, 504, "TIMEOUT"),
    ],
)
async def test_what_the_model_cannot_help_is_an_error_in_the_words_of_the_era(
    how: str, old: int, new: int, name: str
) -> None:
    for era, code in zip(ERAS, (new, old), strict=True):
        async with client(era=era) as connected:
            with pytest.raises(MCPError) as refusal:
                await connected.call_tool(*(("slow", {}) if how == "slow" else ("refuse", {"how": how})))

        assert refusal.value.code == code
        assert refusal.value.data["code"] == name


async def test_an_address_that_is_never_fetched_is_a_failure_that_says_why() -> None:
    async with client() as connected:
        result = await connected.call_tool("refuse", {"how": "private"})

    assert failure_of(result)["code"] == "invalid_arguments"


async def test_a_protocol_error_of_a_tool_passes_as_it_is() -> None:
    async with client() as connected:
        with pytest.raises(MCPError) as refusal:
            await connected.call_tool("refuse", {"how": "protocol"})

    assert (refusal.value.code, refusal.value.message) == (-32602, "as the tool said it")


@pytest.mark.requirement("seed:gateway:error-internal")
@pytest.mark.parametrize("era", ERAS)
async def test_a_bug_shows_nothing_of_itself(era: Era) -> None:
    async with client(era=era) as connected:
        with pytest.raises(MCPError) as refusal:
            await connected.call_tool("crash", {})

    assert refusal.value.code == -32603
    assert "hunter2" not in str(refusal.value) + str(refusal.value.data)


@pytest.mark.parametrize(("budget", "left"), [(None, 60), (5_000, 5), (90_000, 60)])
async def test_the_tool_has_what_is_sooner_the_clients_time_or_its_own(budget: int | None, left: float) -> None:
    meta: Any = {BUDGET: budget} if budget is not None else None

    async with client() as connected:
        result = await connected.call_tool("remaining", {}, meta=meta)

    assert left - 3 < float(text_of(result)) <= left
    assert current_deadline.get() is NEVER


async def test_over_http_a_client_may_say_it_in_a_header() -> None:
    pipeline = Pipeline({"remaining": tool(remaining, timeout=60)}, record=no_op)

    async with serve(FakeApi(), [TOOLSET]) as gateway:
        ctx: Any = SimpleNamespace(meta=None, protocol_version="2026-07-28", lifespan_context=gateway.runtime)
        shared = current_context.set(RequestContext("", Headers({"prefer": "wait=5"})))
        with signed_in(GUEST):
            result = await pipeline.call(ctx, types.CallToolRequestParams(name="remaining"))
        current_context.reset(shared)

    assert isinstance(result, types.CallToolResult)
    assert 2 < float(text_of(result)) <= 5


@pytest.mark.parametrize(
    ("caller", "name"), [(ANONYMOUS, "AUTHENTICATION_REQUIRED"), (ADA, "PERMISSION_DENIED"), (BOB, "PERMISSION_DENIED")]
)
async def test_who_may_not_use_a_tool_is_refused_here_too(caller: Caller, name: str) -> None:
    async with client(caller) as connected:
        with pytest.raises(MCPError) as refusal:
            await connected.call_tool("greet", {"name": "Ada"})

    assert refusal.value.data["code"] == name


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(("budget", "code"), [(0, "CLIENT_DEADLINE"), (30, "CLIENT_DEADLINE"), (60_000, "TIMEOUT")])
async def test_a_time_that_the_client_chose_is_told_from_one_that_is_the_tools(
    budget: int, code: str, era: Era
) -> None:
    meta: Any = {BUDGET: budget}

    async with serve(FakeApi(), [TOOLSET]) as gateway, gateway.connect(GUEST, era) as connected:
        with anyio.fail_after(10), pytest.raises(MCPError) as refusal:
            await connected.call_tool("slow" if budget > 30 else "patient", {}, meta=meta)

    assert refusal.value.data["code"] == "TIMEOUT"
    assert [(event.outcome, event.code) for event in gateway.events] == [("refused", code)]


async def test_each_call_is_told_once_with_its_outcome_and_without_its_arguments() -> None:
    async with serve(FakeApi(), [TOOLSET]) as gateway, gateway.connect(GUEST) as connected:
        await connected.call_tool("greet", {"name": "a secret name"})
        await connected.call_tool("refuse", {"how": "later"})
        for name, arguments in (("refuse", {"how": "limit"}), ("crash", {}), ("slow", {}), ("no_such_tool", {})):
            with pytest.raises(MCPError):
                await connected.call_tool(name, arguments)

    told = [(event.tool, event.outcome, event.code) for event in gateway.events]
    assert told == [
        ("greet", "success", None),
        ("refuse", "failure", "not_ready"),
        ("refuse", "refused", "RATE_LIMIT_EXCEEDED"),
        ("crash", "error", "INTERNAL_ERROR"),
        ("slow", "refused", "TIMEOUT"),
    ]
    first = gateway.events[0]
    assert (first.subject, first.client_id, first.protocol_version) == ("guest", "app", "2026-07-28")
    assert first.seconds >= 0
    assert "a secret name" not in repr(gateway.events)


async def test_a_call_whose_client_left_is_told_as_cancelled() -> None:
    patient = Toolset("patient", (tool(slow, timeout=60),))

    async with serve(FakeApi(), [patient]) as gateway, gateway.connect(GUEST) as connected:
        with anyio.move_on_after(0.05):
            await connected.call_tool("slow", {})

    assert [event.outcome for event in gateway.events] == ["cancelled"]


async def test_without_http_the_caller_is_the_one_of_the_process(api: FakeApi) -> None:
    async with connect_without_http(api, ANONYMOUS) as connected:
        with pytest.raises(MCPError) as refusal:
            await connected.call_tool("list_my_ai_personas", {})

    assert "MINDSAI_API_KEY" in refusal.value.message


@pytest.mark.parametrize(("era", "code"), [("legacy", -32002), ("auto", 429)])
async def test_without_headers_a_result_tells_the_figures_and_a_refusal_when_to_come_back(
    api: FakeApi, era: Era, code: int
) -> None:
    rules = RateRules("9/minute", "9/minute", "*=2/minute", {})
    api.answers["GET /minds"] = Reply({"data": []})

    async with connect_without_http(api, ADA, era, limits=Limits(InMemorySlidingWindow().hit, rules)) as client:
        results = [await client.call_tool("list_my_ai_personas", {}) for _ in range(2)]
        with pytest.raises(MCPError) as refused:
            await client.call_tool("list_my_ai_personas", {})

    told = [(result.meta or {})[META] for result in results]
    assert [figures["remaining"] for figures in told] == [1, 0]
    assert told[0] == {"policy": "tools/call", "limit": 2, "window": 60, "remaining": 1, "reset": 60}
    assert refused.value.error.code == code
    assert refused.value.error.data["code"] == "RATE_LIMIT_EXCEEDED"
    assert 0 < refused.value.error.data["retryAfter"] <= 60
    assert refused.value.error.data["rateLimit"]["remaining"] == 0
