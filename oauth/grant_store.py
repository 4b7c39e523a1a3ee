"""What delegation asks of a store, one protocol for each need.

Every method may raise `StoreUnavailable`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from oauth.grants import Client, Code, Consent, Device, Grant, Identity, KeptDocument, RefreshToken, Session, SigningKey
from oauth.models import User


class ClientStore(Protocol):
    async def register(self, client: Client, fingerprint: str | None, now: datetime) -> Client:
        """Keep a new registration, or return the live one with this fingerprint; without one it is always new."""

    async def find_client(self, client_id: str, now: datetime) -> Client | None:
        """The registered client, unless it is revoked or its time unused is over."""

    async def keep_client(self, client_id: str, now: datetime) -> None:
        """Note a use: a client that has been used never expires."""

    async def keep_document(self, client: Client, read_at: datetime) -> None:
        """Keep what a document said when it was read, of a client with tokens; what is known of later times stays."""

    async def renew_document(self, client: Client, read_at: datetime) -> None:
        """The same for a document that was just read, but only where one of the client is kept already."""

    async def refuse_document(self, client_id: str, now: datetime, *, is_gone: bool) -> None:
        """Let the kept document stand in no more until it is read again; one that `is_gone` ends its grants too."""

    async def find_document(self, client_id: str, now: datetime) -> KeptDocument | None:
        """What is known of the document at this address, unless that is too long ago."""

    async def list_clients(self) -> Sequence[Client]:
        """The live registrations, newest first."""

    async def revoke_client(self, client_id: str, now: datetime) -> bool:
        """End the client (a metadata document stays valid) and all its grants, in every process; False if none."""

    async def drop_expired_clients(self, now: datetime) -> int:
        """Forget unused registrations whose time is over, and say how many."""


class SessionStore(Protocol):
    async def open_session(self, session: Session) -> None:
        """Keep a new session."""

    async def find_session(self, digest: str, now: datetime) -> tuple[Session, User] | None:
        """The live session with its account, unless that is disabled."""

    async def end_session(self, digest: str) -> None:
        """Sign one browser out."""

    async def end_sessions(self, user_id: str) -> None:
        """Sign the account out everywhere."""

    async def verified_address(self, user_id: str) -> str | None:
        """The e-mail address that an identity provider vouches for: to be shown, never to be found by."""


class IdentityStore(Protocol):
    async def user_of(self, identity: Identity, new: User, now: datetime) -> User:
        """The account of this identity; `new` becomes it when the identity is seen for the first time.

        Two first sign-ins at once give one account. The identity's address is kept as it is now.
        """


class ConsentStore(Protocol):
    async def find_consent(self, user_id: str, client_id: str, redirect_host: str, now: datetime) -> Consent | None:
        """What is remembered and still holds."""

    async def keep_consent(self, consent: Consent) -> None:
        """Remember it in place of an earlier one."""

    async def forget_consents(self, user_id: str, client_id: str) -> None:
        """Ask this person again about this client."""


class SpentStore(Protocol):
    async def spend(self, handle: str, until: datetime) -> bool:
        """Whether this is the first use of `handle`; atomically, in all processes. Only its digest is kept."""

    async def is_spent(self, handle: str) -> bool:
        """Whether it was used before, without using it: for what is shown, never for what is decided."""


@dataclass(frozen=True, slots=True)
class Reused:
    """A code or refresh token was shown again after its use: its family is now revoked, and this is its grant."""

    grant_id: str


@dataclass(frozen=True, slots=True)
class Replayed:
    """A refresh token was shown again within the grace: `successor`, sealed under it, is what it was answered."""

    token: RefreshToken
    successor: str


class GrantStore(Protocol):
    async def approve(self, request_id: str, grant: Grant, code: Code, until: datetime) -> bool:
        """Keep grant and code, unless the request was spent before: then nothing, and False."""

    async def add_grant(self, grant: Grant, refresh: RefreshToken | None = None) -> None:
        """Keep a grant that needs no code (client_credentials, a device)."""

    async def find_code(self, digest: str) -> Code | None:
        """The code, whether used or not; it is not claimed."""

    async def claim_code(self, digest: str, refresh: RefreshToken | None, now: datetime) -> Grant | Reused | None:
        """Use the code up and keep the first refresh token of its family, atomically: of ten at once, one wins.

        None when there is no live code of this digest. A second use revokes the family; once that has ended, by
        this or otherwise, a further use is None too: there is nothing left to end, and nothing new to tell.
        """

    async def burn_code(self, digest: str, now: datetime) -> bool:
        """Let nobody claim the code any more, and end its grant; False where it was used, burnt or ended before."""

    async def find_refresh(self, digest: str) -> RefreshToken | None:
        """The refresh token, whether rotated or not."""

    async def rotate(
        self, digest: str, successor: RefreshToken, sealed: str, grace_since: datetime, now: datetime
    ) -> Grant | Replayed | Reused | None:
        """Put `successor` in the place of a refresh token, atomically: of ten at once, one rotates, nine replay.

        `sealed` is kept beside the old token for a repetition. One rotated before `grace_since` is a reuse: the
        family is revoked, in every process. None when the token or its family is unknown, expired or revoked.
        """

    async def find_grant(self, grant_id: str) -> Grant | None:
        """The grant, whether live or not."""

    async def find_live_grant(self, grant_id: str, now: datetime) -> Grant | None:
        """The grant, unless it is revoked or over or its account is disabled: whether its tokens still hold."""

    async def list_grants(self, user_id: str, now: datetime) -> Sequence[Grant]:
        """The live grants of an account, newest first; without those whose code was not redeemed in time."""

    async def revoke_grant(self, grant_id: str, reason: str, now: datetime) -> None:
        """End the family in every process. A second revocation leaves the first as it is."""

    async def end_client(self, user_id: str, client_id: str, reason: str, now: datetime) -> Sequence[str]:
        """End all that a client holds of an account, unredeemed codes and approved devices too; the ended grants."""

    async def drop_expired(self, now: datetime) -> int:
        """Forget what no request can ask for any more (codes, tokens, grants, spent handles, sessions, devices)."""


@dataclass(frozen=True, slots=True)
class OwnedGrant:
    """A grant with its account, read in one statement so that both are of the same moment.

    `user` is None when the client acts for itself.
    """

    grant: Grant
    user: User | None

    def is_live(self, now: datetime) -> bool:
        """Whether its tokens are accepted: neither the grant nor the account has ended."""
        if not self.grant.is_live(now):
            return False
        if self.grant.user_id is None:
            return True
        return self.user is not None and self.user.disabled_at is None


class GrantRing(Protocol):
    """What verification needs of the grants: the only part that a resource server uses."""

    async def find_owned_grant(self, grant_id: str) -> OwnedGrant | None:
        """The grant with its account, whether live or not."""

    async def touch_grants(self, uses: Mapping[str, datetime]) -> None:
        """Note when the grants with these ids were used, at most once a minute for each."""

    async def grants_revision(self) -> int:
        """A number that changes whenever a grant that was live may have ceased to be."""


class DeviceStore(Protocol):
    async def add_device(self, device: Device) -> None:
        """Keep a device that waits. Raises `Conflict` when its user code is in use."""

    async def find_device(self, digest: str) -> Device | None:
        """By the device code's digest."""

    async def find_waiting(self, user_code_digest: str, now: datetime) -> Device | None:
        """By the user code's digest; only one that is pending and not expired."""

    async def decide(self, digest: str, *, user_id: str | None, scopes: frozenset[str], now: datetime) -> bool:
        """Approve for the account, or deny without one; False when it no longer waits."""

    async def list_let_in(self, user_id: str, now: datetime) -> Sequence[Device]:
        """Those that the account approved and that have not asked since, newest first."""

    async def note_poll(self, digest: str, interval: int, now: datetime) -> None:
        """Note a poll, and the interval that holds from now."""

    async def use_device(self, digest: str, grant: Grant, refresh: RefreshToken | None, now: datetime) -> bool:
        """Use an approved device code up and keep its grant, atomically; False when somebody else did."""


