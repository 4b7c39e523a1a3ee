"""A signed token is believed when issuer, audience, time, key and algorithm are all right, and never else."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from oauth.identity.id_tokens import RemoteKeys, verified
from oauth.identity.provider import SignInRefused

ISSUER, AUDIENCE = "https://idp.example", "gateway"
NOW = datetime(2030, 1, 1, tzinfo=UTC)
AT = int(NOW.timestamp())
KEY = ec.generate_private_key(ec.SECP256R1())
CLAIMS: dict[str, Any] = {"iss": ISSUER, "aud": AUDIENCE, "sub": "bob", "iat": AT, "exp": AT + 60}


async def document() -> Mapping[str, Any]:
    return {"keys": [jwt.algorithms.ECAlgorithm.to_jwk(KEY.public_key(), as_dict=True) | {"kid": "a"}]}


def signed(claims: dict[str, Any], **headers: Any) -> str:
    return jwt.encode(claims, KEY, algorithm="ES256", headers={"kid": "a"} | headers)


async def judged(token: str) -> Mapping[str, Any]:
    return await verified(token, RemoteKeys(document), issuer=ISSUER, audience=AUDIENCE, now=NOW)


@pytest.mark.security("CB-07")
@pytest.mark.parametrize(
    "changes",
    [
        {"iss": "https://idp.example/"},
        {"iss": "https://other.example"},
        {"aud": "another"},
        {"aud": []},
        {"exp": AT - 30},
        {"exp": str(AT + 60)},
        {"exp": True},
        {"iat": AT + 31},
        {"nbf": AT + 31},
        {"sub": None},
        {"exp": None},
        {"iat": None},
        {"sub": 7},
    ],
)
async def test_a_token_that_is_not_for_us_now_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(SignInRefused):
        await judged(signed({name: value for name, value in (CLAIMS | changes).items() if value is not None}))


@pytest.mark.security("CB-07")
@pytest.mark.parametrize("token", ["", "no token", "a.b.c", "e30.e30.", signed(CLAIMS)[:-8] + "AAAAAAAA"])
async def test_what_nobody_signed_is_refused(token: str) -> None:
    with pytest.raises(SignInRefused):
        await judged(token)


@pytest.mark.security("CB-07")
@pytest.mark.parametrize("algorithm", ["none", "HS256"])
async def test_no_algorithm_without_a_private_key_is_accepted(algorithm: str) -> None:
    secret: Any = None if algorithm == "none" else "a shared secret that is long enough"

    with pytest.raises(SignInRefused):
        await judged(jwt.encode(CLAIMS, secret, algorithm=algorithm, headers={"kid": "a"}))
