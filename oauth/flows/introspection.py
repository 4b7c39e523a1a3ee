"""What a token is worth at this moment (RFC 7662), for callers inside the installation."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from oauth.flows.revocation import TokenReader
from oauth.grants import AccessClaims, Grant, RefreshToken
from oauth.primitives import scopes
from oauth.primitives.secrets import digest
from oauth.settings import OAuthSettings
from oauth.stores.grants import GrantStore

INACTIVE: Mapping[str, Any] = {"active": False}
"""The same for every token that is worth nothing, whatever the reason (section 2.2)."""


class Introspection:
    """Tells the state of access and refresh tokens."""

    def __init__(
        self,
        store: GrantStore,
        tokens: TokenReader,
        settings: OAuthSettings,
        *,
        has_client: Callable[[str], bool] = lambda _client_id: True,
    ) -> None:
        """`has_client` says whether a client of this id can be: one that is no longer configured cannot."""
        self._store, self._tokens, self._settings = store, tokens, settings
        self._has_client = has_client

    async def describe(self, token: str, now: datetime) -> Mapping[str, Any]:
        """The members of RFC 7662 section 2.2; nothing that tells who the person is beyond the account's id.

        Raises:
            StoreUnavailable: the store gave no answer.

        """
        refresh = await self._store.find_refresh(digest(token))
        if refresh is not None:
            grant = await self._live_grant(refresh.grant_id, now)
            usable = grant is not None and refresh.rotated_at is None and now < refresh.expires_at
            return self._refresh(refresh, grant) if grant is not None and usable else INACTIVE
        claims = await self._tokens.verify(token, now)
        grant = None if claims is None else await self._live_grant(claims.grant_id, now)
        return INACTIVE if claims is None or grant is None else self._access(claims, grant)

    async def _live_grant(self, grant_id: str, now: datetime) -> Grant | None:
        grant = await self._store.find_live_grant(grant_id, now)
        return grant if grant is not None and self._has_client(grant.client_id) else None

    def _refresh(self, token: RefreshToken, grant: Grant) -> Mapping[str, Any]:
        return self._members(grant, grant.scopes, token.created_at, token.expires_at)

    def _access(self, claims: AccessClaims, grant: Grant) -> Mapping[str, Any]:
        members = self._members(grant, claims.scopes & grant.scopes, claims.issued_at, claims.expires_at)
        return {**members, "token_type": "Bearer", "jti": claims.jti}

    def _members(
        self, grant: Grant, held: frozenset[str], issued_at: datetime, expires_at: datetime
    ) -> Mapping[str, Any]:
        return {
            "active": True,
            "iss": self._settings.issuer,
            "sub": grant.subject,
            "aud": grant.resource,
            "client_id": grant.client_id,
            "scope": scopes.written(held),
            "iat": int(issued_at.timestamp()),
            "exp": int(expires_at.timestamp()),
        }
