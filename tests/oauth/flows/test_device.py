"""The device's side of RFC 8628: a code, polls at their interval, one token."""

import asyncio
from collections import Counter
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.errors import (
    AccessDenied,
    AuthorizationPending,
    ExpiredToken,
    InvalidGrant,
    InvalidRequest,
    InvalidTarget,
    ProtocolError,
    SlowDown,
    TooManyRequests,
    UnauthorizedClient,
    Unknown,
)
from oauth.flows.device import (
    ALPHABET,
    PER_ACCOUNT,
    PER_ADDRESS,
    STARTS_PER_ADDRESS,
    STDIO_CLIENT_ID,
    USER_CODE,
    Devices,
    Started,
    new_user_code,
    read_user_code,
    shown_user_code,
)
from oauth.flows.grant_types import PREFIX
from oauth.grants import Device, Tokens
from oauth.models import User
from oauth.primitives.secrets import digest
from oauth.stores.devices import DeviceStore
from oauth.stores.sessions import FailureStore
from tests.oauth.device_parts import SEALER, SETTINGS, SITE, Issuer, parameters, the_client

READ = frozenset({"sparks:read"})
SECOND = timedelta(seconds=1)


@pytest.fixture
def device_store(engine: AsyncEngine) -> DeviceStore:
    return DeviceStore(engine)


@pytest.fixture
def issuer() -> Issuer:
    return Issuer()


@pytest.fixture
def devices(engine: AsyncEngine, device_store: DeviceStore, issuer: Issuer) -> Devices:
    return Devices(device_store, FailureStore(engine), issuer, SEALER, SETTINGS)


async def kept(store: DeviceStore, started: Started) -> Device:
    device = await store.find_device(digest(started.device_code))
    assert device is not None
    return device


async def approve(store: DeviceStore, started: Started, user: User, now: datetime) -> None:
    assert await store.decide(digest(started.device_code), user_id=user.id, scopes=READ, now=now)


async def poll(devices: Devices, started: Started, now: datetime) -> Tokens:
    return await devices.exchange(the_client(now), parameters(device_code=started.device_code), now)


async def test_a_device_waits_under_codes_of_which_only_marks_are_kept(
    devices: Devices, device_store: DeviceStore, now: datetime
) -> None:
    started = await devices.start(the_client(now), parameters(resource=f"{SITE}/api/v1", scope="sparks:read"), now)

    device = await kept(device_store, started)
    assert (device.client_id, device.scopes, device.resource) == (STDIO_CLIENT_ID, READ, f"{SITE}/api/v1")
    assert device.user_code_digest == SEALER.mark(USER_CODE, started.user_code)
    assert (started.expires_in, started.interval, device.expires_at) == (600, 5, now + 600 * SECOND)
    assert started.device_code not in repr((started, device))
    assert started.user_code not in repr((started, device))


async def test_a_client_that_is_none_for_devices_is_refused(devices: Devices, now: datetime) -> None:
    client = replace(the_client(now), grant_types=frozenset({"authorization_code"}))

    with pytest.raises(UnauthorizedClient):
        await devices.start(client, parameters(), now)


