"""The person's side of RFC 8628: a code names a device, guesses run out, a decision is made once."""

from dataclasses import replace
from datetime import datetime

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.errors import Refused, TooManyRequests, Unacceptable, Unknown
from oauth.flows import device_approval
from oauth.flows.device import Devices, new_user_code, shown_user_code
from oauth.flows.device_approval import Approvals
from oauth.models import User
from oauth.stores.devices import DeviceStore
from oauth.stores.sessions import FailureStore
from tests.oauth.device_parts import SCOPES, SEALER, SETTINGS, Issuer, parameters, the_client

READ = frozenset({"sparks:read"})
HERE, ELSEWHERE = "192.0.2.1", "198.51.100.1"


@pytest.fixture
def devices(engine: AsyncEngine) -> DeviceStore:
    return DeviceStore(engine)


@pytest.fixture
def approvals(engine: AsyncEngine, devices: DeviceStore) -> Approvals:
    return Approvals(devices, FailureStore(engine), SEALER)


@pytest.fixture
async def code(devices: DeviceStore, now: datetime) -> str:
    started = await Devices(devices, Issuer(), SEALER, SETTINGS).start(the_client(now), parameters(), now)
    return started.user_code


async def guess(approvals: Approvals, user_id: str, address: str, now: datetime) -> None:
    with pytest.raises(Unknown):
        await approvals.find(new_user_code(), user_id, address, now)


async def test_a_device_is_found_by_its_code_however_it_is_typed(
    approvals: Approvals, ada: User, code: str, now: datetime
) -> None:
    written, device = await approvals.find(f" {code.lower()} ", ada.id, HERE, now)

    assert written == shown_user_code(code)
    assert device.client_name == the_client(now).name


async def test_one_account_guesses_ten_times_from_wherever_it_guesses(
    approvals: Approvals, ada: User, code: str, now: datetime
) -> None:
    for number in range(device_approval.PER_ACCOUNT):
        await guess(approvals, ada.id, f"192.0.2.{number}", now)

    with pytest.raises(TooManyRequests):
        await approvals.find(code, ada.id, ELSEWHERE, now)
    assert await approvals.find(code, "another account", HERE, now)


async def test_one_address_guesses_thirty_times_with_however_many_accounts(
    approvals: Approvals, ada: User, code: str, now: datetime
) -> None:
    for number in range(device_approval.PER_ADDRESS):
        await guess(approvals, f"account {number // 5}", HERE, now)

    with pytest.raises(TooManyRequests):
        await approvals.find(code, ada.id, HERE, now)
    assert await approvals.find(code, ada.id, ELSEWHERE, now)


async def test_what_cannot_be_a_code_is_refused_and_counts_as_no_guess(
    approvals: Approvals, ada: User, code: str, now: datetime
) -> None:
    for _ in range(device_approval.PER_ACCOUNT + 1):
        with pytest.raises(Unacceptable):
            await approvals.find("my code", ada.id, HERE, now)

    assert await approvals.find(code, ada.id, HERE, now)


async def test_a_person_gives_no_more_than_the_device_asked_for(
    approvals: Approvals, devices: DeviceStore, ada: User, code: str, now: datetime
) -> None:
    _, device = await approvals.find(code, ada.id, HERE, now)

    await approvals.decide(device, user_id=ada.id, scopes=READ | {"docs:read"}, now=now)

    assert device.scopes == SCOPES
    assert await devices.find_device(device.digest) == replace(device, status="approved", user_id=ada.id, scopes=READ)


async def test_a_decision_is_made_once(approvals: Approvals, ada: User, code: str, now: datetime) -> None:
    _, device = await approvals.find(code, ada.id, HERE, now)
    await approvals.decide(device, user_id=None, scopes=frozenset(), now=now)

    with pytest.raises(Refused):
        await approvals.decide(device, user_id=ada.id, scopes=READ, now=now)
    with pytest.raises(Unknown):
        await approvals.find(code, ada.id, HERE, now)


async def test_an_address_begins_with_a_bounded_number_of_devices(approvals: Approvals, now: datetime) -> None:
    for _ in range(device_approval.STARTS_PER_ADDRESS):
        await approvals.admit_start(HERE, now)

    with pytest.raises(TooManyRequests):
        await approvals.admit_start(HERE, now)
    await approvals.admit_start(ELSEWHERE, now)
