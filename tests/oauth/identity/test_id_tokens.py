"""A signed token is believed when issuer, audience, time, key and algorithm are all right, and never else."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from oauth.identity.id_tokens import RemoteKeys, verified
from oauth.identity.provider import ProviderUnavailable, SignInRefused

ISSUER, AUDIENCE = "https://idp.example", "gateway"
NOW = datetime(2030, 1, 1, tzinfo=UTC)
AT = int(NOW.timestamp())
KEY = ec.generate_private_key(ec.SECP256R1())
CLAIMS: dict[str, Any] = {"iss": ISSUER, "aud": AUDIENCE, "sub": "bob", "iat": AT, "exp": AT + 60}


async def document(now: datetime) -> Mapping[str, Any]:
    return {"keys": [jwt.algorithms.ECAlgorithm.to_jwk(KEY.public_key(), as_dict=True) | {"kid": "a"}]}


def signed(claims: dict[str, Any], **headers: Any) -> str:
    return jwt.encode(claims, KEY, algorithm="ES256", headers={"kid": "a"} | headers)


async def judged(token: str) -> Mapping[str, Any]:
    return await verified(token, RemoteKeys(document), issuer=ISSUER, audience=AUDIENCE, now=NOW)


@pytest.mark.security("CB-07")
@pytest.mark.parametrize("token", ["", "no token", "a.b.c", "e30.e30.", signed(CLAIMS)[:-8] + "AAAAAAAA"])
async def test_what_nobody_signed_is_refused(token: str) -> None:
    with pytest.raises(SignInRefused):
        await judged(token)


EC = jwt.algorithms.ECAlgorithm.to_jwk(ec.generate_private_key(ec.SECP256R1()).public_key(), as_dict=True)
RSA = jwt.algorithms.RSAAlgorithm.to_jwk(
    rsa.generate_private_key(public_exponent=65537, key_size=2048).public_key(), as_dict=True
)


class Issuer:
    """Serves what the test says, and counts."""

    def __init__(self, *keys: Mapping[str, Any]) -> None:
        self.keys: Any = list(keys)
        self.fetched = 0
        self.now = NOW
        self.down = False

    async def fetch(self, now: datetime) -> Mapping[str, Any]:
        self.fetched += 1
        if self.down:
            raise ProviderUnavailable
        return {"keys": self.keys}

    def remote(self) -> RemoteKeys:
        return RemoteKeys(self.fetch)


@pytest.mark.security("FI-28")
async def test_a_rotated_key_is_fetched_when_it_is_first_named() -> None:
    issuer = Issuer(EC | {"kid": "a"})
    keys = issuer.remote()
    await keys.find("a", "ES256", issuer.now)

    issuer.keys, issuer.now = [EC | {"kid": "b"}], NOW + timedelta(seconds=31)
    await keys.find("b", "ES256", issuer.now)

    with pytest.raises(SignInRefused):
        await keys.find("a", "ES256", issuer.now)
    assert issuer.fetched == 2


@pytest.mark.security("FI-28")
async def test_unknown_keys_cause_one_fetch_in_half_a_minute() -> None:
    issuer = Issuer(EC | {"kid": "a"})
    keys = issuer.remote()

    for second in range(60):
        issuer.now = NOW + timedelta(seconds=second)
        with pytest.raises(SignInRefused):
            await keys.find(f"guess{second}", "ES256", issuer.now)

    assert issuer.fetched == 2


@pytest.mark.security("FI-28")
async def test_kept_keys_serve_while_the_issuer_is_down_and_no_longer_than_an_hour() -> None:
    issuer = Issuer(EC | {"kid": "a"})
    keys = issuer.remote()
    await keys.find("a", "ES256", issuer.now)

    issuer.down, issuer.now = True, NOW + timedelta(seconds=3_599)
    await keys.find("a", "ES256", issuer.now)
    issuer.now = NOW + timedelta(seconds=3_600)

    with pytest.raises(ProviderUnavailable):
        await keys.find("a", "ES256", issuer.now)


@pytest.mark.security("FI-28")
@pytest.mark.parametrize(
    "key",
    [
        EC | {"kid": "a", "use": "enc"},
        EC | {"kid": "a", "alg": "ES384"},
        RSA | {"kid": "a"},
        {"kty": "oct", "k": "AAAA", "kid": "a"},
        {"kid": "a"},
        {"kty": "EC", "kid": "a"},
        "no key",
    ],
)
async def test_a_key_that_is_not_for_the_algorithm_is_no_key(key: Any) -> None:
    with pytest.raises(SignInRefused):
        await Issuer(key).remote().find("a", "ES256", NOW)


async def test_a_token_that_names_no_key_has_one_only_where_there_is_no_doubt() -> None:
    one, two = Issuer(EC), Issuer(EC | {"kid": "a"}, EC | {"kid": "b"})

    assert (await one.remote().find(None, "ES256", NOW)).key_type == "EC"
    with pytest.raises(SignInRefused):
        await two.remote().find(None, "ES256", NOW)