async def test_a_code_that_is_in_use_is_not_given_out_again(
    devices: Devices, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    codes = iter(["B" * 8, "B" * 8, "C" * 8])
    monkeypatch.setattr("oauth.flows.device.new_user_code", lambda: next(codes))

    made = [await devices.start(the_client(now), parameters(), now) for _ in range(2)]

    assert [started.user_code for started in made] == ["B" * 8, "C" * 8]


async def test_an_undecided_device_waits_and_a_hasty_one_waits_five_seconds_longer(
    devices: Devices, device_store: DeviceStore, now: datetime
) -> None:
    started = await devices.start(the_client(now), parameters(), now)

    async def answer(seconds: int) -> type[ProtocolError]:
        with pytest.raises(ProtocolError) as refused:
            await poll(devices, started, now + seconds * SECOND)
        return refused.type

    assert [await answer(at) for at in (0, 5, 6, 12, 27)] == [
        AuthorizationPending,
        AuthorizationPending,
        SlowDown,
        SlowDown,
        AuthorizationPending,
    ]
    assert (await kept(device_store, started)).interval == 15


async def test_an_approved_device_gets_its_tokens_however_soon_it_asks(
    devices: Devices, device_store: DeviceStore, issuer: Issuer, ada: User, now: datetime
) -> None:
    started = await devices.start(the_client(now), parameters(), now)
    with pytest.raises(AuthorizationPending):
        await poll(devices, started, now)
    await approve(device_store, started, ada, now)

    tokens = await poll(devices, started, now + SECOND)

    (grant,) = issuer.issued
    assert (grant.user_id, grant.scopes, grant.resource) == (ada.id, READ, f"{SITE}/mcp")
    assert (tokens.access_token, tokens.scopes) == (f"access of {grant.id}", READ)
    assert (tokens.refresh_token or "").startswith(PREFIX)


async def test_a_refused_device_hears_so(devices: Devices, device_store: DeviceStore, now: datetime) -> None:
    started = await devices.start(the_client(now), parameters(), now)
    await device_store.decide(digest(started.device_code), user_id=None, scopes=frozenset(), now=now)

    with pytest.raises(AccessDenied, match="person refused"):
        await poll(devices, started, now)


@pytest.mark.parametrize("approved", [True, False])
async def test_a_device_that_waited_too_long_begins_again(
    devices: Devices, device_store: DeviceStore, ada: User, now: datetime, approved: bool
) -> None:
    started = await devices.start(the_client(now), parameters(), now)
    if approved:
        await approve(device_store, started, ada, now)

    with pytest.raises(ExpiredToken):
        await poll(devices, started, now + 600 * SECOND)


async def test_a_code_is_good_for_its_own_client_and_resource_only(
    devices: Devices, device_store: DeviceStore, ada: User, now: datetime
) -> None:
    started = await devices.start(the_client(now), parameters(resource=f"{SITE}/api/v1"), now)
    await approve(device_store, started, ada, now)
    other = replace(the_client(now), id="other")

    with pytest.raises(InvalidGrant):
        await devices.exchange(other, parameters(device_code=started.device_code), now)
    with pytest.raises(InvalidTarget):
        await devices.exchange(
            the_client(now), parameters(device_code=started.device_code, resource=f"{SITE}/mcp"), now
        )
    with pytest.raises(InvalidGrant):
        await devices.exchange(the_client(now), parameters(device_code="guess"), now)
    with pytest.raises(InvalidRequest):
        await devices.exchange(the_client(now), parameters(), now)
    assert (await poll(devices, started, now)).access_token


codes = st.text(ALPHABET, min_size=8, max_size=8)


def test_a_new_code_has_eight_letters_that_nobody_confuses() -> None:
    made = {new_user_code() for _ in range(50)}

    assert len(made) == 50
    assert all(read_user_code(code) == code for code in made)
    assert not set("".join(made)) & set("AEIOUY01")


@given(codes)
def test_a_code_is_read_as_it_is_shown_in_any_case_and_with_any_gaps(code: str) -> None:
    shown = shown_user_code(code)

    assert (len(shown), shown[4]) == (9, "-")
    for typed in (
        shown,
        shown.lower(),
        f" {code[:2]} {code[2:]} ",
        shown.replace("-", "\u2013"),
        shown.replace("-", "_"),
    ):
        assert read_user_code(typed) == code


HERE, ELSEWHERE = "192.0.2.1", "198.51.100.1"


@pytest.fixture
async def code(devices: Devices, now: datetime) -> str:
    return (await devices.start(the_client(now), parameters(), now)).user_code


async def guess(devices: Devices, user_id: str, address: str, now: datetime) -> None:
    with pytest.raises(Unknown):
        await devices.find(new_user_code(), user_id, address, now)


async def test_one_account_guesses_ten_times_from_wherever_it_guesses(
    devices: Devices, ada: User, code: str, now: datetime
) -> None:
    for number in range(PER_ACCOUNT):
        await guess(devices, ada.id, f"192.0.2.{number}", now)

    with pytest.raises(TooManyRequests):
        await devices.find(code, ada.id, ELSEWHERE, now)
    assert await devices.find(code, "another account", HERE, now)


async def test_one_address_guesses_thirty_times_with_however_many_accounts(
    devices: Devices, ada: User, code: str, now: datetime
) -> None:
    for number in range(PER_ADDRESS):
        await guess(devices, f"account {number // 5}", HERE, now)

    with pytest.raises(TooManyRequests):
        await devices.find(code, ada.id, HERE, now)
    assert await devices.find(code, ada.id, ELSEWHERE, now)


@pytest.mark.both_databases
async def test_of_many_guesses_at_once_no_more_than_the_limit_are_compared(
    devices: Devices, ada: User, now: datetime
) -> None:
    guesses = (devices.find(new_user_code(), ada.id, HERE, now) for _ in range(6 * PER_ACCOUNT))
    outcomes = await asyncio.gather(*guesses, return_exceptions=True)

    assert Counter(map(type, outcomes)) == {Unknown: PER_ACCOUNT, TooManyRequests: 5 * PER_ACCOUNT}


async def test_a_right_code_is_no_guess(devices: Devices, ada: User, code: str, now: datetime) -> None:
    for _ in range(PER_ACCOUNT + 1):
        await devices.find(code, ada.id, HERE, now)


@pytest.mark.both_databases
async def test_an_address_begins_with_a_bounded_number_of_devices(devices: Devices, now: datetime) -> None:
    starts = (devices.admit_start(HERE, now) for _ in range(2 * STARTS_PER_ADDRESS))
    outcomes = await asyncio.gather(*starts, return_exceptions=True)

    assert Counter(map(type, outcomes)) == {type(None): STARTS_PER_ADDRESS, TooManyRequests: STARTS_PER_ADDRESS}
    await devices.admit_start(ELSEWHERE, now)
