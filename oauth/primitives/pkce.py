"""Proof Key for Code Exchange (RFC 7636), S256 only: `plain` proves nothing to who read the request. Pure."""

import re

from authlib.oauth2.rfc7636 import create_s256_code_challenge

from oauth.errors import InvalidRequest
from oauth.primitives.secrets import same

METHOD = "S256"
FORM = re.compile(r"[A-Za-z0-9._~-]{43,128}")
"""Of verifiers (RFC 7636 section 4.1) and challenges (section 4.2) alike."""


def checked_challenge(challenge: str | None, method: str | None) -> str:
    """The challenge of an authorization request, which every client must send (RFC 9700 section 2.1.1).

    Raises `InvalidRequest`: it is absent or malformed, or its method is not S256; absent means plain (section 4.3).
    """
    if challenge is None:
        raise InvalidRequest("The parameter code_challenge is missing; this server demands PKCE (RFC 7636).")
    if method != METHOD:
        raise InvalidRequest("The parameter code_challenge_method must be S256.")
    if not FORM.fullmatch(challenge):
        raise InvalidRequest("The code_challenge must be 43 to 128 letters, digits, or one of - . _ ~ characters.")
    return challenge


def proves(verifier: str, challenge: str) -> bool:
    """Whether `verifier` is well-formed and the one that `challenge` was made of (RFC 7636 section 4.6)."""
    return FORM.fullmatch(verifier) is not None and same(create_s256_code_challenge(verifier), challenge)
