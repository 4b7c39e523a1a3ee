"""Five faults open it, thirty seconds later one probe at a time, two successes close it; nothing else moves it."""

import asyncio
import contextlib
import inspect
import time

import pytest
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from mcp_server.upstream.breaker import AsyncBreaker, BreakerOpen, Verdict
from mcp_server.upstream.failure_mapping import judge_error


class Fault(Exception):
    """The upstream's own."""


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def judge(error: BaseException) -> Verdict:
    return Verdict.FAULT if isinstance(error, Fault) else Verdict.IGNORE


def breaker(clock: Clock, changes: list[tuple[str, str]] | None = None) -> AsyncBreaker:
    def changed(_name: str, old: str, new: str) -> None:
        if changes is not None:
            changes.append((old, new))

    return AsyncBreaker("api", judge=judge, on_change=changed, clock=clock)


async def call(guarded: AsyncBreaker, error: BaseException | None = None, verdict: Verdict = Verdict.OK) -> None:
    try:
        async with guarded.guard() as made:
            if error is not None:
                raise error
            made.verdict = verdict
    except (Fault, ValueError):
        return


async def opened(clock: Clock) -> AsyncBreaker:
    guarded = breaker(clock)
    for _ in range(5):
        await call(guarded, Fault())
    return guarded


@pytest.mark.requirement("seed:gateway:breaker-opens", "seed:gateway:breaker-refuses")
async def test_the_fifth_fault_opens_it_and_the_next_call_is_not_made() -> None:
    clock, changes = Clock(), list[tuple[str, str]]()
    guarded = breaker(clock, changes)

    for expected in ["closed"] * 4 + ["open"]:
        await call(guarded, Fault())
        assert guarded.state == expected

    with pytest.raises(BreakerOpen) as refusal:
        await call(guarded)
    assert refusal.value.retry_after == 30
    assert changes == [("closed", "open")]


async def test_a_success_in_between_begins_the_count_again() -> None:
    guarded = breaker(Clock())

    for _ in range(3):
        for _ in range(4):
            await call(guarded, Fault())
        await call(guarded)

    assert guarded.state == "closed"


@pytest.mark.requirement("seed:gateway:breaker-half-open", "seed:gateway:breaker-closes")
async def test_after_thirty_seconds_two_successes_close_it() -> None:
    clock = Clock()
    guarded = await opened(clock)

    clock.now += 29.9
    with pytest.raises(BreakerOpen):
        await call(guarded)
    clock.now += 0.1
    await call(guarded)
    assert guarded.state == "half-open"
    await call(guarded)

    assert guarded.state == "closed"
    assert guarded.retry_after == 0


async def test_a_probe_that_fails_opens_it_for_another_thirty_seconds() -> None:
    clock = Clock()
    guarded = await opened(clock)

    clock.now += 30
    await call(guarded, Fault())

    assert guarded.state == "open"
    assert guarded.retry_after == 30


async def test_while_one_probe_runs_the_others_are_refused() -> None:
    clock = Clock()
    guarded = await opened(clock)
    clock.now += 30

    async with guarded.guard():
        with pytest.raises(BreakerOpen) as refusal:
            await call(guarded)

    assert refusal.value.retry_after == 1


async def test_a_probe_that_says_nothing_lets_the_next_one_in() -> None:
    clock = Clock()
    guarded = await opened(clock)
    clock.now += 30

    await call(guarded, ValueError())
    await call(guarded)

    assert guarded.state == "half-open"


@pytest.mark.parametrize("times", [5, 500])
async def test_bad_requests_and_bugs_of_ours_never_open_it(times: int) -> None:
    guarded = breaker(Clock())

    for _ in range(times):
        await call(guarded, ValueError())
        await call(guarded, verdict=Verdict.IGNORE)
        await call(guarded, verdict=Verdict.OK)

    assert guarded.state == "closed"


async def test_callers_who_leave_never_open_it() -> None:
    guarded = breaker(Clock())

    async def wait() -> None:
        async with guarded.guard():
            await asyncio.Event().wait()

    for _ in range(20):
        task = asyncio.create_task(wait())
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    assert guarded.state == "closed"


async def test_an_answer_of_an_earlier_window_says_nothing_about_this_one() -> None:
    clock = Clock()
    guarded = breaker(clock)
    late, go = asyncio.Event(), asyncio.Event()

    async def slow() -> None:
        async with guarded.guard():
            late.set()
            await go.wait()
            raise Fault

    task = asyncio.create_task(slow())
    await late.wait()
    for _ in range(5):
        await call(guarded, Fault())
    clock.now += 30
    await call(guarded)
    await call(guarded)
    assert guarded.state == "closed"

    go.set()
    await asyncio.gather(task, return_exceptions=True)
    for _ in range(4):
        await call(guarded, Fault())

    assert guarded.state == "closed"


async def test_a_late_fault_does_not_keep_an_open_breaker_open_for_longer() -> None:
    clock = Clock()
    guarded = breaker(clock)

    async with contextlib.AsyncExitStack() as stack:
        slow = await stack.enter_async_context(guarded.guard())
        for _ in range(5):
            await call(guarded, Fault())
        clock.now += 10
        slow.verdict = Verdict.FAULT

    assert guarded.retry_after == 20


