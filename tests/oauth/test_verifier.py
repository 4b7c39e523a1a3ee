"""Verification from memory: what is asked, what is remembered, what is never remembered."""

from datetime import timedelta

import pytest

from oauth.errors import StoreUnavailable
from oauth.primitives import secrets
from oauth.verifier import Verifier
from tests.oauth.authorities import KEY, Authority, Time, who


@pytest.mark.requirement("seed:gateway:cache-token")
async def test_a_key_is_asked_about_once_a_minute(authority: Authority, verifier: Verifier, time: Time) -> None:
    for time.passed in (0, 1, 59.9):
        assert await verifier.verify(KEY) == who()
    assert len(authority.asked) == 1

    time.passed = 60
    assert await verifier.verify(KEY) == who()

    assert len(authority.asked) == 2


async def test_a_refusal_is_remembered_for_five_seconds(authority: Authority, verifier: Verifier, time: Time) -> None:
    stranger = secrets.new_key()

    for time.passed in (0, 4.9, 5):
        assert await verifier.verify(stranger) is None

    assert authority.asked == [stranger, stranger]


@pytest.mark.parametrize(
    "bearer",
    [
        "", "minds_", "minds_%", "minds_*", KEY[:-1], KEY[:30], KEY + "0", KEY + "\0", KEY + "%00",
        KEY + "\n", " " + KEY, KEY.upper(), KEY[::-1], KEY.replace("_", "-"), "x" * 200_000,
        "eyJhbGciOiJub25lIn0.e30.", "\udcff",
    ],
)  # fmt: skip
async def test_a_near_miss_is_never_asked_about(authority: Authority, verifier: Verifier, bearer: str) -> None:
    await verifier.verify(KEY)

    assert await verifier.verify(bearer) is None

    assert authority.asked == [KEY]


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


async def test_a_forgotten_key_is_asked_about_at_once_and_no_other(authority: Authority, verifier: Verifier) -> None:
    other = secrets.new_key()
    authority.known[other] = who("other")
    await verifier.verify(KEY)
    await verifier.verify(other)

    del authority.known[KEY], authority.known[other]
    verifier.forget("k")

    assert await verifier.verify(KEY) is None
    assert await verifier.verify(other) == who("other")


async def test_clearing_asks_about_everything_again(authority: Authority, verifier: Verifier) -> None:
    stranger = secrets.new_key()
    await verifier.verify(KEY)
    await verifier.verify(stranger)

    authority.known = {stranger: who("s")}
    verifier.clear()

    assert await verifier.verify(KEY) is None
    assert await verifier.verify(stranger) == who("s")


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
