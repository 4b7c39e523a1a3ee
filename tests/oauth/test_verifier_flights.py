"""Questions under way: shared by many askers, left, failing, overtaken by a revocation."""

import asyncio
import gc

import pytest

from oauth.errors import StoreUnavailable
from oauth.verifier import Verifier
from tests.oauth.authorities import KEY, Authority, Time, until_asked, who


async def test_many_askers_share_one_question(authority: Authority, verifier: Verifier) -> None:
    authority.gate = asyncio.Event()
    askers = [asyncio.create_task(verifier.verify(KEY)) for _ in range(50)]
    await until_asked(authority)

    authority.gate.set()

    assert await asyncio.gather(*askers) == [who()] * 50
    assert authority.asked == [KEY]


async def test_an_asker_who_hangs_up_does_not_end_it_for_the_others(authority: Authority, verifier: Verifier) -> None:
    authority.gate = asyncio.Event()
    first, second = (asyncio.create_task(verifier.verify(KEY)) for _ in range(2))
    await until_asked(authority)

    first.cancel()
    await asyncio.wait([first])
    authority.gate.set()

    assert await second == who()
    assert authority.asked == [KEY]


async def test_a_failure_is_raised_to_all_who_asked_and_not_remembered(
    authority: Authority, verifier: Verifier
) -> None:
    authority.fault = StoreUnavailable("down")
    outcomes = await asyncio.gather(*(verifier.verify(KEY) for _ in range(3)), return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [StoreUnavailable] * 3

    authority.fault = None

    assert await verifier.verify(KEY) == who()


async def test_a_failure_that_nobody_waits_for_is_neither_remembered_nor_complained_about(
    authority: Authority, verifier: Verifier
) -> None:
    authority.gate, authority.fault = asyncio.Event(), StoreUnavailable("down")
    asker = asyncio.create_task(verifier.verify(KEY))
    await until_asked(authority)
    flights = list(verifier._flights.values())

    asker.cancel()
    await asyncio.wait([asker])
    authority.gate.set()
    await asyncio.wait(flights)
    flights.clear()
    authority.fault = None
    gc.collect()  # now the event loop would complain of an exception that nobody looked at, and fail the test

    assert await verifier.verify(KEY) == who()


async def test_a_store_that_never_answers_is_unavailable(authority: Authority, time: Time) -> None:
    authority.gate = asyncio.Event()
    verifier = Verifier(authority, patience=0.01, clock=time.clock, wall=time.wall)

    with pytest.raises(StoreUnavailable):
        await verifier.verify(KEY)


@pytest.mark.parametrize("by", ["forget", "clear"])
async def test_an_answer_that_a_revocation_overtook_is_asked_for_again(
    authority: Authority, verifier: Verifier, by: str
) -> None:
    authority.gate = asyncio.Event()
    asker = asyncio.create_task(verifier.verify(KEY))
    await until_asked(authority)

    del authority.known[KEY]
    verifier.forget("k") if by == "forget" else verifier.clear()
    authority.gate.set()

    assert await asker is None
    assert await verifier.verify(KEY) is None
