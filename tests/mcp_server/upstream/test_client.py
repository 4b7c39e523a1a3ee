"""The whole stack: deadline, breaker and place before a request leaves, and a client that any toolset may have."""

import asyncio
import gzip
from collections.abc import AsyncIterator
from contextlib import suppress
from time import monotonic

import httpx2
import pytest
import structlog
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.caller import ANONYMOUS, Caller
from mcp_server.errors import CircuitBreakerOpen, GatewayError, InvalidArguments, ServiceUnavailable, Timeout
from mcp_server.upstream.client import Upstream, address
from mcp_server.upstream.deadline import current_deadline
from tests.edge import within
from tests.mcp_server.outside import Observed, ObservedTelemetry
from tests.support import ADA, BOB, FakeApi, Reply, settings, signed_in

URL = "http://weather.test/api/v1/today"
TODAY = "GET /today"
CHAT, OTHER = {"operation": "chat"}, {"operation": "other"}


def upstream(network: FakeApi, observed: Observed | None = None, **values: float) -> Upstream:
    return Upstream(
        network,
        "weather.test",
        settings(upstream_retries=0, **values),
        timeouts={"chat": 7},
        telemetry=ObservedTelemetry([] if observed is None else observed),
        name="The weather service",
        label="weather.test:",
    )


class Slow:
    """Answers when the test says."""

    def __init__(self) -> None:
        self.begun, self.go = asyncio.Event(), asyncio.Event()

    async def __call__(self, _request: httpx2.Request) -> Reply:
        self.begun.set()
        await self.go.wait()
        return Reply({})


async def test_a_response_comes_whole_and_its_failures_name_the_service(api: FakeApi) -> None:
    api.answers[TODAY] = [Reply({"sun": True}), Reply(None, 500)]
    observed: Observed = []
    weather = upstream(api, observed, breaker_failures=1)

    assert (await weather.client.get(URL)).json() == {"sun": True}
    assert (await weather.client.get(URL)).status_code == 500
    with pytest.raises(CircuitBreakerOpen) as refusal:
        await weather.client.get(URL)

    assert str(refusal.value) == "The weather service keeps failing and is left alone for a moment"
    assert observed == [("weather.test:default", word) for word in ("2xx", "5xx", "circuit_breaker_open")]
    assert (weather.breakers["default"].state, weather.breakers["chat"].state) == ("open", "closed")


async def test_each_change_of_a_breaker_reaches_the_log_and_the_listener(api: FakeApi) -> None:
    api.answers[TODAY] = httpx2.ConnectError("x")
    changes: list[tuple[str, ...]] = []
    weather = Upstream(
        api, "weather.test", settings(breaker_failures=1), breaker_changed=lambda *change: changes.append(change)
    )

    with structlog.testing.capture_logs() as lines, pytest.raises(ServiceUnavailable):
        await weather.client.get(URL)

    assert changes == [("weather.test:default", "closed", "open")]
    assert "breaker_changed" in [line["event"] for line in lines]


async def test_a_compressed_response_is_decoded_and_no_cookie_is_kept() -> None:
    async def network(request: httpx2.Request) -> httpx2.Response:
        async def parts() -> AsyncIterator[bytes]:
            yield gzip.compress(b"x" * 10)

        assert "cookie" not in request.headers
        headers = {"set-cookie": "session=ada; Path=/", "content-encoding": "gzip"}
        return httpx2.Response(200, headers=headers, content=parts())

    weather = Upstream(httpx2.MockTransport(network), "weather.test", settings())

    assert [(await weather.client.get(URL)).text for _ in range(2)] == ["x" * 10] * 2


