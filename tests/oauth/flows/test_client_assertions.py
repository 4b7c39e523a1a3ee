"""A client that signs a short statement about itself."""

import base64
import hmac
import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import jwt
import pytest

from oauth.errors import InvalidClient
from oauth.flows.client_assertions import Assertions, ClientKeys, claimed_issuer
from oauth.grants import Client
from tests.oauth.clients import NOW, SETTINGS, SITE, Spent, Web
from tests.oauth.signing import claims, new_key, public, signed

KEY, OTHER, RSA = new_key(), new_key(), new_key(2_048)
CLIENT = Client(
    "https://app.example.com/client.json",
    "document",
    "App",
    (),
    NOW,
    auth_methods=frozenset({"private_key_jwt"}),
    jwks={"keys": [public(KEY), public(RSA, "r1")]},
)
ID = CLIENT.id


@pytest.fixture
def spent() -> Spent:
    return Spent()


@pytest.fixture
def assertions(spent: Spent) -> Assertions:
    return Assertions(ClientKeys(Web()), spent, SETTINGS)


def part(value: str | bytes) -> str:
    data = value.encode() if isinstance(value, str) else value
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _by_public_key(said: dict[str, Any]) -> str:
    """Signed with what everybody knows, in the hope that it is taken for a shared secret."""
    text = f"{part(json.dumps({'alg': 'HS256', 'kid': 'k1'}))}.{part(json.dumps(said))}"
    return f"{text}.{part(hmac.digest(json.dumps(public(KEY)).encode(), text.encode(), 'sha256'))}"


@pytest.mark.parametrize("audience", [SITE, f"{SITE}/oauth/token", [SITE]])
@pytest.mark.parametrize("algorithm", ["ES256", "RS256", "PS256"])
async def test_who_signs_for_us_passes(audience: Any, algorithm: str, assertions: Assertions) -> None:
    key, kid = (KEY, "k1") if algorithm == "ES256" else (RSA, "r1")

    await assertions.check(CLIENT, signed(key, claims(ID, aud=audience), kid, algorithm), NOW)


async def test_a_statement_is_good_once_and_its_id_is_remembered_until_it_ends(
    assertions: Assertions, spent: Spent
) -> None:
    assertion = signed(KEY, claims(ID))
    await assertions.check(CLIENT, assertion, NOW)

    with pytest.raises(InvalidClient):
        await assertions.check(CLIENT, assertion, NOW + timedelta(seconds=61))

    assert list(spent.until.values()) == [NOW + timedelta(seconds=60 + 30)]
    other = replace(CLIENT, id="https://other.example.com/c")
    await assertions.check(other, signed(KEY, claims(other.id)), NOW)  # its ids are its own


@pytest.mark.parametrize(
    "changes",
    [
        {"iss": "https://other.example.com/c"},
        {"sub": "https://other.example.com/c"},
        {"iss": None},
        {"sub": None},
        {"aud": None},
        {"aud": "https://other.example.com"},
        {"aud": SITE + "/"},
        {"aud": f"{SITE}/mcp"},
        {"aud": [SITE, "https://other.example.com"]},
        {"aud": []},
        {"aud": [[SITE]]},
        {"exp": None},
        {"exp": NOW.timestamp() - 31},
        {"exp": NOW.timestamp() + 3_601},
        {"exp": str(NOW.timestamp() + 60)},
        {"exp": True},
        {"exp": float("nan")},
        {"exp": float("inf")},
        {"exp": 10**400},
        {"nbf": NOW.timestamp() + 31},
        {"iat": NOW.timestamp() + 31},
        {"iat": float("nan")},
        {"iat": "now"},
        {"jti": None},
        {"jti": ""},
        {"jti": 7},
        {"jti": "j" * 257},
    ],
    ids=str,
)
async def test_a_statement_about_anything_else_is_refused_and_uses_no_id_up(
    changes: dict[str, Any], assertions: Assertions, spent: Spent
) -> None:
    said = claims(ID, **changes)
    assertion = signed(KEY, said) if isinstance(said.get("iss", ""), str) else ""

    with pytest.raises(InvalidClient):
        await assertions.check(CLIENT, assertion, NOW)

    assert spent.until == {}


async def test_a_signature_is_the_clients_own(assertions: Assertions, spent: Spent) -> None:
    good = signed(KEY, claims(ID))
    head, said, signature = good.split(".")
    forged = [
        signed(OTHER, claims(ID)),
        signed(OTHER, claims(ID), jwk=public(OTHER)),
        signed(KEY, claims(ID), "unknown"),
        signed(KEY, claims(ID), crit=["exp"]),
        f"{head}.{part(json.dumps(claims(ID, jti='j2')))}.{signature}",
        f"{head}.{said}.",
        f"{head}.{said}",
        jwt.encode(claims(ID), "", "none", headers={"kid": "k1"}),
        _by_public_key(claims(ID)),
    ]

    for assertion in forged:
        with pytest.raises(InvalidClient):
            await assertions.check(CLIENT, assertion, NOW)
    assert spent.until == {}
    await assertions.check(CLIENT, good, NOW)


@pytest.mark.parametrize(
    "assertion",
    [
        "",
        ".",
        "..",
        "x.y.z",
        "é.é.é",
        f"{part('[]')}.{part('{}')}.x",
        f"{part(json.dumps({'alg': []}))}.{part('{}')}.x",
        f"{part(json.dumps({'alg': 'ES256', 'kid': 7}))}.{part('{}')}.x",
        f"{part('[' * 5_000)}.{part('{}')}.x",
        f"{part(json.dumps({'alg': 'ES256'}))}.{part('[' * 5_000)}.x",
        f"{part(bytes([255]))}.{part(bytes([255]))}.x",
    ],
    ids=range(11),
)
async def test_what_is_no_statement_is_refused(assertion: str, assertions: Assertions) -> None:
    with pytest.raises(InvalidClient):
        await assertions.check(CLIENT, assertion, NOW)

    assert claimed_issuer(assertion) is None


async def test_a_signed_statement_may_be_nested_more_deeply_than_we_read(assertions: Assertions) -> None:
    deep = '{"a":' * 5_000 + "1" + "}" * 5_000
    head = part(json.dumps({"alg": "ES256", "kid": "k1"}))
    algorithm = jwt.get_algorithm_by_name("ES256")
    signature = algorithm.sign(f"{head}.{part(deep)}".encode(), KEY)

    with pytest.raises(InvalidClient):
        await assertions.check(CLIENT, f"{head}.{part(deep)}.{part(signature)}", NOW)


def test_the_issuer_is_read_without_belief() -> None:
    assert claimed_issuer(signed(OTHER, claims(ID))) == ID
    assert claimed_issuer(f"{part(json.dumps({'alg': 'none'}))}.{part(json.dumps({'iss': 7}))}.") is None
