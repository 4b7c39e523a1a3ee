"""A client's key pair, and what it signs."""

import json
from datetime import datetime
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

from tests.oauth.clients import NOW, SITE

Private = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey


def new_key(bits: int | None = None) -> Private:
    """P-256, or RSA of so many bits."""
    if bits is None:
        return ec.generate_private_key(ec.SECP256R1())
    return rsa.generate_private_key(65_537, bits)


def public(key: Private, kid: str | None = "k1", **more: Any) -> dict[str, Any]:
    """The public half as a JWK."""
    words: dict[str, Any]
    if isinstance(key, rsa.RSAPrivateKey):
        words = json.loads(RSAAlgorithm.to_jwk(key.public_key()))
    else:
        words = json.loads(ECAlgorithm.to_jwk(key.public_key()))
    words.pop("key_ops", None)
    return words | more | ({} if kid is None else {"kid": kid})


def claims(client_id: str, now: datetime = NOW, **changes: Any) -> dict[str, Any]:
    """A good statement; a change of None takes the claim out."""
    stamp = now.timestamp()
    good = {"iss": client_id, "sub": client_id, "aud": SITE, "iat": stamp, "exp": stamp + 60, "jti": "j1"}
    return {name: value for name, value in (good | changes).items() if value is not None}


def signed(
    key: Private, said: dict[str, Any], kid: str | None = "k1", algorithm: str | None = None, **header: Any
) -> str:
    """The statement as a JWT."""
    default = "RS256" if isinstance(key, rsa.RSAPrivateKey) else "ES256"
    return jwt.encode(said, key, algorithm or default, headers={**header, **({} if kid is None else {"kid": kid})})
