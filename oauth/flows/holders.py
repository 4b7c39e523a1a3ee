"""Whose account a request to the token or revocation endpoint shows something of. It looks, and uses nothing up.

An account is the holder, not a grant: it may have as many grants as it likes, a remembered consent is one GET for each.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Protocol

from oauth.grants import Code, Device, Grant, RefreshToken
from oauth.primitives.clock import utc_now
from oauth.primitives.parameters import Parameters
from oauth.primitives.secrets import digest


class Given(Protocol):
    """Finds what people have been given."""

    async def find_code(self, digest: str) -> Code | None: ...
    async def find_refresh(self, digest: str) -> RefreshToken | None: ...
    async def find_live_grant(self, grant_id: str, now: datetime) -> Grant | None: ...


class DeviceFinder(Protocol):
    """Finds devices."""

    async def find_device(self, digest: str) -> Device | None: ...


class Holders:
    """Tells apart who has been let in here from who only guesses: codes and tokens are 256 random bits."""

    def __init__(self, given: Given, devices: DeviceFinder, now: Callable[[], datetime] = utc_now) -> None:
        self._given, self._devices, self._now = given, devices, now

    async def find(self, parameters: Parameters) -> str | None:
        """A name for the account of a grant that holds or of a device that it has let in; None of what is nobody's.

        Raises:
            StoreUnavailable: the store gave no answer.

        """
        if (secret := parameters.get("device_code")) is not None:
            account = await self._who_let_in(secret)
        else:
            account = await self._who_granted(parameters)
        return None if account is None else f"account:{account}"

    async def _who_let_in(self, device_code: str) -> str | None:
        device = await self._devices.find_device(digest(device_code))
        if device is None or device.status != "approved" or self._now() >= device.expires_at:
            return None
        return device.user_id

    async def _who_granted(self, parameters: Parameters) -> str | None:
        grant_id = await self._grant_id(parameters)
        grant = None if grant_id is None else await self._given.find_live_grant(grant_id, self._now())
        return None if grant is None else grant.subject

    async def _grant_id(self, parameters: Parameters) -> str | None:
        if (secret := parameters.get("code")) is not None:
            code = await self._given.find_code(digest(secret))
            return None if code is None else code.grant_id
        secret = parameters.get("refresh_token") or parameters.get("token")
        token = None if secret is None else await self._given.find_refresh(digest(secret))
        return None if token is None else token.grant_id
