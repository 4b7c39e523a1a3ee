"""Access tokens: signed JWTs in the profile of RFC 9068. Whether their grant is still live is not said by them."""

from datetime import datetime
from math import floor
from uuid import uuid4

import jwt
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from oauth.grants import Grant
from oauth.primitives import scopes as scope_words
from oauth.settings import OAuthSettings
from oauth.signing_keys import SigningKeys

AHEAD_SECONDS = 60
ALGORITHM = "ES256"
TYPE = "at+jwt"
HEADER = frozenset({"alg", "typ", "kid"})
"""What our tokens say and nothing more: no key of the sender's (jwk, jku, x5c, x5u), no extension (crit, b64)."""
_SIGNATURES = jwt.PyJWS()
"""The library checks the signature alone: for claims it takes the time from the system and lists for single values."""


class AccessClaims(BaseModel):
    """The claims of RFC 9068 section 2.2, each required and of its one type, and the grant's id."""

    model_config = ConfigDict(strict=True, frozen=True)

    iss: str
    sub: str = Field(min_length=1)
    aud: str
    exp: int
    iat: int
    nbf: int | None = None
    jti: str = Field(min_length=1)
    client_id: str = Field(min_length=1)
    scope: str
    grant_id: str = Field(min_length=1)

    @property
    def scopes(self) -> frozenset[str]:
        return frozenset(self.scope.split(" ")) - {""}


class AccessTokens:
    def __init__(self, keys: SigningKeys, settings: OAuthSettings) -> None:
        self._keys, self._settings = keys, settings

    async def issue(self, grant: Grant, scopes: frozenset[str], now: datetime) -> tuple[str, int]:
        """A token of this grant with these scopes, and the seconds for which it is valid.

        It ends with its grant at the latest, and while its key is still published.
        """
        signer = await self._keys.current(now)
        issued = floor(now.timestamp())
        end = min(now + self._settings.access, grant.expires_at, signer.published_until)
        expires = floor(end.timestamp())
        claims = {
            "iss": self._settings.issuer,
            "sub": grant.subject,
            "aud": grant.resource,
            "exp": expires,
            "iat": issued,
            "jti": str(uuid4()),
            "client_id": grant.client_id,
            "scope": scope_words.written(scopes),
            "grant_id": grant.id,
        }
        token = jwt.encode(claims, signer.private, ALGORITHM, headers={"typ": TYPE, "kid": signer.kid})
        return token, max(0, expires - issued)

    async def verify(self, token: str, now: datetime) -> AccessClaims | None:
        """What a valid token says; None for any other. Whether its audience is the right one is the acceptor's to ask.

        Raises `StoreUnavailable`: the keys could not be read.
        """
        claims = await self.signed_claims(token, now)
        return claims if claims is not None and self._holds(claims, now.timestamp()) else None

    async def signed_claims(self, token: str, now: datetime) -> AccessClaims | None:
        """What a token says that this server has signed, valid still or not any more; None for any other.

        Raises `StoreUnavailable`: the keys could not be read.
        """
        try:
            header = jwt.get_unverified_header(token)
        except jwt.InvalidTokenError:
            return None
        # A header that we write and no other (RFC 8725 section 3.1: one algorithm, section 3.11: typed).
        if frozenset(header) != HEADER or (header["alg"], header["typ"]) != (ALGORITHM, TYPE):
            return None
        kid = header["kid"]
        jwk = await self._keys.public(kid, now) if isinstance(kid, str) else None
        if jwk is None:
            return None
        try:
            key = jwt.PyJWK(dict(jwk), ALGORITHM)
            return AccessClaims.model_validate_json(_SIGNATURES.decode(token, key, [ALGORITHM]))
        except (jwt.InvalidTokenError, ValidationError):
            return None

    def _holds(self, claims: AccessClaims, now: float) -> bool:
        """Issuer and audience byte for byte, and no leeway at the end: whoever signs and verifies is this gateway.

        What a host signed whose clock is ahead would live longer than a token may; the clocks of two hosts that are
        kept in time differ by less than `AHEAD_SECONDS`.
        """
        return (
            claims.iss == self._settings.issuer
            and claims.aud in self._settings.resources
            and claims.iat - AHEAD_SECONDS <= now < claims.exp
            and (claims.nbf is None or claims.nbf <= now)
        )
