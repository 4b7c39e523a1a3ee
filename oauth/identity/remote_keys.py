"""The keys of an issuer, kept for an hour, and asked for again when a token names one that is not among them."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import jwt

from oauth.identity.provider import SignInRefused

ALGORITHMS = ("RS256", "ES256", "PS256", "EdDSA")
"""Fixed: neither a token's header nor an issuer's document may add to them, least of all `none` or `HS256`."""
KEEP = 3_600.0  # seconds; a key that the issuer took away stops working here after that
REFETCH_AFTER = 30.0  # seconds between two fetches for unknown keys

Fetch = Callable[[], Awaitable[Mapping[str, Any]]]


class RemoteKeys:
    """One issuer's key set (RFC 7517)."""

    def __init__(self, fetch: Fetch, clock: Callable[[], float] = time.monotonic) -> None:
        self._fetch, self._clock = fetch, clock
        self._keys: Sequence[Mapping[str, Any]] = ()
        self._at: float | None = None
        self._turn = asyncio.Lock()

    async def find(self, kid: str | None, algorithm: str) -> jwt.PyJWK:
        """The key for a token of this header.

        Raises:
            SignInRefused: the issuer has none, or it is not one for this algorithm.
            ProviderUnavailable: the keys cannot be read.

        """
        async with self._turn:
            if self._is_older_than(KEEP):
                await self._renew()
            found = self._fitting(kid, algorithm)
            if found is None and self._is_older_than(REFETCH_AFTER):
                await self._renew()
                found = self._fitting(kid, algorithm)
        if found is None:
            raise SignInRefused("the token is signed with an unknown key")
        try:
            return jwt.PyJWK(dict(found), algorithm=algorithm)
        except jwt.PyJWTError:
            raise SignInRefused("the key is not one for the algorithm of the token") from None

    async def _renew(self) -> None:
        document = await self._fetch()
        keys = document.get("keys")
        self._keys = [key for key in keys if isinstance(key, dict)] if isinstance(keys, list) else []
        self._at = self._clock()

    def _is_older_than(self, seconds: float) -> bool:
        return self._at is None or self._clock() - self._at >= seconds

    def _fitting(self, kid: str | None, algorithm: str) -> Mapping[str, Any] | None:
        usable = [
            key
            for key in self._keys
            if key.get("use", "sig") == "sig" and key.get("alg", algorithm) == algorithm and key.get("kty") != "oct"
        ]
        if kid is None:
            # OpenID Connect Core section 10.1: only where there is no doubt which one is meant.
            return usable[0] if len(usable) == 1 else None
        return next((key for key in usable if key.get("kid") == kid), None)
