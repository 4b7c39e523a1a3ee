"""One more try, soon and not at the same moment as everybody's, and only where it may help."""

from collections.abc import Callable
from time import monotonic

import httpx2
import pytest

from mcp_server.errors import GatewayError, ServiceUnavailable, Timeout
from mcp_server.minds_api.operations import Operation
from mcp_server.upstream.attempt import Attempts
from mcp_server.upstream.breaker import CircuitBreaker
from mcp_server.upstream.bulkhead import Bulkhead
from mcp_server.upstream.client import PAUSE, RetryTransport
from mcp_server.upstream.deadline import current_deadline
from mcp_server.upstream.failure_mapping import Verdict, judge
from tests.mcp_server.outside import Observed, ObservedTelemetry, way_out
from tests.support import FakeApi, Reply, settings

PASSING = httpx2.ConnectError("secret")


class Timed(Attempts):
    """Notes the seconds that each try was given."""

    given: list[float]

    async def make(self, request: httpx2.Request, operation: str, seconds: float) -> httpx2.Response:
        self.given.append(seconds)
        return await super().make(request, operation, seconds)


class World:
    """A clock, a breaker, a network that fails, and the pauses that were made."""

    def __init__(self, *, jitter: float = 0.5, more: int = 1, seconds: float = 30, takes: float = 0) -> None:
        self.now, self.takes, self.opens = 100.0, takes, False
        self.slept, self.observed = list[float](), Observed()
        self.breaker = CircuitBreaker("api", settings(breaker_failures=1))
        telemetry, breakers = ObservedTelemetry(self.observed), {"default": CircuitBreaker("patient", settings())}
        network, bulkhead = httpx2.MockTransport(self._answer), Bulkhead(settings())
        attempts = self.attempts = Timed(network, breakers, bulkhead, judge, telemetry, name="The internal API")
        attempts.given = []
        self.transport = RetryTransport(
            attempts,
            {"default": self.breaker},
            {"default": seconds},
            retries=more,
            sleep=self._sleep,
            jitter=lambda: jitter,
            clock=lambda: self.now,
        )

    async def _answer(self, _request: httpx2.Request) -> httpx2.Response:
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
        return len(self.attempts.given)


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
    assert world.attempts.given == [5, pytest.approx(3 - PAUSE / 2)]

    assert await World(seconds=5, takes=4.95).tries() == 1


async def test_a_refusal_of_the_network_itself_passes_as_it_is() -> None:
    async def refuse(_request: httpx2.Request) -> httpx2.Response:
        raise GatewayError("sign in again")

    world = World()
    world.attempts.network = httpx2.MockTransport(refuse)

    with pytest.raises(GatewayError, match="sign in again"):
        await world.transport.handle_async_request(httpx2.Request("GET", "http://api.test/"))
    assert world.observed == [("default", "cancelled")]


GET, POST = "GET /minds", "POST /minds"


def turns(*answers: Reply | Exception) -> Callable[[httpx2.Request], Reply]:
    left = list(answers)

    def answer(_request: httpx2.Request) -> Reply:
        one = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(one, Exception):
            raise one
        return one

    return answer


@pytest.mark.parametrize(
    "fault",
    [
        Reply(None, 502),
        Reply(None, 503),
        Reply(None, 504),
        httpx2.ConnectError("x"),
        httpx2.ReadError("x"),
        httpx2.RemoteProtocolError("server disconnected"),
    ],
)
async def test_a_read_that_failed_on_the_way_is_made_once_more(api: FakeApi, fault: Reply | Exception) -> None:
    api.answers[GET] = turns(fault, Reply({"fine": True}))
    observed: Observed = []

    async with way_out(api, observed=observed) as out:
        assert await out.call("GET", "minds") == {"fine": True}
        assert out.breakers[Operation.DEFAULT].state == "closed"

    assert len(api.asked) == 2
    assert [outcome for _, outcome in observed][1:] == ["retry", "2xx"]


async def test_a_call_whose_time_is_used_up_does_not_leave(api: FakeApi) -> None:
    api.answers[GET] = Reply({})
    observed, token = Observed(), current_deadline.set(monotonic() + 0)

    async with way_out(api, observed=observed) as out:
        with pytest.raises(Timeout):
            await out.call("GET", "minds")
        with pytest.raises(Timeout):
            await out.stream("POST", "studies", "1", "ask").__aenter__()

    current_deadline.reset(token)
    assert api.asked == []
    assert [outcome for _, outcome in observed] == ["deadline", "deadline"]
