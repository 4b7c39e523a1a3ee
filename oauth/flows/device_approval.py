"""What a signed-in person does for a device that waits: name it by its code, look, and decide (RFC 8628 section 3.3).

Codes are short, so guessing is throttled for each account and for each address, an IPv6 site (section 5.1).
"""

from datetime import datetime, timedelta

from oauth.errors import Refused, Unacceptable, Unknown
from oauth.flows.device import USER_CODE, read_user_code, shown_user_code
from oauth.grants import Device
from oauth.primitives.sealing import Sealer
from oauth.stores.devices import DeviceStore
from oauth.stores.sessions import FailureStore

WINDOW = timedelta(minutes=10)
PER_ACCOUNT, PER_ADDRESS, STARTS_PER_ADDRESS = 10, 30, 60
"""Within the window: wrong codes of one account, wrong codes from one address, devices that begin at one address."""

TOO_MANY = "Too many attempts; wait ten minutes."
WRONG = "No device waits with this code. It may have expired: start again on the device, and type the new code."


class Approvals:
    """The person's side of the flow."""

    def __init__(self, store: DeviceStore, failures: FailureStore, sealer: Sealer) -> None:
        self._store, self._failures, self._sealer = store, failures, sealer

    async def find(self, typed: str, user_id: str, address: str, now: datetime) -> tuple[str, Device]:
        """The code as it is written, and the device that waits with it.

        Raises `Unacceptable`: what was typed has not the form of a code; it is no guess, either; `Unknown`: nothing
        waits with this code; `TooManyRequests`: there were too many wrong codes.
        """
        code = read_user_code(typed)
        if code is None:
            raise Unacceptable("A code has eight letters, such as BCDF-GHJK.")
        places = {f"device account {user_id}": PER_ACCOUNT, f"device address {address}": PER_ADDRESS}
        for place, most in places.items():
            await self._failures.refuse(place, most, WINDOW, now, TOO_MANY)
        device = await self._store.find_waiting(self._sealer.mark(USER_CODE, code), now)
        if device is None:
            for place in places:
                await self._failures.note_failure(place, now)
            raise Unknown(WRONG)
        return shown_user_code(code), device

    async def decide(self, device: Device, *, user_id: str | None, scopes: frozenset[str], now: datetime) -> None:
        """Let the device in as this account with these scopes; without an account, refuse it.

        Raises `Refused`: it has been decided already, or no longer waits.
        """
        if not await self._store.decide(device.digest, user_id=user_id, scopes=scopes & device.scopes, now=now):
            raise Refused("The device no longer waits. Start again on the device.")

    async def admit_start(self, address: str, now: datetime) -> None:
        """Count a device that begins: each one is a code more that a guess could hit.

        Raises `TooManyRequests`: too many began at this address.
        """
        place = f"device start {address}"
        await self._failures.refuse(place, STARTS_PER_ADDRESS, WINDOW, now, TOO_MANY)
        await self._failures.note_failure(place, now)
