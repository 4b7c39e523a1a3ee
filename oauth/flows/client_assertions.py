"""`private_key_jwt`: a client proves itself by signing a short statement (RFC 7523 section 3)."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from oauth.errors import InvalidClient, TemporarilyUnavailable
from oauth.grants import Client
from oauth.primitives.address_limit import AddressLimit
from oauth.primitives.client_metadata import MAX_KEYS
from oauth.primitives.fetching import CachedFetch, Fetch, FetchFailed, FetchRefused, TooLarge, lifetime
from oauth.primitives.parameters import read_object
from oauth.settings import OAuthSettings
from oauth.stores.grants import GrantStore

ALGORITHMS = {"ES256": "EC", "PS256": "RSA", "RS256": "RSA"}
"""To the type of key (ChatGPT's is RSA). What a token says of itself chooses among these (RFC 8725 section 3.1)."""
MAX_SET = 32_768
PATIENCE = 5.0  # seconds
OK = 200
REFETCH = timedelta(seconds=30)
"""A key that is not in the set is asked for again at most this often, whatever the ids that strangers invent."""
MIN_RSA_BITS = 2_048

Keys = Sequence[Mapping[str, Any]]


class ClientKeys:
    def __init__(self, fetch: Fetch) -> None:
        self._fetch = fetch
        self._sets = CachedFetch(self._load)
        self._limit = AddressLimit(30, timedelta(minutes=1))

    async def find(self, client: Client, kid: str | None, algorithm: str, now: datetime) -> jwt.PyJWK:
        """The client's key of this id for this algorithm; without an id, its only key for it.

        Raises `InvalidClient`: it has no such key; `TemporarilyUnavailable`: its keys cannot be read now, and were not
        read lately; `TooManyRequests`: they are asked for too often.
        """
        if client.jwks_uri is None:
            found = _matching(client.jwks.get("keys", ()) if client.jwks else (), kid, algorithm)
        else:
            found = _matching(await self._set(client.jwks_uri, now), kid, algorithm)
            if not found:  # rotated since
                found = _matching(await self._set(client.jwks_uri, now, not_before=now - REFETCH), kid, algorithm)
        if len(found) != 1:
            raise InvalidClient("The client has no key, or not exactly one, that fits its assertion.")
        return _usable(found[0], algorithm)

    async def _set(self, url: str, now: datetime, not_before: datetime | None = None) -> Keys:
        try:
            return await self._sets.get(url, now, admit=lambda: self._limit.count(url, now), not_before=not_before)
        except FetchRefused:
            raise InvalidClient("The client's jwks_uri leads to an address that is not fetched from here.") from None
        except FetchFailed:
            raise TemporarilyUnavailable("The client's keys cannot be read now; try again.") from None

    async def _load(self, url: str, _now: datetime) -> tuple[Keys, timedelta]:
        try:
            fetched = await self._fetch(url, max_bytes=MAX_SET, seconds=PATIENCE)
        except TooLarge:
            raise InvalidClient(f"The client's key set is larger than {MAX_SET} bytes.") from None
        if fetched.status != OK:
            raise FetchFailed(f"status {fetched.status}")
        try:
            keys = read_object(fetched.body).get("keys")
        except ValueError:
            raise InvalidClient("The client's key set is not one JSON object.") from None
        if not isinstance(keys, list) or len(keys) > MAX_KEYS:
            raise InvalidClient(f"The client's key set is not a list of at most {MAX_KEYS} keys.")
        # Kept for the interval in any case: else each wrong id would be a fetch.
        return [key for key in keys if isinstance(key, dict)], max(lifetime(fetched.headers), REFETCH)


def has_usable_key(jwks: Mapping[str, Any]) -> bool:
    """Whether a signature of the client can be checked with any of these keys."""
    for algorithm in ALGORITHMS:
        for key in _matching(jwks["keys"], None, algorithm):
            try:
                _usable(key, algorithm)
            except InvalidClient:
                continue
            return True
    return False


def _matching(keys: Keys, kid: str | None, algorithm: str) -> Keys:
    return [
        key
        for key in keys
        if key.get("kty") == ALGORITHMS[algorithm]
        and key.get("alg") in (None, algorithm)
        and key.get("use") in (None, "sig")
        and (kid is None or key.get("kid") == kid)
    ]


def _usable(key: Mapping[str, Any], algorithm: str) -> jwt.PyJWK:
    """The key, unless it is weak. One with its private part is known to everybody, so it proves nothing."""
    try:
        read = jwt.PyJWK(dict(key), algorithm)
    except (jwt.PyJWTError, ValueError, TypeError):
        raise InvalidClient("The client's key cannot be read.") from None
    match read.key:
        case RSAPublicKey(key_size=bits) if bits >= MIN_RSA_BITS:
            return read
        case EllipticCurvePublicKey(curve=SECP256R1()):
            return read
    raise InvalidClient("The client's key is private, too short, or of another curve than its algorithm.")


TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
TOKEN_PATH = "/oauth/token"  # noqa: S105  # an address, not a secret
LONGEST = timedelta(hours=1)
"""How far ahead an assertion may expire: its id has to be remembered until then."""
LEEWAY = timedelta(seconds=30)
MAX_JTI = 256
MAX_TIME = 2**53


class Assertions:
    def __init__(self, keys: ClientKeys, spent: GrantStore, settings: OAuthSettings) -> None:
        self._keys, self._spent = keys, spent
        ours = settings.issuer, settings.site_url + TOKEN_PATH
        self._audiences = [*ours, *([address] for address in ours)]

    async def check(self, client: Client, assertion: str, now: datetime) -> None:
        """Let the client pass that signed this statement about itself, for us, just now, for the first time.

        Raises `InvalidClient`: it did not; `TemporarilyUnavailable`: its keys cannot be read now; `TooManyRequests`:
        its keys are asked for too often; `StoreUnavailable`: whether it is the first time could not be found out.
        """
        claims = await self._signed(client, assertion, now)
        if not claims.get("iss") == claims.get("sub") == client.id:
            raise InvalidClient("Both iss and sub of the client assertion must be the client_id.")
        # One audience: what is meant for another server too, that server may show to us (RFC 7523bis).
        if claims.get("aud") not in self._audiences:
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
            # The signature alone: the claims are checked here, with the time that the caller decides by.
            return read_object(jwt.PyJWS().decode(assertion, key, [algorithm]))
        except (jwt.InvalidTokenError, ValueError):
            raise InvalidClient("The signature of the client assertion is not the client's.") from None


def claimed_issuer(assertion: str) -> str | None:
    """Who says to have signed it, not checked: only to find whose keys to check it with."""
    try:
        issuer = jwt.decode(assertion, options={"verify_signature": False}).get("iss")
    except jwt.InvalidTokenError:
        return None
    return issuer if isinstance(issuer, str) else None


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
