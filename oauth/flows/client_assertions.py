"""`private_key_jwt`: a client proves itself by signing a short statement (RFC 7523 section 3)."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

import jwt

from oauth.access_tokens import OUR_OWN_CHECKS
from oauth.errors import InvalidClient
from oauth.flows.client_keys import ALGORITHMS, ClientKeys
from oauth.grants import Client
from oauth.settings import OAuthSettings
from oauth.stores.grants import GrantStore

TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
TOKEN_PATH = "/oauth/token"  # noqa: S105  # an address, not a secret
LONGEST = timedelta(hours=1)
"""How far ahead an assertion may expire: its id has to be remembered until then."""
LEEWAY = timedelta(seconds=30)
MAX_JTI = 256
MAX_TIME = 2**53


class Assertions:
    """Checks assertions, each at most once in all processes."""

    def __init__(self, keys: ClientKeys, spent: GrantStore, settings: OAuthSettings) -> None:
        self._keys, self._spent = keys, spent
        self._audiences = frozenset({settings.issuer, settings.site_url + TOKEN_PATH})

    async def check(self, client: Client, assertion: str, now: datetime) -> None:
        """Let the client pass that signed this statement about itself, for us, just now, for the first time.

        Raises:
            InvalidClient: it did not.
            TemporarilyUnavailable: its keys cannot be read now.
            TooManyRequests: its keys are asked for too often.
            StoreUnavailable: whether it is the first time could not be found out.

        """
        claims = await self._signed(client, assertion, now)
        if not claims.get("iss") == claims.get("sub") == client.id:
            raise InvalidClient("Both iss and sub of the client assertion must be the client_id.")
        # One audience: what is meant for another server too, that server may show to us (RFC 7523bis).
        if _single(claims.get("aud")) not in self._audiences:
            raise InvalidClient("The aud of the client assertion must be the issuer alone.")
        expires_at = _expiry(claims, now)
        jti = claims.get("jti")
        if not isinstance(jti, str) or not 0 < len(jti) <= MAX_JTI:
            raise InvalidClient("The client assertion needs a jti.")
        # Last, so that only a valid statement uses its id up, and nobody else can.
        if not await self._spent.spend(f"assertion {client.id} {jti}", expires_at + LEEWAY):
            raise InvalidClient("The client assertion has been used; sign a new one.")

    async def _signed(self, client: Client, assertion: str, now: datetime) -> Mapping[str, Any]:
        try:
            header = jwt.get_unverified_header(assertion)
        except jwt.InvalidTokenError:
            raise InvalidClient("The client assertion is not a JWT.") from None
        algorithm, kid = header.get("alg"), header.get("kid")
        if not isinstance(algorithm, str) or algorithm not in ALGORITHMS:
            raise InvalidClient(f"Sign the client assertion with one of: {' '.join(ALGORITHMS)}.")
        key = await self._keys.find(client, kid if isinstance(kid, str) else None, algorithm, now)
        try:
            claims: Mapping[str, Any] = jwt.decode(assertion, key, algorithms=[algorithm], options=OUR_OWN_CHECKS)
        except jwt.InvalidTokenError:
            raise InvalidClient("The signature of the client assertion is not the client's.") from None
        return claims


def claimed_issuer(assertion: str) -> str | None:
    """Who says to have signed it, not checked: only to find whose keys to check it with."""
    try:
        issuer = jwt.decode(assertion, options={**OUR_OWN_CHECKS, "verify_signature": False}).get("iss")
    except jwt.InvalidTokenError:
        return None
    return issuer if isinstance(issuer, str) else None


def _single(audience: Any) -> str | None:
    if isinstance(audience, list) and len(audience) == 1:
        audience = audience[0]
    return audience if isinstance(audience, str) else None


def _expiry(claims: Mapping[str, Any], now: datetime) -> datetime:
    stamp, leeway = now.timestamp(), LEEWAY.total_seconds()
    expires = _number(claims.get("exp"))
    # Written so that NaN, which JSON of others may hold, fulfils nothing.
    if expires is None or not stamp - leeway < expires <= stamp + LONGEST.total_seconds():
        raise InvalidClient("The client assertion is expired, or lives too long; give it an exp within the hour.")
    for claim in ("nbf", "iat"):
        begins = _number(claims.get(claim, 0))
        if begins is None or not begins <= stamp + leeway:
            raise InvalidClient(f"The {claim} of the client assertion is in the future.")
    return now + timedelta(seconds=expires - stamp)


def _number(value: Any) -> float | None:
    """A time as a number; the integers of JSON may be larger than any float."""
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > MAX_TIME:
        return None
    return float(value)
