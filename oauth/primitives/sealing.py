"""Small things given out and taken back unread and unaltered: AES-256-GCM under keys derived by purpose.
Short codes that people type are marked by HMAC under such keys: a plain digest of one is guessed in minutes.

A thing sealed for one purpose does not open for another, so that a sign-in's handle is no consent.
"""

import base64
import binascii
import hmac
import os
from contextlib import suppress
from datetime import datetime, timedelta

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from pydantic import SecretStr

from oauth.errors import OauthError
from oauth.primitives.clock import EPOCH, MILLISECOND

NONCE_BYTES = 12  # NIST SP 800-38D section 8.2: random, far below 2^32 uses of one key
TIME_BYTES = 8


class Tampered(OauthError):
    """It was not sealed here, not for this purpose, or it was altered."""


class Stale(Tampered):
    """It was sealed here, longer ago than it may be."""


class Sealer:
    """Seals under the installation's secret: every process of it can open, after a restart as well.

    What was sealed under one of its `previous` secrets opens, too.
    """

    def __init__(self, secret: SecretStr, *previous: SecretStr) -> None:
        self._secrets = [each.get_secret_value() for each in (secret, *previous)]

    def seal(self, purpose: str, data: bytes, now: datetime) -> str:
        """`data` as URL-safe text that hides it and the time of sealing."""
        time = ((now - EPOCH) // MILLISECOND).to_bytes(TIME_BYTES)
        return seal_under(self._secrets[0], purpose, time + data)

    def open(self, purpose: str, sealed: str, *, max_age: timedelta | None, now: datetime) -> bytes:
        """What was sealed. `max_age` of None takes it however old.

        Raises `Stale`: it is older than `max_age`; `Tampered`: this installation did not seal it for this purpose.
        """
        data = self._opened(purpose, sealed)
        age = now - (EPOCH + int.from_bytes(data[:TIME_BYTES]) * MILLISECOND)
        if max_age is not None and age > max_age:
            raise Stale
        return data[TIME_BYTES:]

    def mark(self, purpose: str, text: str) -> str:
        """What is kept in place of a `text` that is too short for a digest without a key. Equal texts, equal marks."""
        return self.marks(purpose, text)[0]

    def marks(self, purpose: str, text: str) -> list[str]:
        """`mark`, and what it was under each previous secret: by one of them the `text` is found again."""
        keys = (_derived(secret, purpose) for secret in self._secrets)
        return [hmac.new(key, text.encode(), "sha256").hexdigest() for key in keys]

    def _opened(self, purpose: str, sealed: str) -> bytes:
        for secret in self._secrets:
            with suppress(Tampered):
                return open_under(secret, purpose, sealed)
        raise Tampered


def seal_under(token: str, purpose: str, data: bytes) -> str:
    """`data` sealed so that only who holds `token` can open it; its key is nowhere stored."""
    nonce = os.urandom(NONCE_BYTES)
    sealed = AESGCM(_derived(token, purpose)).encrypt(nonce, data, None)
    return base64.urlsafe_b64encode(nonce + sealed).decode().rstrip("=")


def open_under(token: str, purpose: str, sealed: str) -> bytes:
    """What `seal_under` sealed with the same token.

    Raises `Tampered`: it was sealed under another token or for another purpose, or it was altered.
    """
    try:
        raw = base64.b64decode(sealed.encode("ascii") + b"=" * (-len(sealed) % 4), altchars=b"-_", validate=True)
        return AESGCM(_derived(token, purpose)).decrypt(raw[:NONCE_BYTES], raw[NONCE_BYTES:], None)
    except (InvalidTag, ValueError, binascii.Error):
        raise Tampered from None


def _derived(secret: str, purpose: str) -> bytes:
    return HKDF(SHA256(), length=32, salt=None, info=purpose.encode()).derive(secret.encode())