class SigningKeyStore(Protocol):
    async def signing_keys(self, now: datetime) -> Sequence[SigningKey]:
        """Those that are still published, the oldest first."""

    async def add_signing_key(self, key: SigningKey) -> bool:
        """Keep it unless another process made one for the same span; whether it was kept."""

    async def drop_signing_keys(self, now: datetime) -> int:
        """Forget those that are published no more, and say how many."""

    async def signing_keys_revision(self) -> int:
        """A number that changes whenever a key was added."""


class LinkedKeyStore(Protocol):
    async def link_key(self, user_id: str, sealed: str, last4: str, now: datetime) -> None:
        """Keep the sealed key of the internal API in place of an earlier one."""

    async def find_linked_key(self, user_id: str) -> tuple[str, str] | None:
        """The sealed key and its last four characters."""

    async def unlink_key(self, user_id: str) -> None:
        """Forget it."""


class FailureStore(Protocol):
    async def note_failure(self, place: str, now: datetime) -> None:
        """Count a failed attempt at `place` (of which only the digest is kept)."""

    async def failures(self, place: str, since: datetime) -> int:
        """How many there were."""

    async def forgive(self, place: str) -> None:
        """Forget them, after a success."""

    async def drop_failures(self, before: datetime) -> int:
        """Forget all that are older, and say how many: no throttle looks back so far."""
