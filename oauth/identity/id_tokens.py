"""What an identity provider signed about somebody, verified (OpenID Connect Core section 3.1.3.7)."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

import jwt

from oauth.identity.provider import SignInRefused
from oauth.identity.remote_keys import ALGORITHMS, RemoteKeys

LEEWAY = timedelta(seconds=30)
REQUIRED = ["exp", "iat", "iss", "aud", "sub"]
# The three times are compared with the time that the caller decides by, not with the library's own clock.
OPTIONS: Any = {"require": REQUIRED, "verify_exp": False, "verify_iat": False, "verify_nbf": False}


def algorithm_of(token: str) -> str:
    """What the header of a token claims: to be compared, never to be obeyed.

    Raises:
        SignInRefused: it is no signed token.

    """
    return str(_header(token).get("alg"))


async def verified(token: str, keys: RemoteKeys, *, issuer: str, audience: str, now: datetime) -> Mapping[str, Any]:
    """The claims of a token that `issuer` signed for `audience` and that is good at `now`.

    Raises:
        SignInRefused: it is not.
        ProviderUnavailable: the issuer's keys cannot be read.

    """
    header = _header(token)
    algorithm = header.get("alg")
    if algorithm not in ALGORITHMS:
        raise SignInRefused("the token is signed with an algorithm that is not accepted")
    key = await keys.find(header.get("kid"), algorithm)
    try:
        claims = jwt.decode(token, key, algorithms=[algorithm], audience=audience, issuer=issuer, options=OPTIONS)
    except jwt.PyJWTError as fault:
        raise SignInRefused(f"the token is not valid: {type(fault).__name__}") from None
    _check_times(claims, now)
    return claims


def _header(token: str) -> Mapping[str, Any]:
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
