"""Five faults open it, thirty seconds later one probe at a time, two successes close it; nothing else moves it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import httpx2
import pytest
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from mcp_server.observability.telemetry import Telemetry
from mcp_server.upstream.attempt import Attempts
from mcp_server.upstream.breaker import CircuitBreaker
from mcp_server.upstream.bulkhead import Bulkhead
from mcp_server.upstream.failure_mapping import Abandoned, BreakerOpen, Verdict, judge
from tests.support import Clock, settings

SETTINGS = settings()
FAULT = httpx2.ConnectError("x")
Answer = Callable[[], Awaitable[httpx2.Response]]


class Guarded(CircuitBreaker):
    """A breaker with its transport; the network does what each request is told."""

    def __init__(self, clock: Callable[[], float] | None = None, **values: float) -> None:
        self.changes: list[tuple[str, str]] = []
        super().__init__(
            "api",
            settings(**values),
            on_change=lambda _name, old, new: self.changes.append((old, new)),
            clock=clock or Clock(),
        )

    async def ask(self, answer: Answer | Exception | int = 200) -> httpx2.Response:
        async def network(_request: httpx2.Request) -> httpx2.Response:
            if isinstance(answer, Exception):
                raise answer
            return httpx2.Response(answer) if isinstance(answer, int) else await answer()

        attempts = Attempts(
            httpx2.MockTransport(network), {"default": self}, Bulkhead(SETTINGS), judge, Telemetry(), name="The API"
        )
        request = httpx2.Request("GET", "http://api.test/", extensions={"stream": True})
        return await attempts.make(request, "default", 30)

    async def fail(self, times: int = 1) -> None:
        for _ in range(times):
            with pytest.raises(httpx2.ConnectError):
                await self.ask(FAULT)

    async def is_refusing(self) -> bool:
        try:
            self.settle(self.admit(), Verdict.IGNORE)
        except BreakerOpen:
            return True
        return False


async def opened(clock: Clock) -> Guarded:
    guarded = Guarded(clock)
    await guarded.fail(5)
    return guarded


class Slow:
    """An answer that comes when the test says."""

    def __init__(self, outcome: Exception | int = 200) -> None:
        self.begun, self.go, self.outcome = asyncio.Event(), asyncio.Event(), outcome

    async def __call__(self) -> httpx2.Response:
        self.begun.set()
        await self.go.wait()
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return httpx2.Response(self.outcome)


@pytest.mark.requirement("seed:gateway:breaker-opens", "seed:gateway:breaker-refuses")
async def test_the_fifth_fault_opens_it_and_the_next_call_is_not_made() -> None:
    guarded = Guarded()

    for expected in ["closed"] * 4 + ["open"]:
        await guarded.fail()  # the fault itself reaches the caller, also the one that opens it
        assert guarded.state == expected

    with pytest.raises(BreakerOpen) as refusal:
        await guarded.ask()
    assert refusal.value.retry_after == 30
    assert guarded.changes == [("closed", "open")]


@pytest.mark.requirement("seed:gateway:breaker-half-open", "seed:gateway:breaker-closes")
async def test_after_thirty_seconds_two_successes_close_it() -> None:
    clock = Clock()
    guarded = await opened(clock)

    clock.now += 29.9
    with pytest.raises(BreakerOpen):
        await guarded.ask()
    clock.now += 0.1
    await guarded.ask()
    assert guarded.state == "half-open"
    await guarded.ask()

    assert (guarded.state, guarded.retry_after) == ("closed", 0)
    assert guarded.changes == [("closed", "open"), ("open", "half-open"), ("half-open", "closed")]


@pytest.mark.parametrize(
    ("answers", "state"),
    [
        ([200, 307, 404, 429, httpx2.PoolTimeout("x"), ValueError(), Abandoned()], "closed"),
        *[([fault], "open") for fault in (500, 503, TimeoutError(), ConnectionResetError(), httpx2.ReadTimeout("x"))],
    ],
)
async def test_faults_of_the_server_and_deadlines_open_it_and_nothing_else(
    answers: list[int | Exception], state: str
) -> None:
    guarded = Guarded(breaker_failures=1)

    for answer in answers:
        await asyncio.gather(guarded.ask(answer), return_exceptions=True)

    assert guarded.state == state


async def test_callers_who_leave_never_open_it() -> None:
    guarded = Guarded(breaker_failures=1)

    for _ in range(20):
        task = asyncio.create_task(guarded.ask(Slow()))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    assert guarded.state == "closed"


async def test_an_answer_of_an_earlier_window_says_nothing_about_this_one() -> None:
    clock = Clock()
    guarded, slow = Guarded(clock), Slow(FAULT)

    task = asyncio.create_task(guarded.ask(slow))
    await slow.begun.wait()
    await guarded.fail(5)
    clock.now += 30
    await guarded.ask()
    await guarded.ask()
    assert guarded.state == "closed"

    slow.go.set()
    await asyncio.gather(task, return_exceptions=True)
    await guarded.fail(4)

    assert guarded.state == "closed"


async def test_of_a_thousand_at_once_one_is_let_in_and_the_others_are_refused_at_once() -> None:
    clock = Clock()
    guarded, slow = await opened(clock), Slow()
    clock.now += 30

    tasks = [asyncio.create_task(guarded.ask(slow)) for _ in range(1000)]
    done, waiting = await asyncio.wait(tasks, timeout=10, return_when=asyncio.FIRST_COMPLETED)
    refusals = [task.exception() for task in done]

    assert (len(refusals), len(waiting)) == (999, 1)
    assert {refusal.retry_after for refusal in refusals if isinstance(refusal, BreakerOpen)} == {1.0}
    slow.go.set()
    await asyncio.gather(*waiting)
    assert guarded.state == "half-open"


async def test_a_probe_whose_caller_left_lets_the_next_one_in() -> None:
    clock = Clock()
    guarded = await opened(clock)
    clock.now += 30

    task = asyncio.create_task(guarded.ask(Slow()))
    await asyncio.sleep(0)
    assert await guarded.is_refusing()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)

    assert not await guarded.is_refusing()


async def stream(content: bytes = b"data: 1\n\n") -> httpx2.Response:
    async def parts() -> AsyncIterator[bytes]:
        yield content

    return httpx2.Response(200, headers={"content-type": "text/event-stream"}, content=parts())


async def test_a_stream_is_counted_by_its_end_and_keeps_the_probe_until_its_first_event() -> None:
    clock = Clock()
    guarded = await opened(clock)
    clock.now += 30

    first = await guarded.ask(stream)
    assert await guarded.is_refusing()
    first.extensions["open_stream"].first_event()
    second = await guarded.ask(stream)
    await first.aclose()  # abandoned, and it does not free the probe of another
    assert await guarded.is_refusing()
    await second.aread()
    await guarded.ask()

    assert guarded.state == "closed"


class BreakerMachine(RuleBasedStateMachine):
    """The breaker beside a plain model of the published table."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = Clock()
        self.guarded = Guarded(self.clock)
        self.state, self.faults, self.successes, self.opened = "closed", 0, 0, 0.0

    @rule(verdict=st.sampled_from(list(Verdict)))
    def ask(self, verdict: Verdict) -> None:
        refused = False
        try:
            self.guarded.settle(self.guarded.admit(), verdict)
        except BreakerOpen:
            refused = True
        if self.state == "open":
            if self.clock.now < self.opened + 30:
                assert refused
                return
            self.state, self.successes = "half-open", 0
        assert not refused
        self._model(verdict)

    def _model(self, verdict: Verdict) -> None:
        if verdict is Verdict.FAULT:
            self.faults += 1
            if self.state == "half-open" or self.faults >= 5:
                self.state, self.opened, self.faults = "open", self.clock.now, 0
        elif verdict is Verdict.OK:
            self.faults = 0
            self.successes += 1
            if self.state == "half-open" and self.successes >= 2:
                self.state = "closed"

    @precondition(lambda self: self.state == "open")
    @rule(seconds=st.sampled_from([1.0, 29.0, 30.0]))
    def wait(self, seconds: float) -> None:
        self.clock.now += seconds

    @invariant()
    def both_agree(self) -> None:
        assert self.guarded.state == self.state


def test_no_sequence_of_calls_takes_it_away_from_the_table() -> None:
    machine = BreakerMachine.TestCase
    machine.settings = hypothesis_settings(max_examples=25, stateful_step_count=30, deadline=None)
    machine("runTest").runTest()
