"""Signing in on a device that cannot show a page itself: its code, its token, and what a person says (RFC 8628)."""

import re
import secrets
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import uuid4

from oauth import errors
from oauth.access_tokens import AccessTokens
from oauth.flows.authorization import granted_at_most, kept_words
from oauth.flows.consent import imitates
from oauth.flows.grant_types import check_resource, new_refresh_token
from oauth.grants import DEVICE_CODE, Client, Device, Grant, Tokens
from oauth.primitives.parameters import Parameters
from oauth.primitives.resources import chosen
from oauth.primitives.sealing import Sealer
from oauth.primitives.secrets import digest
from oauth.settings import OAuthSettings
from oauth.stores.devices import DeviceStore
from oauth.stores.sessions import FailureStore

ALPHABET = "BCDFGHJKLMNPQRSTVWXZ"
"""The RFC's own: no vowels, so that no words arise, and no digits that look like letters. 8 of them are 34.5 bits."""

LENGTH = 8
_HALF = LENGTH // 2
_FORM = re.compile(f"[{ALPHABET}]{{{LENGTH}}}")


def new_user_code() -> str:
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))


def shown_user_code(code: str) -> str:
    """The form for people: XXXX-XXXX."""
    return f"{code[:_HALF]}-{code[_HALF:]}"


def read_user_code(typed: str) -> str | None:
    """The code that somebody meant, in whatever case and with whatever between the letters; None: it is none."""
    if len(typed) > 4 * LENGTH:
        return None
    code = re.sub(r"[\W_]", "", typed).upper()
    return code if _FORM.fullmatch(code) else None


INTERVAL = 5
"""Seconds between two polls, and what each slow_down adds (RFC 8628 sections 3.2 and 3.5)."""

EARLY = timedelta(seconds=1)
"""A poll that set out in time may have travelled faster than the one before it."""

ATTEMPTS = 5
USER_CODE = "user code"
"""The purpose under which user codes are marked."""

WINDOW = timedelta(minutes=10)
PER_ACCOUNT, PER_ADDRESS, STARTS_PER_ADDRESS = 10, 30, 60
"""Within the window: wrong codes of one account, wrong codes from one address, devices that begin at one address."""

WRONG = "No device waits with this code. It may have expired: start again on the device, and type the new code."

STDIO_CLIENT_ID = "minds-stdio"


def stdio_client(settings: OAuthSettings, now: datetime) -> Client:
    """The command line of this project on a user's machine: public, built in, and only ever a device."""
    return Client(
        id=STDIO_CLIENT_ID,
        kind="configured",
        name="Minds on the command line",
        redirect_uris=(),
        created_at=now,
        grant_types=frozenset({DEVICE_CODE, "refresh_token"}),
        scopes=settings.scopes,
    )


@dataclass(frozen=True, slots=True)
class Started:
    """What the device is told: the only moment at which both codes are known. The times are seconds."""

    device_code: str = field(repr=False)
    user_code: str = field(repr=False)
    expires_in: int
    interval: int = INTERVAL


