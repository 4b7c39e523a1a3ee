"""What an identity provider signed about somebody, verified (OpenID Connect Core section 3.1.3.7)."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import jwt

from oauth.identity.provider import SignInRefused
from oauth.primitives.fetching import CachedFetch

ALGORITHMS = ("RS256", "ES256", "PS256", "EdDSA")
"""Fixed: neither a token's header nor an issuer's document may add to them, least of all `none` or `HS256`."""
KEEP = timedelta(hours=1)
"""How long an issuer's documents are kept; a key that it took away stops working here after that."""
REFETCH_AFTER = timedelta(seconds=30)  # between two fetches for unknown keys

Fetch = Callable[[datetime], Awaitable[Mapping[str, Any]]]
Keys = Sequence[Mapping[str, Any]]


class RemoteKeys:
    """One issuer's key set (RFC 7517), as `fetch` reads it."""

    def __init__(self, fetch: Fetch) -> None:
        self._fetch = fetch
        self._sets: CachedFetch[Keys] = CachedFetch(self._load, stale=timedelta())

    async def find(self, kid: str | None, algorithm: str, now: datetime) -> jwt.PyJWK:
        """The key for a token of this header.

        Raises `SignInRefused`: the issuer has none, or it is not one for this algorithm; `ProviderUnavailable`: the
        keys cannot be read.
        """
        found = _fitting(await self._sets.get("jwks", now), kid, algorithm)
        if found is None:
            found = _fitting(await self._sets.get("jwks", now, not_before=now - REFETCH_AFTER), kid, algorithm)
        if found is None:
            raise SignInRefused("the token is signed with an unknown key")
        try:
            return jwt.PyJWK(dict(found), algorithm=algorithm)
        except jwt.PyJWTError:
            raise SignInRefused("the key is not one for the algorithm of the token") from None

    async def _load(self, _name: str, now: datetime) -> tuple[Keys, timedelta]:
        keys = (await self._fetch(now)).get("keys")
        return [key for key in keys if isinstance(key, dict)] if isinstance(keys, list) else [], KEEP


def _fitting(keys: Keys, kid: str | None, algorithm: str) -> Mapping[str, Any] | None:
    usable = [
        key
        for key in keys
        if key.get("use", "sig") == "sig" and key.get("alg", algorithm) == algorithm and key.get("kty") != "oct"
    ]
    if kid is None:
        # OpenID Connect Core section 10.1: only where there is no doubt which one is meant.
        return usable[0] if len(usable) == 1 else None
    return next((key for key in usable if key.get("kid") == kid), None)


LEEWAY = timedelta(seconds=30)
REQUIRED = ["exp", "iat", "iss", "aud", "sub"]
# The three times are compared with the time that the caller decides by, not with the library's own clock.
OPTIONS: Any = {"require": REQUIRED, "verify_exp": False, "verify_iat": False, "verify_nbf": False}


async def verified(token: str, keys: RemoteKeys, *, issuer: str, audience: str, now: datetime) -> Mapping[str, Any]:
    """The claims of a token that `issuer` signed for `audience` and that is good at `now`.

    Raises `SignInRefused`: it is not; `ProviderUnavailable`: the issuer's keys cannot be read.
    """
    header = header_of(token)
    algorithm = header.get("alg")
    if algorithm not in ALGORITHMS:
        raise SignInRefused("the token is signed with an algorithm that is not accepted")
    key = await keys.find(header.get("kid"), algorithm, now)
    try:
        claims = jwt.decode(token, key, algorithms=[algorithm], audience=audience, issuer=issuer, options=OPTIONS)
    except jwt.PyJWTError as fault:
        raise SignInRefused(f"the token is not valid: {type(fault).__name__}") from None
    _check_times(claims, now)
    return claims


def header_of(token: str) -> Mapping[str, Any]:
    """What a token claims of itself: to be compared, never to be obeyed. Raises `SignInRefused`: it is none."""
    try:
        return jwt.get_unverified_header(token)
    except jwt.PyJWTError:
        raise SignInRefused("the token has no readable header") from None


def _check_times(claims: Mapping[str, Any], now: datetime) -> None:
    at, leeway = now.timestamp(), LEEWAY.total_seconds()
    if _seconds(claims, "exp") <= at - leeway:
        raise SignInRefused("the token is expired")
    if _seconds(claims, "iat") > at + leeway or ("nbf" in claims and _seconds(claims, "nbf") > at + leeway):
        raise SignInRefused("the token is of the future")


def _seconds(claims: Mapping[str, Any], name: str) -> float:
    value = claims[name]
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise SignInRefused(f"the token's {name} is no time")
    return float(value)
