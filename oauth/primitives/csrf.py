"""Proof that a form was filled in on our own page, in this browser. Pure.

The token is derived from a secret in a cookie that no other site can read, and from what the form does: so
nothing is stored, every tab has a valid one, and the token of one form is worthless in another.
"""

import hashlib
import hmac

from oauth.primitives import secrets

FIELD = "csrf"
"""The name of the hidden field that carries it."""


def token(session_secret: str, purpose: str) -> str:
    """What the form of this purpose carries in this session. It does not tell the secret."""
    return hmac.new(session_secret.encode(), f"form:{purpose}".encode(), hashlib.sha256).hexdigest()


def is_token(given: str | None, session_secret: str, purpose: str) -> bool:
    return given is not None and secrets.same(given, token(session_secret, purpose))
