"""The internal API is asked once what it speaks, however many want to know, and again only with reason."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest

from mcp_server.minds_api.detector import ASK_AGAIN, DialectFinder
from mcp_server.minds_api.dialect import Dialect
from mcp_server.upstream.protection import Operation

CURRENT, SPARKS = Dialect
CHAT, POLLING = Operation.CHAT, Operation.POLLING


class Oracle:
    """Answers one after the other; the last one stays."""

    def __init__(self, *answers: Dialect | None) -> None:
        self.answers, self.asked, self.now = list(answers), 0, 0.0
        self.gate = asyncio.Event()
        self.gate.set()
        self.unfit: set[Operation] = set()

    def is_fit(self, operation: Operation) -> bool:
        return operation not in self.unfit

    def patience(self, operation: Operation) -> AbstractAsyncContextManager[None]:
        return _patience(0.01 if operation is POLLING else 60)

    async def ask(self, operation: Operation) -> Dialect | None:
        self.asked += 1
        await self.gate.wait()
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    def finder(self, fixed: Dialect | None = None) -> DialectFinder:
        return DialectFinder(self, fixed, clock=lambda: self.now)


@asynccontextmanager
async def _patience(seconds: float) -> AsyncIterator[None]:
    async with asyncio.timeout(seconds):
        yield


async def test_many_who_ask_at_once_and_all_who_ask_later_share_one_answer() -> None:
    oracle = Oracle(SPARKS)
    oracle.gate.clear()
    finder = oracle.finder()

    waiting = [asyncio.create_task(finder.find(CHAT)) for _ in range(10)]
    await asyncio.sleep(0)
    waiting[0].cancel()  # whoever leaves does not take the others' answer along
    oracle.gate.set()
    found = await asyncio.gather(*waiting[1:])
    oracle.now += 100_000

    assert [*found, await finder.find(CHAT)] == [SPARKS] * 10
    assert oracle.asked == 1


async def test_without_an_answer_it_is_todays_and_is_asked_again_later() -> None:
    oracle = Oracle(None, None, SPARKS)
    finder = oracle.finder()

    at_once = [await finder.find(CHAT), await finder.find(CHAT)]
    assert (at_once, oracle.asked) == ([CURRENT, CURRENT], 1)
    oracle.now += ASK_AGAIN
    assert (await finder.find(CHAT), oracle.asked) == (CURRENT, 2)
    oracle.now += ASK_AGAIN
    assert (await finder.find(CHAT), oracle.asked) == (SPARKS, 3)


async def test_a_missing_collection_is_a_reason_to_ask_but_not_each_time() -> None:
    oracle = Oracle(CURRENT, CURRENT, SPARKS)
    finder = oracle.finder()
    await finder.find(CHAT)

    again = [await finder.find_again(CURRENT, CHAT) for _ in range(5)]
    assert (again, oracle.asked) == ([CURRENT] * 5, 2)
    oracle.now += ASK_AGAIN
    assert (await finder.find_again(CURRENT, CHAT), await finder.find(CHAT), oracle.asked) == (SPARKS, SPARKS, 3)


async def test_who_used_the_old_one_while_another_found_the_new_one_is_told_without_a_question() -> None:
    oracle = Oracle(SPARKS)
    finder = oracle.finder()
    await finder.find(CHAT)

    assert await finder.find_again(CURRENT, CHAT) is SPARKS
    assert oracle.asked == 1


async def test_an_answer_that_is_known_outlives_a_question_without_one() -> None:
    oracle = Oracle(SPARKS, None)
    finder = oracle.finder()
    await finder.find(CHAT)

    assert await finder.find_again(SPARKS, CHAT) is SPARKS
    assert await finder.find(CHAT) is SPARKS


@pytest.mark.parametrize("dialect", Dialect)
async def test_one_that_is_fixed_is_never_asked(dialect: Dialect) -> None:
    oracle = Oracle(None)
    finder = oracle.finder(dialect)

    assert [await finder.find(CHAT), await finder.find_again(dialect, CHAT)] == [dialect, dialect]
    assert oracle.asked == 0


async def test_without_an_answer_what_was_found_is_learnt_until_there_is_one() -> None:
    oracle = Oracle(None, None, CURRENT)
    finder = oracle.finder()
    await finder.find(CHAT)

    assert [await finder.find_again(used, CHAT) for used in (CURRENT, SPARKS)] == [SPARKS, CURRENT]
    finder.learn(SPARKS)
    assert [await finder.find(CHAT), finder.is_settled] == [SPARKS, True]
    oracle.now += ASK_AGAIN
    assert await finder.find_again(SPARKS, CHAT) is CURRENT
    finder.learn(SPARKS)
    assert await finder.find(CHAT) is CURRENT


async def test_who_waits_no_longer_leaves_the_question_to_the_others() -> None:
    oracle = Oracle(SPARKS)
    oracle.gate.clear()
    finder = oracle.finder()

    patient = asyncio.create_task(finder.find(CHAT))
    with pytest.raises(TimeoutError):
        await finder.find(POLLING)
    oracle.gate.set()

    assert (await patient, oracle.asked) == (SPARKS, 1)


async def test_for_an_operation_that_would_be_refused_nobody_asks_and_a_guess_has_to_do() -> None:
    oracle = Oracle(SPARKS)
    oracle.unfit = {CHAT}
    finder = oracle.finder()

    assert [await finder.find(CHAT), await finder.find_again(CURRENT, CHAT), oracle.asked] == [CURRENT, SPARKS, 0]
    assert not finder.is_settled
    oracle.unfit = set()
    assert await finder.find(CHAT) is SPARKS  # no guess was kept
    oracle.unfit = {CHAT}
    assert [await finder.find(CHAT), await finder.find_again(SPARKS, CHAT), oracle.asked] == [SPARKS, SPARKS, 1]
