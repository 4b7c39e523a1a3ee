"""Passkeys: made by somebody who has just signed in, and used instead of address and password.

Nothing is stored of a ceremony under way. The page holds its challenge, sealed for the secret of this browser's
session (the "ticket"); it is good for five minutes and, by its digest in the database, once.
"""

import secrets as randomness
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from pkgutil import resolve_name
from typing import TYPE_CHECKING

import structlog

from oauth.activity import ActivityRecorder
from oauth.errors import AccessDenied, Unacceptable, Unknown, Unproven
from oauth.flows.accounts import FAILURES_OF_ACCOUNT, FAILURES_OF_ADDRESS, WINDOW
from oauth.models import Passkey, User
from oauth.primitives import secrets
from oauth.primitives.address_limit import network_key
from oauth.primitives.parameters import Parameters
from oauth.primitives.sealing import Sealer, Tampered
from oauth.settings import OAuthSettings
from oauth.stores import Stores

if TYPE_CHECKING:
    from oauth.primitives.ceremonies import RelyingParty

LIFETIME = timedelta(minutes=5)
CHALLENGE_BYTES = 32
MAX_NAME_LENGTH = 100
MOST = 20
"""Passkeys of one account: more than anybody has devices."""
SIGN_IN, CREATION = "passkey sign-in", "passkey creation"

WRONG = "This passkey does not open an account here. Choose another, or sign in with your password."
UNMADE = "The passkey could not be checked, so it was not added. Remove it from your device and try again."
STALE = "That took too long, or was sent twice. Try again."

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Ceremony:
    """What the page's script asks the authenticator for, as JSON, and what is sent back with its answer."""

    options: str
    ticket: str = field(repr=False)


class Passkeys:
    """Every refused sign-in is one answer: an unknown passkey, a wrong proof and a disabled account look the same."""

    def __init__(self, stores: Stores, sealer: Sealer, settings: OAuthSettings, activity: ActivityRecorder) -> None:
        self.store, self._failures, self._spent = stores.passkeys, stores.failures, stores.grants
        self._sealer, self._settings, self._activity = sealer, settings, activity

    @property
    def is_offered(self) -> bool:
        """Whether accounts of this gateway sign in, at an address that can have passkeys."""
        return self._settings.embedded_sign_in and self._settings.rp_id is not None

    @cached_property
    def _site(self) -> "RelyingParty":
        relying_party: type[RelyingParty] = resolve_name("oauth.primitives.ceremonies:RelyingParty")
        return relying_party(self._settings.rp_id or "", self._settings.site_url)

    def begin_sign_in(self, secret: str, now: datetime) -> Ceremony:
        """For the browser that holds this secret."""
        challenge = randomness.token_bytes(CHALLENGE_BYTES)
        return Ceremony(self._site.request_options(challenge), self._seal(SIGN_IN, challenge, secret, now))

    async def begin_creation(self, user: User, secret: str, now: datetime) -> Ceremony:
        """For the session with this secret, when the account was proven a moment ago."""
        challenge = randomness.token_bytes(CHALLENGE_BYTES)
        options = self._site.creation_options(user, challenge, await self.store.list_passkeys(user.id))
        return Ceremony(options, self._seal(CREATION, challenge, secret, now))

    async def create(self, user: User, sent: Parameters, secret: str, now: datetime) -> None:
        """Keep the passkey that the form with `name`, `ticket` and `answer` proves.

        Raises `Unacceptable`: one of them breaks a rule, or there are too many; `Conflict`: it is somebody's already;
        `AccessDenied`: the ceremony was not begun in this session, was used, or took too long.
        """
        name = (sent.get("name") or "").strip()
        if not 0 < len(name) <= MAX_NAME_LENGTH or not name.isprintable():
            raise Unacceptable(f"Give the passkey a name of 1 to {MAX_NAME_LENGTH} printable characters.")
        if len(await self.store.list_passkeys(user.id)) >= MOST:
            raise Unacceptable(f"An account has {MOST} passkeys at most. Remove one that you do not use.")
        challenge = self._challenge(CREATION, sent, secret, now)
        await self._spend(challenge, now)
        try:
            passkey = self._site.created(sent.get("answer") or "", challenge, user, name, now)
        except Unproven as fault:
            log.info("passkey.not_added", fault=str(fault))
            raise Unacceptable(UNMADE) from None
        await self.store.add_passkey(passkey)
        self._activity.note(user.id, "passkey_added", passkey.id, client_name=name)

    async def remove(self, user: User, passkey_id: str) -> None:
        """Forget it here. Raises `Unknown`: it is none of this account's."""
        name = await self.store.remove_passkey(user.id, passkey_id)
        if name is None:
            raise Unknown("That passkey is none of yours, or it is gone.")
        self._activity.note(user.id, "passkey_removed", passkey_id, client_name=name)

    async def sign_in(self, sent: Parameters, secret: str, address: str, now: datetime) -> tuple[User, Passkey]:
        """The account and the passkey that the form with `ticket` and `answer` proves.

        Raises `AccessDenied`: it proves nothing, or the account may not sign in; which, is not said. `TooManyRequests`:
        there were too many failures from this address, with passkeys or passwords.
        """
        challenge, answer = self._challenge(SIGN_IN, sent, secret, now), sent.get("answer") or ""
        try:
            (credential_id, user_id), network = self._site.claim(answer), network_key(address)
            at_passkey = f"sign-in from {network} with {credential_id}"
            most = {f"sign-in from {network}": FAILURES_OF_ADDRESS, at_passkey: FAILURES_OF_ACCOUNT}
            claimed = await self._failures.claim(most, WINDOW, now)
            await self._spend(challenge, now)
            found = await self.store.find_passkey(credential_id)
            if found is None or found[1].id != user_id:
                raise AccessDenied(WRONG)
            passkey, user = found
            count = self._site.sign_count(answer, challenge, passkey.public_key)
        except Unproven as fault:
            log.info("passkey.refused", fault=str(fault))
            raise AccessDenied(WRONG) from None
        if not await self.store.use_passkey(passkey.id, count, now):
            log.warning("passkey.copied", passkey=passkey.id)
            self._activity.note(user.id, "passkey_copied", passkey.id, "refused", passkey.name)
            raise AccessDenied(WRONG)
        await self._failures.forgive(claimed, at_passkey)
        return user, passkey

    def _seal(self, purpose: str, challenge: bytes, secret: str, now: datetime) -> str:
        return self._sealer.seal(f"{purpose} {secrets.digest(secret)}", challenge, now)

    def _challenge(self, purpose: str, sent: Parameters, secret: str, now: datetime) -> bytes:
        """The challenge of the ticket. Raises `AccessDenied`: it was not sealed for this browser, or long ago."""
        bound = f"{purpose} {secrets.digest(secret)}"
        try:
            return self._sealer.open(bound, sent.get("ticket") or "", max_age=LIFETIME, now=now)
        except Tampered:
            raise AccessDenied(STALE) from None

    async def _spend(self, challenge: bytes, now: datetime) -> None:
        if not await self._spent.spend(f"passkey {challenge.hex()}", now + LIFETIME):
            raise AccessDenied(STALE)
