"""Signing in with somebody else's account: begun and finished in one browser, once.

What a sign-in needs to go on travels sealed in a cookie of the browser that began it (the "ticket"), one for each
sign-in, so that tabs do not meet and abandoned ones cost nothing. The provider sees only the random `state`. So an
answer that another browser brings, or that is brought twice, finds nothing to finish (RFC 9700 section 4.7).
"""

import json
import re
import secrets as randomness
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from urllib.parse import urlsplit
from uuid import uuid4

from oauth.errors import AccessDenied, Unknown
from oauth.grants import Identity
from oauth.identity.provider import Challenge, Provider
from oauth.models import User
from oauth.primitives import secrets
from oauth.primitives.parameters import Parameters
from oauth.primitives.sealing import Sealer, Tampered
from oauth.settings import OAuthSettings
from oauth.stores.grants import GrantStore
from oauth.stores.sessions import IdentityStore

HOME = "/account"
RETURN = "return"
MAX_AGE = timedelta(days=1)  # a sign-in page may stay open over lunch; what it leads to has an age of its own
# One slash, then neither slash nor backslash: browsers read `//host` and `/\host` as another site.
LOCAL = re.compile(r"/(?![/\\])[\x21-\x7e]*")


@dataclass(frozen=True, slots=True)
class Return:
    """`fresh`: the person must prove anew who they are, also to a provider that still knows them."""

    path: str
    fresh: bool = False


class ReturnUrls:
    def __init__(self, sealer: Sealer) -> None:
        self._sealer = sealer

    def seal(self, path: str, now: datetime, *, fresh: bool = False) -> str:
        """The value of `continue` that leads to `path`.

        Raises `ValueError`: `path` is not a path of this site: a fault of ours, never of a visitor.
        """
        if not LOCAL.fullmatch(path):
            raise ValueError("a return path begins with one slash and is printable ASCII")
        return self._sealer.seal(RETURN, json.dumps([path, fresh]).encode(), now)

    def open(self, sealed: str | None, now: datetime) -> Return:
        """Where to go on: `HOME` when nothing was given, or nothing that we sealed within a day."""
        try:
            path, fresh = json.loads(self._sealer.open(RETURN, sealed or "", max_age=MAX_AGE, now=now))
        except Tampered:
            return Return(HOME)
        return Return(path, fresh)


PURPOSE = "external sign-in"
SECRET_BYTES = 32
KEY_LENGTH = 16
LOCAL_LENGTH = 32
MAX_HOST = 200  # of a host in an address of 254 characters

NOT_OURS = "This sign-in was not begun in this browser, was finished already, or took too long."


@dataclass(frozen=True, slots=True)
class StartedSignIn:
    """Where the browser goes, and what it must hold until it comes back."""

    address: str
    key: str
    ticket: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class PendingSignIn:
    """A sign-in that this browser began and that nobody has finished before."""

    provider: Provider
    challenge: Challenge
    going_on: Return


class ExternalSignIn:
    def __init__(
        self,
        providers: Sequence[Provider],
        identities: IdentityStore,
        spent: GrantStore,
        sealer: Sealer,
        settings: OAuthSettings,
    ) -> None:
        self._providers: Mapping[str, Provider] = {provider.slug: provider for provider in providers}
        self._identities, self._spent = identities, spent
        self._sealer, self._max_age = sealer, settings.request

    @property
    def providers(self) -> Sequence[Provider]:
        return list(self._providers.values())

    async def begin(self, slug: str, going_on: Return, now: datetime) -> StartedSignIn:
        """A sign-in at this provider that leads on to `going_on`.

        Raises `Unknown`: there is no such provider; `ProviderUnavailable`: it is not to be reached.
        """
        provider = self._providers.get(slug)
        if provider is None:
            raise Unknown("There is no such way of signing in.")
        challenge = Challenge(*(randomness.token_urlsafe(SECRET_BYTES) for _ in range(3)))
        address = await provider.begin(challenge, now, fresh=going_on.fresh)
        content = {"slug": slug, "challenge": asdict(challenge), "going_on": asdict(going_on)}
        # What it leads on to is sealed text, which packs by a quarter: with long states more tabs find room for theirs.
        ticket = self._sealer.seal(PURPOSE, zlib.compress(json.dumps(content).encode()), now)
        return StartedSignIn(address, key_of(challenge.state), ticket)

    async def resume(self, slug: str, state: str | None, ticket: str | None, now: datetime) -> PendingSignIn:
        """The sign-in that this answer belongs to. It is used up by that, however it ends.

        Raises `AccessDenied`: this browser did not begin it at this provider, or it was finished or expired.
        """
        try:
            packed = self._sealer.open(PURPOSE, ticket or "", max_age=self._max_age, now=now)
            content = json.loads(zlib.decompress(packed))
        except (Tampered, zlib.error):  # or begun by an older version of ours
            raise AccessDenied(NOT_OURS) from None
        challenge = Challenge(**content["challenge"])
        # The address of the answer tells which provider sent it: one cannot pass its answer off as another's.
        if content["slug"] != slug or slug not in self._providers or not secrets.same(state or "", challenge.state):
            raise AccessDenied(NOT_OURS)
        if not await self._spent.spend(f"{PURPOSE} {challenge.state}", now + self._max_age):
            raise AccessDenied(NOT_OURS)
        return PendingSignIn(self._providers[slug], challenge, Return(**content["going_on"]))

    async def finish(self, pending: PendingSignIn, answer: Parameters, now: datetime) -> User:
        """The account of whoever the provider says is there; a new one at the first time.

        Raises `AccessDenied`: the account is disabled; `SignInRefused`: the answer proves nothing;
        `ProviderUnavailable`: that could not be found out.
        """
        identity = await pending.provider.finish(answer, pending.challenge, now)
        user = await self._identities.user_of(identity, new_user(identity, now), now)
        if user.disabled_at is not None:
            raise AccessDenied("This account may not sign in. Ask whoever runs this server.")
        return user


def key_of(state: str) -> str:
    """The name under which the browser keeps the ticket of this state; it does not tell the state."""
    return secrets.digest(state)[:KEY_LENGTH]


def new_user(identity: Identity, now: datetime) -> User:
    """An account for this identity alone: without a password, and with an address that is made up.

    Accounts are unique by address, and a provider's word for an address must never lead to an account that
    somebody else has (OpenID Connect Core section 5.7). So the address is a digest of the identity, at the
    issuer's host; the real one is kept beside the identity, for pages to show.
    """
    digest = secrets.digest(f"{identity.issuer}\n{identity.subject}")
    host = (urlsplit(identity.issuer).hostname or "issuer.invalid")[-MAX_HOST:]
    return User(id=str(uuid4()), email=f"{digest[:LOCAL_LENGTH]}@{host}", created_at=now)
