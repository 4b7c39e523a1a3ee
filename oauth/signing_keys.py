"""The key ring of access tokens: which key signs now, and which are published.

Time is cut into spans of 30 days that every process counts alike, and each span has one key: so several processes
need not talk to each other to agree, the unique start of the span decides who made it. A key is made, and thereby
published, before its span begins; it stays published until the last token of it has expired.
"""

import base64
import hashlib
import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_der_private_key
from jwt.algorithms import ECAlgorithm

from oauth.errors import StoreUnavailable
from oauth.grants import SigningKey
from oauth.primitives.clock import EPOCH
from oauth.primitives.sealing import Sealer, Tampered
from oauth.settings import OAuthSettings
from oauth.stores.accounts import SIGNING_KEYS_REVISION, SigningKeyStore

SPAN = timedelta(days=30)
AHEAD = timedelta(hours=2)
"""Made so long before it signs. `Maintenance` looks every hour, so it is published for an hour at the least."""
PURPOSE = "signing key"

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Signer:
    """The key that signs now; `published_until` is the latest moment at which a token of it can be verified."""

    kid: str
    private: ec.EllipticCurvePrivateKey = field(repr=False)
    published_until: datetime


class SigningKeys:
    """Keeps the ring in memory, and reads it again when another process has changed it."""

    def __init__(self, store: SigningKeyStore, sealer: Sealer, settings: OAuthSettings) -> None:
        self._store, self._sealer, self._settings = store, sealer, settings
        self._ring: Sequence[SigningKey] = ()
        self._seen: int | None = None
        self._signer: Signer | None = None

    async def current(self, now: datetime) -> Signer:
        """The key to sign with. The first one of an installation is made here and signs at once."""
        await self.revisions()
        key = self._signing(now)
        if key is None:
            await self._load(now)
            key = self._signing(now) or await self._made(now)
        if self._signer is None or self._signer.kid != key.kid:
            private = load_der_private_key(self._sealer.open(PURPOSE, key.private, max_age=None, now=now), None)
            if not isinstance(private, ec.EllipticCurvePrivateKey):
                raise StoreUnavailable("a signing key in the store is of another kind")
            self._signer = Signer(key.kid, private, key.published_until)
        return self._signer

    async def public(self, kid: str, now: datetime) -> Mapping[str, Any] | None:
        """The published key with this id as a JWK.

        An unknown one may be new: the store is asked whether there are new ones, and only then read again.
        """
        found = self._published(kid, now)
        if found is None:
            await self.revisions()
            if self._seen is None:
                await self._load(now)
                found = self._published(kid, now)
        return found

    async def jwks(self, now: datetime) -> dict[str, Any]:
        """The JWK set (RFC 7517 section 5): all published keys, also the one that will sign next."""
        if self._signing(now) is None:
            await self.current(now)
        return {"keys": [dict(key.public) for key in self._ring if now < key.published_until]}

    async def prepare(self, now: datetime) -> None:
        """Make the next key when its span is near, and forget the ones that are over."""
        await self.current(now)
        span = _begin(now + AHEAD)
        if not any(key.signs_from >= span and self._opens(key, now) for key in self._ring):
            await self._add(span, span + SPAN, now)
        await self._store.drop_signing_keys(now)

    async def revisions(self) -> Mapping[str, int]:
        """Those of the store; the ring is read again, at the next question, when its own has moved."""
        revisions = await self._store.revisions()
        if revisions[SIGNING_KEYS_REVISION] != self._seen:
            self._ring, self._seen = (), None
        return revisions

    async def _load(self, now: datetime) -> None:
        # The number first: what is added between the two reads is then read once more, and never missed.
        seen = (await self._store.revisions())[SIGNING_KEYS_REVISION]
        self._ring, self._seen = await self._store.signing_keys(now), seen

    def _published(self, kid: str, now: datetime) -> Mapping[str, Any] | None:
        return next((key.public for key in self._ring if key.kid == kid and now < key.published_until), None)

    def _signing(self, now: datetime) -> SigningKey | None:
        """Of those whose span it is, the youngest that this installation can open."""
        of_now = [key for key in self._ring if key.signs_from <= now < key.signs_until]
        return next((key for key in reversed(of_now) if self._opens(key, now)), None)

    def _opens(self, key: SigningKey, now: datetime) -> bool:
        if self._signer is not None and self._signer.kid == key.kid:
            return True
        try:
            self._sealer.open(PURPOSE, key.private, max_age=None, now=now)
        except Tampered:
            return False
        return True

    async def _made(self, now: datetime) -> SigningKey:
        """A key for the span that has begun: the first one, or one that nobody made in time."""
        begin = _begin(now)
        await self._add(begin, begin + SPAN, now)
        if self._signing(now) is None:
            # The span has a key, sealed under a secret that is lost or another host's: one of our own beside it.
            log.warning("the signing key of this span was sealed under another secret; a second one is made")
            await self._add(now, begin + SPAN, now)
        key = self._signing(now)
        if key is None:
            raise StoreUnavailable("the store does not keep the signing key that was made")
        return key

    async def _add(self, begin: datetime, end: datetime, now: datetime) -> None:
        private = ec.generate_private_key(ec.SECP256R1())
        der = private.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
        public = public_jwk(private.public_key())
        sealed = self._sealer.seal(PURPOSE, der, now)
        await self._store.add_signing_key(
            SigningKey(public["kid"], sealed, public, begin, end, published_until=end + self._settings.access)
        )
        await self._load(now)


def public_jwk(key: ec.EllipticCurvePublicKey) -> dict[str, str]:
    """The key as it is published; its `kid` is its thumbprint (RFC 7638)."""
    required = ECAlgorithm.to_jwk(key, as_dict=True)
    canonical = json.dumps(required, sort_keys=True, separators=(",", ":")).encode()
    kid = base64.urlsafe_b64encode(hashlib.sha256(canonical).digest()).decode().rstrip("=")
    return {**required, "alg": "ES256", "use": "sig", "kid": kid}


def _begin(moment: datetime) -> datetime:
    return EPOCH + (moment - EPOCH) // SPAN * SPAN
