"""The internal API is probed once, by a call like any other, however many want to know, and again only with reason."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from time import monotonic
from typing import Any

import httpx2
import orjson
import pytest

from mcp_server.caller import Caller
from mcp_server.errors import CircuitBreakerOpen, Timeout
from mcp_server.minds_api.api import Api
from mcp_server.minds_api.detector import PROBE_AGAIN, DialectFinder, described
from mcp_server.minds_api.dialect import Dialect
from mcp_server.minds_api.operations import Operation
from mcp_server.minds_api.refusals import Conflict, Missing
from mcp_server.upstream.attempt import MAX_BODY_BYTES
from mcp_server.upstream.client import Upstream
from mcp_server.upstream.deadline import current_deadline
from mcp_server.upstream.failure_mapping import Verdict
from tests.edge import within
from tests.loopback import Reply as Raw
from tests.loopback import reply, serving
from tests.mcp_server.outside import Observed, minds_upstream, slot, way_out
from tests.support import ADA, FakeApi, Reply, signed_in

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


def probing(api: httpx2.AsyncBaseTransport, **more: Any) -> tuple[DialectFinder, Upstream]:
    upstream = minds_upstream(api, **more)
    return DialectFinder(upstream, "http://api.test/api/v1"), upstream


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        (Reply({"paths": {"/api/v1/sparks": {}}}, 404), "closed"),
        (Reply({}, 429), "closed"),
        (Reply({}, 302, {"location": "/elsewhere"}), "closed"),
        (Reply(b""), "closed"),
        (Reply({"paths": {"/api/v1/sparks": {}}}, 500), "open"),
        (Reply(b"<html>"), "open"),
        (Reply(b" " * (MAX_BODY_BYTES + 1)), "open"),
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

    finder, upstream = probing(api, breaker_failures=1)
    assert (await finder.find(CHAT), finder.found) == (CURRENT, None)

    assert upstream.breakers[CHAT].state == state
    assert upstream.breakers[POLLING].state == "closed"
    assert upstream.bulkhead.running == 0


@asynccontextmanager
async def hanging(head: bytes = b"") -> AsyncIterator[Mapping[str, Raw]]:
    async def hang(writer: asyncio.StreamWriter) -> None:
        writer.write(head)
        await writer.drain()
        await asyncio.Event().wait()

    yield {"/api/v1/openapi.json": hang, "/api/v1/minds": reply("200 OK", b'{"data":[]}')}


async def test_a_probe_needs_no_place_of_the_operation_or_the_caller_that_asks(api: FakeApi) -> None:
    api.answers[DOCUMENT] = Reply({"paths": {"/api/v1/minds": {}}})
    bounds: dict[str, Any] = {"upstream_concurrency_per_operation": 1, "upstream_concurrency_per_subject": 1}

    finder, upstream = probing(api, **bounds)
    with signed_in(ADA):
        async with slot(upstream.bulkhead, "ada", CHAT):
            assert await within(finder.find(CHAT)) is finder.found is CURRENT
            assert {name: taken for name, taken, _ in upstream.bulkhead.uses()} == {"all": 1, "chat": 1, "dialect": 0}


async def test_a_probe_without_a_place_is_no_failure_of_who_waits_for_it(api: FakeApi) -> None:
    observed: Observed = []

    finder, upstream = probing(api, observed=observed, upstream_concurrency=1, upstream_wait_seconds=0.01)
    async with slot(upstream.bulkhead, "ada", CHAT):
        assert (await within(finder.find(CHAT)), finder.found) == (CURRENT, None)

    assert (api.asked, observed) == ([], [("chat", "busy")])


async def listing(out: Api, caller: Caller, deadline: float = 60) -> Any:
    limit = current_deadline.set(monotonic() + deadline)
    try:
        with signed_in(caller):
            return await out.call("GET", "minds")
    finally:
        current_deadline.reset(limit)


async def test_an_upstream_that_hangs_at_the_probe_holds_each_call_for_its_own_time_and_counts_once() -> None:
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


async def test_an_open_breaker_refuses_without_the_probe() -> None:
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
            for _ in range(3):  # the first of them by the fault of its own probe
                with pytest.raises(CircuitBreakerOpen):
                    await within(out.call("GET", "minds"))
            assert await within(out.call("GET", "minds", operation=CHAT)) == {"data": []}

    assert sum("openapi" in head for head in here.heads) == 1


class Oracle(FakeApi):
    """An upstream that describes itself as of one dialect after the other; the last one stays."""

    def __init__(self, *answers: Dialect | None) -> None:
        super().__init__()
        words = {CURRENT: "minds", SPARKS: "sparks"}
        told = [Reply({"paths": {f"/api/v1/{words[one]}": {}} if one else {}}) for one in answers]
        self.answers[DOCUMENT] = [*told[:-1], *[told[-1]] * 9]
        self.now, self.upstream = 0.0, minds_upstream(self, breaker_failures=1)

    @property
    def questions(self) -> int:
        return len(self.sent(DOCUMENT))

    def finder(self) -> DialectFinder:
        return DialectFinder(self.upstream, "http://api.test/api/v1", clock=lambda: self.now)


async def test_without_an_answer_it_is_todays_and_is_asked_again_later() -> None:
    oracle = Oracle(None, None, SPARKS)
    finder = oracle.finder()

    at_once = [await finder.find(CHAT), await finder.find(CHAT)]
    assert (at_once, oracle.questions) == ([CURRENT, CURRENT], 1)
    oracle.now += PROBE_AGAIN
    assert (await finder.find(CHAT), oracle.questions) == (CURRENT, 2)
    oracle.now += PROBE_AGAIN
    assert (await finder.find(CHAT), oracle.questions) == (SPARKS, 3)


async def test_for_an_operation_that_would_be_refused_nobody_asks_and_a_guess_has_to_do() -> None:
    oracle = Oracle(SPARKS)
    breaker = oracle.upstream.breakers[CHAT]
    breaker.settle(breaker.admit(), Verdict.FAULT)
    finder = oracle.finder()

    assert (await finder.find(CHAT), finder.found, oracle.questions) == (CURRENT, None, 0)
    assert await finder.find(POLLING) is SPARKS  # no guess was kept


def document(*collections: str) -> Reply:
    return Reply({"openapi": "3.1.0", "paths": {f"/api/v1/{name}": {} for name in collections}})


TODAY, BEFORE = document("minds", "audiences", "studies"), document("sparks", "groups", "panels")


async def test_a_call_is_translated_there_and_back(api: FakeApi) -> None:
    data = {"code": "PANEL_MINDS_NOT_READY", "notReady": [{"sparkId": "1", "sparkName": "Mia", "groupId": "2"}]}
    api.answers |= {
        "POST /panels/minds/ask": Reply({"data": {"groups": [{"group": "A", "sparks": []}]}}),
        "GET /panels/1/analytics": Reply({}),
        "POST /panels/1/ask": Reply({"statusCode": 409, "data": data}, 409),
    }

    async with way_out(api, dialect=SPARKS) as out:
        body = await out.call("POST", "studies", "minds", "ask", json={"question": "minds?", "audienceIds": ["a"]})
        await out.call("GET", "studies", "1", "analytics", params={"audienceId": "audienceId", "limit": 5})
        with pytest.raises(Conflict) as conflict:
            await out.call("POST", "studies", "1", "ask", json={})

    assert orjson.loads(api.asked[0].content) == {"question": "minds?", "groupIds": ["a"]}
    assert body == {"data": {"audiences": [{"audience": "A", "minds": []}]}}
    assert dict(api.asked[1].url.params) == {"groupId": "audienceId", "limit": "5"}
    assert conflict.value.data["notReady"] == [{"mindId": "1", "mindName": "Mia", "audienceId": "2"}]


@pytest.mark.parametrize(("told", "route"), [(TODAY, "GET /studies/1"), (BEFORE, "GET /panels/1")])
async def test_an_upstream_is_asked_once_for_its_dialect_before_the_first_call_that_needs_it(
    api: FakeApi, told: Reply, route: str
) -> None:
    api.answers |= {DOCUMENT: told, route: Reply({"data": {}}), "GET /auth/me": Reply({"id": "ada"})}

    async with way_out(api, dialect=None) as out:
        await out.call("GET", "auth", "me")
        assert api.sent(DOCUMENT) == []
        await asyncio.gather(*(out.call("GET", "studies", "1") for _ in range(5)))
        await out.call("GET", "studies", "1")

    assert len(api.sent(DOCUMENT)) == 1
    assert "authorization" not in api.sent(DOCUMENT)[0].headers
    assert len(api.sent(route)) == 6


@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_a_collection_that_is_gone_is_looked_for_under_its_other_name(api: FakeApi, method: str) -> None:
    api.answers |= {
        DOCUMENT: BEFORE,
        f"{method} /panels": Reply({}, 404),
        f"{method} /studies": Reply({"data": {"id": "1"}}),
    }
    body = {"name": "p", "audienceIds": ["a"]} if method == "POST" else None

    async with way_out(api, dialect=None) as out:
        assert await out.call(method, "studies", json=body) == {"data": {"id": "1"}}
        assert await out.call(method, "studies", json=body) == {"data": {"id": "1"}}

    assert (len(api.sent(DOCUMENT)), len(api.sent(f"{method} /panels"))) == (1, 1)
    if method == "POST":
        assert api.sent_json("POST /panels") == [{"name": "p", "groupIds": ["a"]}]
        assert api.sent_json("POST /studies") == [body, body]


@pytest.mark.parametrize(("described", "rest"), [(TODAY, ()), (Reply({}, 401), ("1",))])
async def test_a_404_that_the_dialect_does_not_explain_is_a_404_and_teaches_nothing(
    api: FakeApi, described: Reply, rest: tuple[str, ...]
) -> None:
    routes = [f"POST {'/'.join(('', name, *rest))}" for name in ("studies", "panels")]
    api.answers |= {DOCUMENT: described, **{route: Reply({}, 404) for route in routes}}

    async with way_out(api, dialect=None) as out:
        for _ in range(2):
            with pytest.raises(Missing):
                await out.call("POST", "studies", *rest, json={"audienceIds": ["unknown"]})

    assert [len(api.sent(route)) for route in (DOCUMENT, *routes)] == [1, 2, 2]


@pytest.mark.parametrize(
    ("dialect", "segments", "questions"), [(None, ("minds", "1"), 1), (CURRENT, ("minds",), 0), (None, ("auth",), 0)]
)
async def test_a_404_elsewhere_or_where_the_dialect_is_known_asks_nothing(
    api: FakeApi, dialect: Dialect | None, segments: tuple[str, ...], questions: int
) -> None:
    api.answers |= {DOCUMENT: TODAY, f"GET /{'/'.join(segments)}": Reply({}, 404)}

    async with way_out(api, dialect=dialect) as out:
        with pytest.raises(Missing):
            await out.call("GET", *segments)

    assert len(api.sent(DOCUMENT)) == questions


@pytest.mark.parametrize("segments", [("minds",), ("minds", "1")])
async def test_an_older_upstream_that_does_not_describe_itself_is_found_by_what_it_has(
    api: FakeApi, segments: tuple[str, ...]
) -> None:
    rest = "/".join(("", *segments[1:]))
    api.answers |= {
        DOCUMENT: Reply({}, 401),
        f"GET /minds{rest}": Reply({}, 404),
        f"GET /sparks{rest}": Reply({"sparkCount": 1}),
    }

    async with way_out(api, dialect=None) as out:
        assert [await out.call("GET", *segments) for _ in range(3)] == [{"mindCount": 1}] * 3

    assert len(api.sent(f"GET /minds{rest}")) == 1
