"""API keys as strings: made, recognised, digested and compared. Pure but for the randomness."""

import hashlib
import hmac
import re
import secrets
import string
import zlib

KEY_FORM = re.compile(r"(?:minds|aox)_[0-9a-f]{48}")
# A short header, and a signature of ES256: 64 bytes, whose last digit has two bits and no others set.
TOKEN_FORM = re.compile(r"[A-Za-z0-9_-]{1,200}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{85}[AQgw]")
KEY_ID_FORM = re.compile(r"c[a-z0-9]{24}")

# What a list may show of a key: enough to tell two apart, while at least 120 random bits stay unknown.
PREFIX_LENGTH = 12
SUFFIX_LENGTH = 4

_MINTED = "minds_"
_RANDOM_BYTES = 20
_CHECKSUM_LENGTH = 8


def new_key() -> str:
    """`minds_` and 48 hex digits: 160 random bits and their checksum."""
    body = _MINTED + secrets.token_hex(_RANDOM_BYTES)
    return body + _checksum(body)


def looks_like_key(bearer: str) -> bool:
    """Whether `bearer` has the exact form of a key; anything else is refused without asking a store."""
    return KEY_FORM.fullmatch(bearer) is not None


def looks_like_token(bearer: str) -> bool:
    """Whether `bearer` has the form of a signed access token; of no other JWT, such as one without a signature."""
    return TOKEN_FORM.fullmatch(bearer) is not None


def is_misspelt(key: str) -> bool:
    """Whether a key that claims to be made here cannot be, so that guesses and typos cost no query.

    Only keys of our own making end in a checksum: `aox_` keys are older, and the keys of another server
    have nothing of the kind, so this is asked by the store of the embedded accounts only.
    """
    return key.startswith(_MINTED) and not same(_checksum(key[:-_CHECKSUM_LENGTH]), key[-_CHECKSUM_LENGTH:])


def digest(secret: str) -> str:
    """SHA-256 in hex. A key is 160 random bits: it needs no salt and no slow hash, a password does."""
    return hashlib.sha256(secret.encode()).hexdigest()


def same(left: str, right: str) -> bool:
    """Equality that takes the same time wherever the two differ."""
    return hmac.compare_digest(left.encode(), right.encode())


def new_key_id() -> str:
    """The public name of a key, in the form that the Minds API documents for `DELETE /api-keys/{keyId}`."""
    alphabet = string.ascii_lowercase + string.digits
    return "c" + "".join(secrets.choice(alphabet) for _ in range(24))


def _checksum(body: str) -> str:
    return f"{zlib.crc32(body.encode()):08x}"