@dataclass(frozen=True, slots=True)
class Devices:
    """What a device asks, and what a signed-in person does for one that waits (section 3.3).

    Codes are short, so guessing is throttled for each account and for each address, an IPv6 site (section 5.1).
    """

    store: DeviceStore
    failures: FailureStore
    issuer: AccessTokens
    sealer: Sealer
    settings: OAuthSettings

    async def start(self, client: Client, parameters: Parameters, now: datetime) -> Started:
        """Let a device wait (RFC 8628 section 3.1).

        Raises `UnauthorizedClient`: the client is none for devices; `InvalidScope`: nothing that it asks for can be
        had; `InvalidTarget`: the resource is none of ours.
        """
        if DEVICE_CODE not in client.grant_types:
            raise errors.UnauthorizedClient("This client may not use the device flow.")
        asked, resource = parameters.words("scope"), chosen(parameters.get("resource"), self.settings.resources)
        scopes = granted_at_most(asked, client.scopes, self.settings.scopes)
        device_code = secrets.token_urlsafe(32)
        for _ in range(ATTEMPTS):
            user_code = new_user_code()
            device = Device(
                digest=digest(device_code),
                user_code_digest=self.sealer.mark(USER_CODE, user_code),
                client_id=client.id,
                client_name=client.name,
                scopes=scopes,
                resource=resource,
                created_at=now,
                expires_at=now + self.settings.device,
                interval=INTERVAL,
                imitates=imitates(client),
                asked=" ".join([kept_words(asked, scopes), *sorted(scopes)]).strip(),
            )
            try:
                await self.store.add_device(device)
            except errors.Conflict:
                continue
            return Started(device_code, user_code, int(self.settings.device.total_seconds()))
        raise errors.TemporarilyUnavailable("No free code was found; try again.")

    async def exchange(self, client: Client, parameters: Parameters, now: datetime) -> Tokens:
        """One poll: the answer to grant type `DEVICE_CODE` at the token endpoint (RFC 8628 section 3.4).

        Raises `AuthorizationPending`: nobody has decided yet; `SlowDown`: nor may the device ask so often; its interval
        is 5 seconds longer from now on; `AccessDenied`: the person refused, or the account was disabled since;
        `ExpiredToken`: nobody decided in time; `InvalidGrant`: the code is unknown, another client's, or used;
        `InvalidTarget`: another resource is asked for than the device began with.
        """
        device = await self.store.find_device(digest(parameters.require("device_code")))
        if device is None or device.client_id != client.id or device.status == "used":
            raise errors.InvalidGrant("The device code is unknown, used, or of another client.")
        check_resource(parameters, device.resource, self.settings)
        if device.status == "denied":
            # Whoever refuses is not noted; an account that was disabled since it let the device in is.
            is_disabled = device.user_id is not None
            raise errors.AccessDenied("The account was disabled." if is_disabled else "The person refused.")
        if now >= device.expires_at:
            raise errors.ExpiredToken("The device code has expired; begin again.")
        if device.status == "pending":
            allowed = timedelta(seconds=device.interval) - EARLY
            is_hasty = device.last_poll_at is not None and now - device.last_poll_at < allowed
            await self.store.note_poll(device.digest, device.interval + INTERVAL * is_hasty, now)
            if is_hasty:
                raise errors.SlowDown("Ask less often: wait 5 seconds longer between two requests.")
            raise errors.AuthorizationPending("Nobody has decided yet; ask again after the interval.")
        return await self._redeem(client, device, now)

    async def _redeem(self, client: Client, device: Device, now: datetime) -> Tokens:
        grant = Grant(
            id=str(uuid4()),
            user_id=device.user_id,
            client_id=client.id,
            client_name=device.client_name,
            redirect_host=None,
            scopes=device.scopes,
            resource=device.resource,
            created_at=now,
            expires_at=now + self.settings.family,
            asked=device.asked,
        )
        # Signed first: should that fail, the device may ask again. Until the grant is kept it opens nothing.
        access_token, expires_in = await self.issuer.issue(grant, grant.scopes, now)
        secret, refresh = None, None
        if "refresh_token" in client.grant_types:
            secret, refresh = new_refresh_token(grant, self.settings, now)
        if not await self.store.use_device(device.digest, grant, refresh, now):
            raise errors.InvalidGrant("The device code is used, or its account was disabled.")
        return Tokens(access_token, expires_in, grant.scopes, secret, grant.id, grant.user_id)

    async def find(self, typed: str, user_id: str, address: str, now: datetime) -> tuple[str, Device]:
        """The code as it is written, and the device that waits with it.

        Raises `Unacceptable`: what was typed has not the form of a code; it is no guess, either; `Unknown`: nothing
        waits with this code; `TooManyRequests`: there were too many wrong codes.
        """
        code = read_user_code(typed)
        if code is None:
            raise errors.Unacceptable("A code has eight letters, such as BCDF-GHJK.")
        places = {f"device account {user_id}": PER_ACCOUNT, f"device address {address}": PER_ADDRESS}
        # Counted before it is compared: of many guesses at once, no more than the limit are.
        claimed = await self.failures.claim(places, WINDOW, now)
        device = await self.store.find_waiting(self.sealer.marks(USER_CODE, code), now)
        if device is None:
            raise errors.Unknown(WRONG)
        await self.failures.forgive(claimed)
        return shown_user_code(code), device

    async def decide(self, device: Device, *, user_id: str | None, scopes: frozenset[str], now: datetime) -> None:
        """Let the device in as this account with these scopes; without an account, refuse it.

        Raises `Refused`: it has been decided already, or no longer waits.
        """
        if not await self.store.decide(device.digest, user_id=user_id, scopes=scopes & device.scopes, now=now):
            raise errors.Refused("The device no longer waits. Start again on the device.")

    async def admit_start(self, address: str, now: datetime) -> None:
        """Count a device that begins: each one is a code more that a guess could hit.

        Raises `TooManyRequests`: too many began at this address.
        """
        await self.failures.claim({f"device start {address}": STARTS_PER_ADDRESS}, WINDOW, now)