async def test_a_late_success_of_a_call_from_before_closes_nothing() -> None:
    clock = Clock()
    guarded = breaker(clock)

    async with guarded.guard(), guarded.guard():
        for _ in range(5):
            await call(guarded, Fault())
        clock.now += 30
        await call(guarded)

    assert guarded.state == "half-open"


async def test_of_a_thousand_at_once_one_is_let_in_and_the_others_are_refused_at_once() -> None:
    clock = Clock()
    guarded = await opened(clock)
    clock.now += 30
    answer, let_in = asyncio.Event(), 0

    async def probe() -> None:
        nonlocal let_in
        async with guarded.guard():
            let_in += 1
            await answer.wait()

    tasks = [asyncio.create_task(probe()) for _ in range(1000)]
    done, waiting = await asyncio.wait(tasks, timeout=10, return_when=asyncio.FIRST_COMPLETED)
    refused = [task for task in done if isinstance(task.exception(), BreakerOpen)]

    assert (let_in, len(refused), len(waiting)) == (1, 999, 1)
    answer.set()
    await asyncio.gather(*waiting)
    assert guarded.state == "half-open"


async def test_a_probe_whose_caller_left_lets_the_next_one_in() -> None:
    clock = Clock()
    guarded = await opened(clock)
    clock.now += 30

    async def wait() -> None:
        async with guarded.guard():
            await asyncio.Event().wait()

    task = asyncio.create_task(wait())
    await asyncio.sleep(0)
    with pytest.raises(BreakerOpen):
        await call(guarded)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)

    await call(guarded)
    await call(guarded)
    assert guarded.state == "closed"


async def test_the_fault_itself_reaches_the_caller_also_the_one_that_opens_it() -> None:
    guarded = breaker(Clock())

    for _ in range(5):
        with pytest.raises(Fault):
            async with guarded.guard():
                raise Fault

    assert guarded.state == "open"


async def test_a_deadline_inside_the_guard_counts_and_one_outside_is_a_caller_who_left() -> None:
    guarded = AsyncBreaker("api", judge=judge_error, failures=1)

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01), guarded.guard():
            await asyncio.Event().wait()
    assert guarded.state == "closed"
    with pytest.raises(TimeoutError):
        async with guarded.guard(), asyncio.timeout(0.01):
            await asyncio.Event().wait()
    assert guarded.state == "open"


async def test_two_breakers_know_nothing_of_each_other() -> None:
    clock = Clock()
    one, other = await opened(clock), breaker(clock)

    assert (one.state, other.state) == ("open", "closed")


async def test_each_change_is_told_once() -> None:
    clock, changes = Clock(), list[tuple[str, str]]()
    guarded = breaker(clock, changes)

    for _ in range(5):
        await call(guarded, Fault())
    clock.now += 30
    await call(guarded)
    await call(guarded)

    assert changes == [("closed", "open"), ("open", "half-open"), ("half-open", "closed")]


async def test_to_ask_whether_a_call_would_be_let_in_changes_nothing() -> None:
    clock = Clock()
    guarded = await opened(clock)

    with pytest.raises(BreakerOpen):
        guarded.check()
    clock.now += 30
    guarded.check()
    assert guarded.state == "open"
    async with guarded.guard():
        with pytest.raises(BreakerOpen):
            guarded.check()
    breaker(clock).check()


async def test_the_time_is_that_of_a_clock_that_is_never_set() -> None:
    guarded = AsyncBreaker("api", judge=judge, failures=1, reset_seconds=1000)

    await call(guarded, Fault())

    assert 0 < guarded.retry_after <= 1000
    assert inspect.signature(AsyncBreaker).parameters["clock"].default is time.monotonic


async def test_a_call_that_goes_on_is_counted_by_its_end_and_keeps_the_probe_until_it_is_freed() -> None:
    clock = Clock()
    guarded = await opened(clock)
    clock.now += 30

    async with guarded.guard() as stream:
        stream.is_kept = True
    with pytest.raises(BreakerOpen):
        await call(guarded)
    guarded.free(stream)
    await call(guarded)
    guarded.settle(stream, Verdict.OK)

    assert guarded.state == "closed"


async def test_a_kept_call_that_fails_while_it_is_opened_is_settled_at_once() -> None:
    clock = Clock()
    guarded = await opened(clock)
    clock.now += 30

    async def begin() -> None:
        async with guarded.guard() as stream:
            stream.is_kept = True
            raise Fault

    with pytest.raises(Fault):
        await begin()
    assert guarded.retry_after == 30


async def test_a_freed_call_that_ends_does_not_free_the_probe_of_another() -> None:
    clock = Clock()
    guarded = await opened(clock)
    clock.now += 30

    async with guarded.guard() as stream:
        stream.is_kept = True
    guarded.free(stream)
    async with guarded.guard():
        guarded.settle(stream, Verdict.IGNORE)
        with pytest.raises(BreakerOpen):
            guarded.check()


class BreakerMachine(RuleBasedStateMachine):
    """The breaker beside a plain model of the published table."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = Clock()
        self.guarded = breaker(self.clock)
        self.state, self.faults, self.successes, self.opened = "closed", 0, 0, 0.0

    @rule(verdict=st.sampled_from(list(Verdict)))
    def ask(self, verdict: Verdict) -> None:
        refused = False
        try:
            asyncio.run(call(self.guarded, Fault() if verdict is Verdict.FAULT else None, verdict))
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
    machine.settings = hypothesis_settings(max_examples=60, stateful_step_count=30, deadline=None)
    machine("runTest").runTest()
