"""One more try, soon and not at the same moment as everybody's, and only where it may help."""

from time import monotonic

import httpx2
import pytest

from mcp_server.errors import GatewayError, ServiceUnavailable
from mcp_server.upstream.breaker import CircuitBreaker
from mcp_server.upstream.deadline import current_deadline
from mcp_server.upstream.failure_mapping import Verdict
from mcp_server.upstream.retry import PAUSE, RetryTransport
from tests.mcp_server.outside import Observed, ObservedTelemetry

PASSING = httpx2.ConnectError("secret")


class World:
    """A clock, a breaker, a network that fails, and the pauses that were made."""

    def __init__(self, *, jitter: float = 0.5, more: int = 1, seconds: float = 30, takes: float = 0) -> None:
        self.now, self.takes, self.opens = 100.0, takes, False
        self.slept, self.observed, self.given = list[float](), Observed(), list[float]()
        self.breaker = CircuitBreaker("api", failures=1)
        self.transport = RetryTransport(
            httpx2.MockTransport(self._answer),
            {"default": self.breaker},
            {"default": seconds},
            ObservedTelemetry(self.observed),
            name="The internal API",
            retries=more,
            sleep=self._sleep,
            jitter=lambda: jitter,
            clock=lambda: self.now,
        )

    async def _answer(self, request: httpx2.Request) -> httpx2.Response:
        self.given.append(request.extensions["seconds"])
        self.now += self.takes
        raise PASSING

    async def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds
        if self.opens:
            self.breaker.settle(self.breaker.admit(), Verdict.FAULT)

    async def tries(self, method: str = "GET") -> int:
        with pytest.raises(ServiceUnavailable) as failure:
            await self.transport.handle_async_request(httpx2.Request(method, "http://api.test/"))
        assert "secret" not in str(failure.value)
        return len(self.given)


@pytest.mark.parametrize(("method", "more", "tries"), [("GET", 0, 1), ("HEAD", 3, 4), ("POST", 3, 1)])
async def test_reads_are_made_as_often_as_the_setting_says_and_nothing_else_twice(
    method: str, more: int, tries: int
) -> None:
    assert await World(more=more).tries(method) == tries


async def test_nothing_is_tried_against_an_open_breaker_or_as_a_second_probe() -> None:
    world = World()
    world.breaker.settle(world.breaker.admit(), Verdict.FAULT)

    assert (await world.tries(), world.slept) == (1, [])


async def test_a_breaker_that_opens_during_the_pause_ends_it() -> None:
    world = World()
    world.opens = True

    assert await world.tries() == 1
    assert ("default", "retry") not in world.observed


async def test_a_pause_that_the_deadline_does_not_allow_is_not_made() -> None:
    world, token = World(), current_deadline.set(monotonic() + PAUSE / 4)

    assert (await world.tries(), world.slept) == (1, [])
    current_deadline.reset(token)


async def test_all_tries_share_the_time_of_one_operation() -> None:
    world = World(seconds=5, takes=2)
    await world.tries()
    assert world.given == [5, pytest.approx(3 - PAUSE / 2)]

    assert await World(seconds=5, takes=4.95).tries() == 1


async def test_a_refusal_of_the_network_itself_passes_as_it_is() -> None:
    async def refuse(_request: httpx2.Request) -> httpx2.Response:
        raise GatewayError("sign in again")

    world = World()
    world.transport._inner = httpx2.MockTransport(refuse)

    with pytest.raises(GatewayError, match="sign in again"):
        await world.transport.handle_async_request(httpx2.Request("GET", "http://api.test/"))
    assert world.observed == [("default", "cancelled")]
