"""Verification from memory: what is asked, what is remembered, what is never remembered."""

import asyncio
from collections.abc import Mapping
from datetime import timedelta

import pytest

from oauth.errors import StoreUnavailable
from oauth.primitives import secrets
from oauth.verifier import Verifier
from tests.oauth.authorities import KEY, Authority, Time, until_asked, who

TOKEN = f"{'h' * 100}.{'p' * 300}.{'s' * 85}A"


@pytest.mark.requirement("seed:gateway:cache-token", "seed:gateway:cache-token-oauth")
@pytest.mark.parametrize("bearer", [KEY, TOKEN])
async def test_a_credential_is_asked_about_once_a_minute(
    authority: Authority, verifier: Verifier, time: Time, bearer: str
) -> None:
    authority.known[TOKEN] = who()
    for time.passed in (0, 1, 59.9):
        assert await verifier.verify(bearer) == who()
    assert len(authority.asked) == 1

    time.passed = 60
    assert await verifier.verify(bearer) == who()

    assert len(authority.asked) == 2


async def test_a_refusal_is_remembered_for_five_seconds(authority: Authority, verifier: Verifier, time: Time) -> None:
    stranger = secrets.new_key()

    for time.passed in (0, 4.9, 5):
        assert await verifier.verify(stranger) is None

    assert authority.asked == [stranger, stranger]


async def test_an_answer_is_never_kept_past_the_expiry(authority: Authority, verifier: Verifier, time: Time) -> None:
    authority.known[KEY] = who(expires_in=10)
    assert await verifier.verify(KEY) is not None

    time.passed = 10

    assert await verifier.verify(KEY) is None


async def test_a_stepped_wall_clock_ends_a_key_and_does_not_lengthen_the_minute(
    authority: Authority, verifier: Verifier, time: Time
) -> None:
    authority.known[KEY] = who(expires_in=600)
    assert await verifier.verify(KEY) is not None

    time.step = timedelta(hours=1)
    assert await verifier.verify(KEY) is None

    time.passed, time.step = 61, timedelta(hours=-1)
    assert await verifier.verify(KEY) is not None
    assert len(authority.asked) == 2


async def test_while_the_store_is_down_what_was_verified_stands_until_its_minute_ends(
    authority: Authority, verifier: Verifier, time: Time
) -> None:
    await verifier.verify(KEY)
    authority.fault = StoreUnavailable("down")

    time.passed = 59
    assert await verifier.verify(KEY) == who()
    time.passed = 60
    with pytest.raises(StoreUnavailable):
        await verifier.verify(KEY)


async def test_memory_is_bounded_and_guesses_do_not_push_valid_keys_out(authority: Authority, time: Time) -> None:
    verifier = Verifier(authority, size=3, clock=time.clock, wall=time.wall)
    await verifier.verify(KEY)
    for _ in range(100):
        assert await verifier.verify(secrets.new_key()) is None
    asked = len(authority.asked)

    assert await verifier.verify(KEY) == who()

    assert len(authority.asked) == asked
    assert len(verifier._refused) == 3
    assert verifier._flights == {}


async def test_neither_memory_nor_its_keys_hold_the_credential(verifier: Verifier) -> None:
    stranger = secrets.new_key()
    await verifier.verify(KEY)
    await verifier.verify(stranger)

    held = repr((verifier._accepted, verifier._refused, verifier._flights, verifier))

    assert KEY not in held
    assert stranger not in held


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


async def test_a_store_that_never_answers_is_unavailable(authority: Authority, time: Time) -> None:
    authority.gate = asyncio.Event()
    verifier = Verifier(authority, patience=0.01, clock=time.clock, wall=time.wall)

    with pytest.raises(StoreUnavailable):
        await verifier.verify(KEY)


async def test_an_answer_that_a_revocation_overtook_is_asked_for_again(
    authority: Authority, verifier: Verifier
) -> None:
    authority.gate = asyncio.Event()
    asker = asyncio.create_task(verifier.verify(KEY))
    await until_asked(authority)

    del authority.known[KEY]
    verifier.clear()
    authority.gate.set()

    assert await asker is None
    assert await verifier.verify(KEY) is None


class Revisions:
    """The counters of the database that other processes raise; `gate` holds the answer back."""

    def __init__(self) -> None:
        self.number = self.looks = 0
        self.fault: Exception | None = None
        self.gate: asyncio.Event | None = None

    async def __call__(self) -> Mapping[str, int]:
        self.looks += 1
        if self.gate is not None:
            await self.gate.wait()
        if self.fault is not None:
            raise self.fault
        return {"keys": self.number}


@pytest.fixture
def revisions() -> Revisions:
    return Revisions()


@pytest.fixture
def watching(authority: Authority, revisions: Revisions, time: Time) -> Verifier:
    return Verifier(authority, revisions, clock=time.clock, wall=time.wall)


@pytest.mark.parametrize("passed", [0.5, 59.0])
async def test_a_revocation_by_another_process_is_refused_half_a_second_later_however_quiet_it_was(
    authority: Authority, revisions: Revisions, watching: Verifier, time: Time, passed: float
) -> None:
    assert await watching.verify(KEY) == who()
    del authority.known[KEY]
    revisions.number += 1

    time.passed = passed
    answers = await asyncio.gather(*(watching.verify(KEY) for _ in range(10)))

    assert answers == [None] * 10
    assert revisions.looks == 2


async def test_revocations_are_looked_for_when_somebody_asks_and_twice_a_second_at_most(
    authority: Authority, revisions: Revisions, watching: Verifier, time: Time
) -> None:
    for time.passed in (0, 0.1, 0.49, 0.5, 0.9, 30):
        assert await watching.verify(KEY) == who()

    assert (revisions.looks, len(authority.asked)) == (3, 1)
    time.passed = 90
    await watching.verify(secrets.new_key())
    assert not watching._accepted, "a look also drops what is too old to be given"


async def test_what_is_told_of_is_looked_at_before_the_next_answer_also_during_a_look(
    authority: Authority, revisions: Revisions, watching: Verifier
) -> None:
    await watching.verify(KEY)
    revisions.gate = asyncio.Event()
    watching.look()
    looking = asyncio.create_task(watching.verify(KEY))
    await asyncio.sleep(0)

    del authority.known[KEY]
    revisions.number += 1
    watching.look()
    revisions.gate.set()
    await looking

    assert await watching.verify(KEY) is None


@pytest.mark.parametrize("silent", [False, True])
async def test_while_the_database_cannot_be_looked_at_what_was_verified_stands(
    revisions: Revisions, watching: Verifier, time: Time, monkeypatch: pytest.MonkeyPatch, *, silent: bool
) -> None:
    monkeypatch.setattr("oauth.verifier.LOOK_WAIT", 0.01)
    await watching.verify(KEY)
    revisions.fault, revisions.gate = StoreUnavailable("down"), asyncio.Event() if silent else None

    for time.passed in (1, 1.1, 2):
        assert await watching.verify(KEY) == who()
    assert revisions.looks == (2 if silent else 3), "one look at a time, and none more often than twice a second"

    revisions.fault = None
    if revisions.gate is not None:
        revisions.gate.set()
