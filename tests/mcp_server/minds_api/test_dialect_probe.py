"""The question for the dialect is a call like any other: bounded, counted, and in nobody's way."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest

from mcp_server.caller import Caller, current_caller
from mcp_server.errors import CircuitBreakerOpen, Timeout
from mcp_server.minds_api.api import Api
from mcp_server.minds_api.dialect import Dialect
from mcp_server.minds_api.dialect_probe import DialectQuestion, described
from mcp_server.minds_api.replies import MAX_ANSWER_BYTES
from mcp_server.upstream.deadline import Deadline, current_deadline
from mcp_server.upstream.protection import Operation, Protection
from tests.edge import within
from tests.loopback import Reply as Raw
from tests.loopback import reply, serving
from tests.mcp_server.outside import Observed, way_out
from tests.support import ADA, FakeApi, Reply, settings

CURRENT, SPARKS = Dialect
CHAT, POLLING = Operation.CHAT, Operation.POLLING
DOCUMENT = "GET /openapi.json"


@pytest.mark.parametrize(
    ("paths", "dialect"),
    [
        (["/api/v1/minds", "/api/v1/studies"], CURRENT),
        (["/api/v1/sparks", "/api/v1/panels"], SPARKS),
        (["/api/v1/sparks", "/api/v1/minds"], CURRENT),
        (["/api/v1/auth/me"], None),
        ([], None),
    ],
)
def test_the_paths_say_the_dialect(paths: Sequence[str], dialect: Dialect | None) -> None:
    assert described({"openapi": "3.1.0", "paths": {path: {} for path in paths}}) is dialect


@pytest.mark.parametrize("document", [None, [], 7, {}, {"paths": None}, {"paths": ["/api/v1/minds"]}])
def test_a_document_that_is_none_says_nothing(document: Any) -> None:
    assert described(document) is None


@asynccontextmanager
async def questioned(
    api: httpx2.AsyncBaseTransport, observed: Observed | None = None, origin: str = "http://api.test", **values: Any
) -> AsyncIterator[tuple[DialectQuestion, Protection]]:
    protection = Protection("api.test", settings(**values), lambda *_change: None)

    def observe(operation: str, outcome: str, _seconds: float) -> None:
        if observed is not None:
            observed.append((operation, outcome))

    async with httpx2.AsyncClient(transport=api, timeout=None) as client:
        yield DialectQuestion(client, f"{origin}/api/v1", protection, observe), protection


async def test_the_question_carries_no_credential_and_a_big_document_is_read(api: FakeApi) -> None:
    api.answers[DOCUMENT] = Reply({"openapi": "3.1.0", "paths": {"/api/v1/sparks": {"description": "x" * 300_000}}})
    observed: Observed = []

    async with questioned(api, observed) as (question, _):
        assert await question.ask(CHAT) is SPARKS

    [request] = api.asked
    assert not {"authorization", "cookie"} & set(request.headers)
    assert observed == [("chat", "2xx")]


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        (Reply({"paths": {"/api/v1/sparks": {}}}, 404), "closed"),
        (Reply({}, 429), "closed"),
        (Reply({}, 302, {"location": "/elsewhere"}), "closed"),
        (Reply(b""), "closed"),
        (Reply({"paths": {"/api/v1/sparks": {}}}, 500), "open"),
        (Reply(b"<html>"), "open"),
        (Reply(b" " * (MAX_ANSWER_BYTES + 1)), "open"),
        (httpx2.ConnectError("x"), "open"),
        (httpx2.ReadTimeout("x"), "open"),
        (httpx2.DecodingError("x"), "open"),
    ],
    ids=str,
)
async def test_an_upstream_that_does_not_say_fails_no_call_and_is_counted_as_any_call(
    api: FakeApi, answer: Reply | Exception, state: str
) -> None:
    api.answers[DOCUMENT] = answer

    async with questioned(api, breaker_failures=1) as (question, protection):
        assert await question.ask(CHAT) is None

        assert protection.breakers[CHAT].state == state
        assert protection.breakers[POLLING].state == "closed"
        assert question.is_fit(CHAT) is (state == "closed")
        assert protection.bulkhead.running == 0


@pytest.mark.parametrize("head", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"])
async def test_an_upstream_that_never_ends_is_left_in_time_and_counted(head: bytes) -> None:
    async with hanging(head) as routes, serving(routes) as here:
        transport = httpx2.AsyncHTTPTransport(trust_env=False)
        observed: Observed = []
        async with questioned(transport, observed, here.origin, breaker_failures=1, timeout_polling=0.1) as (
            question,
            protection,
        ):
            assert await within(question.ask(CHAT)) is None
            assert (observed, protection.breakers[CHAT].state) == ([("chat", "timeout")], "open")


@asynccontextmanager
async def hanging(head: bytes = b"") -> AsyncIterator[Mapping[str, Raw]]:
    async def hang(writer: asyncio.StreamWriter) -> None:
        writer.write(head)
        await writer.drain()
        await asyncio.Event().wait()

    yield {"/api/v1/openapi.json": hang, "/api/v1/minds": reply("200 OK", b'{"data":[]}')}


async def test_a_question_needs_no_place_of_the_operation_or_the_caller_that_asks(api: FakeApi) -> None:
    api.answers[DOCUMENT] = Reply({"paths": {"/api/v1/minds": {}}})
    bounds: dict[str, Any] = {"upstream_concurrency_per_operation": 1, "upstream_concurrency_per_subject": 1}
    token = current_caller.set(ADA)

    async with questioned(api, **bounds) as (question, protection), protection.slot(CHAT):
        assert await within(question.ask(CHAT)) is CURRENT
        assert {name: taken for name, taken, _ in protection.bulkhead.uses()} == {
            "all": 1,
            "chat": 1,
            "dialect": 0,
        }

    current_caller.reset(token)


async def test_a_question_without_a_place_is_no_failure_of_who_waits_for_it(api: FakeApi) -> None:
    observed: Observed = []

    async with (
        questioned(api, observed, upstream_concurrency=1, upstream_wait_seconds=0.01) as (question, protection),
        protection.slot(CHAT),
    ):
        assert await within(question.ask(CHAT)) is None

    assert (api.asked, observed) == ([], [("chat", "busy")])


async def listing(out: Api, caller: Caller, deadline: float = 60) -> Any:
    current_caller.set(caller)
    current_deadline.set(Deadline.after(deadline))
    return await out.call("GET", "minds")


async def test_an_upstream_that_hangs_at_the_question_holds_each_call_for_its_own_time_and_counts_once() -> None:
    async with hanging() as routes, serving(routes) as here:
        transport = httpx2.AsyncHTTPTransport(trust_env=False)
        observed: Observed = []
        async with way_out(
            transport, base=here.origin, dialect=None, observed=observed, timeout_polling=0.3, breaker_failures=2
        ) as out:
            hasty = asyncio.create_task(listing(out, ADA, deadline=0.05))
            patient = [asyncio.create_task(listing(out, ADA)) for _ in range(3)]
            with pytest.raises(Timeout):
                await within(hasty)  # who asked first
            assert not any(task.done() for task in patient)
            assert await within(asyncio.gather(*patient)) == [{"data": []}] * 3

    assert sorted(observed) == [("default", "2xx")] * 3 + [("default", "timeout")]
    assert sum("openapi" in head for head in here.heads) == 1


async def test_an_open_breaker_refuses_without_the_question() -> None:
    async with hanging() as routes, serving(routes) as here:
        transport = httpx2.AsyncHTTPTransport(trust_env=False)
        async with way_out(
            transport,
            base=here.origin,
            dialect=None,
            timeout_polling=0.05,
            breaker_failures=1,
            breaker_reset_seconds=60,
        ) as out:
            for _ in range(3):  # the first of them by the fault of its own question
                with pytest.raises(CircuitBreakerOpen):
                    await within(out.call("GET", "minds"))
            assert await within(out.call("GET", "minds", operation=CHAT)) == {"data": []}

    assert sum("openapi" in head for head in here.heads) == 1
