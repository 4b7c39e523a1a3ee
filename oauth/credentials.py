"""The embedded accounts as the authority on keys, and this server as the authority on its access tokens."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from uuid import NAMESPACE_URL, uuid5

from pydantic import SecretStr

from oauth.access_tokens import AccessTokens
from oauth.errors import StoreUnavailable
from oauth.models import Verified
from oauth.primitives import secrets
from oauth.primitives.clock import utc_now
from oauth.stores.accounts import AccountStore
from oauth.stores.grants import GrantStore
from oauth.verifier import CredentialChecker

LinkedKey = Callable[[str, datetime], Awaitable[SecretStr | None]]
"""The key of the real internal API that an account has linked (`Links.key_of`)."""


class _Authority:
    """Remembers which credentials were used and when, until `note_uses` has written it down by `touch`."""

    def __init__(self, touch: Callable[[Mapping[str, datetime]], Awaitable[None]], now: Callable[[], datetime]) -> None:
        self._touch, self._now = touch, now
        self._uses: dict[str, datetime] = {}

    async def note_uses(self) -> None:
        """Write down the uses since the last time. What cannot be written, or is used meanwhile, waits for the next."""
        uses = dict(self._uses)
        await self._touch(uses)
        self._uses = {used: at for used, at in self._uses.items() if uses.get(used) != at}


class StoredKeys(_Authority):
    def __init__(self, ring: AccountStore, now: Callable[[], datetime] = utc_now) -> None:
        super().__init__(ring.touch, now)
        self._ring = ring

    async def check(self, key: str) -> Verified | None:
        if not secrets.looks_like_key(key) or secrets.is_misspelt(key):
            return None
        digest = secrets.digest(key)
        owned = await self._ring.find_by_digest(digest)
        # Compared again here: how a database compares text is a matter of its collation.
        if owned is None or not secrets.same(owned.key.digest, digest) or owned.state(self._now()) != "active":
            return None
        self._uses[owned.key.id] = self._now()
        return Verified(owned.user.id, owned.key.scopes, owned.key.id, expires_at=owned.key.expires_at)


class StoredTokens(_Authority):
    """Reads access tokens and asks the store, once, whether the grant and the account still stand behind them."""

    def __init__(
        self,
        tokens: AccessTokens,
        ring: GrantStore,
        now: Callable[[], datetime],
        *,
        has_client: Callable[[str], bool] = lambda _client_id: True,
        linked_key: LinkedKey | None = None,
    ) -> None:
        """`has_client` says whether a client of this id can be: one that is no longer configured cannot."""
        super().__init__(ring.touch, now)
        self._tokens, self._ring, self._has_client, self._linked_key = tokens, ring, has_client, linked_key

    async def check(self, token: str) -> Verified | None:
        claims = await self._tokens.verify(token, self._now()) if secrets.looks_like_token(token) else None
        if claims is None or not self._has_client(claims.client_id):
            return None
        grant = await self._ring.find_live_grant(claims.grant_id, self._now())
        if grant is None:
            return None
        if (claims.sub, claims.client_id, claims.aud) != (grant.subject, grant.client_id, grant.resource):
            return None
        self._uses[claims.grant_id] = self._now()
        subject = grant.user_id or client_subject(grant.client_id)
        return Verified(
            subject=subject,
            scopes=claims.scopes & grant.scopes,
            client_id=grant.client_id,
            kind="access_token",
            expires_at=datetime.fromtimestamp(claims.exp, UTC),
            audience=claims.aud,
            linked_key=None if self._linked_key is None else await self._linked_key(subject, self._now()),
        )

    async def is_ours(self, token: str) -> bool:
        """Whether it is a token of this server, if only an old one. While that cannot be found out, it is not."""
        try:
            return secrets.looks_like_token(token) and await self._tokens.signed_claims(token, self._now()) is not None
        except StoreUnavailable:
            return False


class ByForm:
    """Asks whoever decides about credentials of this form. The two forms have no text in common."""

    def __init__(self, *, keys: CredentialChecker, tokens: CredentialChecker) -> None:
        self._keys, self._tokens = keys, tokens

    async def check(self, bearer: str, /) -> Verified | None:
        """Who the key or token belongs to; None when it is not valid.

        Raises `StoreUnavailable`: that could not be found out.
        """
        return await (self._tokens if secrets.looks_like_token(bearer) else self._keys).check(bearer)


def client_subject(client_id: str) -> str:
    """The account of a client that acts for itself: a UUID of its own, so that no client can be named like a person.

    `sub` in its tokens is the client's id (RFC 9068 section 2.2); section 5 warns of taking one for
    the other.
    """
    return str(uuid5(NAMESPACE_URL, f"client:{client_id}"))