@pytest.mark.parametrize(
    ("status", "size", "outcome"), [(200, 3, "2xx"), (307, 3, "3xx"), (200, 1 << 25, "service_unavailable")]
)
async def test_every_connection_is_given_back_whether_or_not_its_body_was_read(
    status: int, size: int, outcome: str
) -> None:
    closed: list[bool] = []
    observed: Observed = []

    class Body(httpx2.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            yield b"x" * size

        async def aclose(self) -> None:
            closed.append(True)

    async def network(_request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(status, headers={"location": "/elsewhere"}, stream=Body())

    weather = Upstream(httpx2.MockTransport(network), "weather.test", settings(), telemetry=ObservedTelemetry(observed))
    with suppress(ServiceUnavailable):
        await weather.client.get(URL)

    assert closed
    assert (observed, weather.bulkhead.running) == ([("default", outcome)], 0)


async def test_who_finds_the_breaker_open_does_not_wait_for_a_place(api: FakeApi) -> None:
    slow = Slow()
    api.answers[TODAY] = slow
    weather = upstream(api, breaker_failures=1, upstream_concurrency=1, upstream_wait_seconds=60)
    first = asyncio.create_task(weather.client.get(URL, extensions=OTHER))
    await within(slow.begun.wait())
    waiting = asyncio.create_task(weather.client.get(URL, extensions=CHAT))
    while not weather.bulkhead.waiting:  # noqa: ASYNC110  the bulkhead has no event for it
        await asyncio.sleep(0)

    weather.breakers["chat"]._breaker.open()

    for call in (waiting, weather.client.get(URL, extensions=CHAT)):  # also who waited when it opened
        with pytest.raises(CircuitBreakerOpen):
            await within(call)
    slow.go.set()
    assert (await within(first)).status_code == 200
    assert weather.bulkhead.running == 0


async def test_a_deadline_of_the_caller_is_no_fault_and_the_time_of_the_operation_is(api: FakeApi) -> None:
    api.answers[TODAY] = Slow()
    weather = upstream(api, breaker_failures=1)

    token = current_deadline.set(monotonic() + 0.05)
    with pytest.raises(Timeout):
        await within(weather.client.get(URL))
    assert weather.breakers["default"].state == "closed"
    current_deadline.reset(token)
    with pytest.raises(Timeout):
        await within(weather.client.get(URL, extensions={"seconds": 0.01}))
    assert weather.breakers["default"].state == "open"


async def test_places_are_counted_for_each_subject_and_those_of_nobody_together(api: FakeApi) -> None:
    weather = upstream(api, upstream_concurrency_per_subject=1, upstream_wait_seconds=0.01)
    unknown_key = Caller(kind="api_key")

    async def may_come(caller: Caller) -> bool:
        try:
            with signed_in(caller):
                await weather.client.get(URL, extensions=CHAT)
        except GatewayError:
            return False
        return True

    for taken, free, full in ((ADA, BOB, ADA), (ANONYMOUS, ADA, unknown_key)):
        slow = Slow()
        api.answers[TODAY] = slow
        first = asyncio.create_task(may_come(taken))
        await within(slow.begun.wait())
        api.answers[TODAY] = Reply({})
        assert [await asyncio.create_task(may_come(caller)) for caller in (free, full)] == [True, False]
        slow.go.set()
        assert await within(first)


BASE = "https://api.example/api/v1"


@given(st.lists(st.text(max_size=20), min_size=1, max_size=4))
def test_segments_are_as_many_in_the_path_as_were_given(segments: list[str]) -> None:
    try:
        path = address(BASE, tuple(segments)).raw_path.decode().removeprefix("/api/v1/")
    except (InvalidArguments, UnicodeEncodeError):  # half of a surrogate pair is no text
        return

    parts = path.split("/")
    assert len(parts) == len(segments)
    assert all(part.strip(".") for part in parts)
    assert path.isascii()


def test_an_address_carries_its_parameters_and_no_other_calls() -> None:
    with_them = address(BASE, ("minds",), (("limit", 1), ("search", "a b&c=d")))

    assert dict(with_them.params) == {"limit": "1", "search": "a b&c=d"}
    assert str(address(BASE, ("minds",))) == f"{BASE}/minds"
    assert address(BASE, ("minds",), (("limit", "1"),)) != address(BASE, ("minds",), (("limit", 2),))
