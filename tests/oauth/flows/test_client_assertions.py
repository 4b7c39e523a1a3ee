"""A client that signs a short statement about itself."""

import base64
import hmac
import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from jwt.algorithms import ECAlgorithm

from oauth.errors import InvalidClient, TemporarilyUnavailable
from oauth.flows.client_assertions import Assertions, ClientKeys, claimed_issuer
from oauth.grants import Client
from oauth.primitives.fetching import Fetched, FetchRefused
from tests.oauth.clients import CHATGPT, NOW, SETTINGS, SITE, Spent, Web, page
from tests.oauth.signing import Private, claims, new_key, public, signed

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


def test_the_issuer_is_read_without_belief() -> None:
    assert claimed_issuer(signed(OTHER, claims(ID))) == ID
    assert claimed_issuer(f"{part(json.dumps({'alg': 'none'}))}.{part(json.dumps({'iss': 7}))}.") is None


URL = "https://chatgpt.com/oauth/jwks.json"
REMOTE = Client(CHATGPT, "document", "ChatGPT", (), NOW, jwks_uri=URL)
EC = ec.generate_private_key(ec.SECP256R1())

PRIVATE = {name: value for name, value in json.loads(ECAlgorithm.to_jwk(EC)).items() if name != "key_ops"} | {
    "kid": "k1"
}


@pytest.fixture
def web() -> Web:
    return Web({URL: page({"keys": [public(EC)]})})


def inline(*keys: dict[str, Any]) -> Client:
    return replace(REMOTE, jwks_uri=None, jwks={"keys": [*keys]})


async def found(client: Client, kid: str | None = "k1", algorithm: str = "ES256") -> Any:
    return await ClientKeys(Web()).find(client, kid, algorithm, NOW)


@pytest.mark.parametrize(("key", "algorithm"), [(EC, "ES256"), (RSA, "RS256"), (RSA, "PS256")])
async def test_a_key_is_found_by_its_id_and_its_algorithm(key: Private, algorithm: str) -> None:
    client = inline(public(new_key(), "other"), public(EC), public(RSA))

    assert (await found(client, algorithm=algorithm)).key == key.public_key()


@pytest.mark.parametrize(
    "key",
    [
        public(EC, use="enc"),
        public(EC, alg="ES384"),
        public(EC, kid="other"),
        PRIVATE,
        public(EC) | {"d": "eA"},
        public(EC) | {"kty": "oct", "k": "eA"},
        public(EC) | {"x": "not on the curve"},
        public(EC) | {"x": 7},
        {"kty": "EC", "kid": "k1"},
        public(ec.generate_private_key(ec.SECP384R1())),
    ],
)
async def test_a_key_that_is_not_for_this_is_none(key: dict[str, Any]) -> None:
    with pytest.raises(InvalidClient):
        await found(inline(key))


async def test_keys_elsewhere_are_fetched_once_while_they_are_fresh(web: Web) -> None:
    keys = ClientKeys(web)

    for after in (0, 10, 599):
        await keys.find(REMOTE, "k1", "ES256", NOW + timedelta(seconds=after))

    assert web.asked == [URL]


async def test_a_rotated_key_is_found_and_an_invented_one_costs_a_fetch_in_half_a_minute(web: Web) -> None:
    keys, successor = ClientKeys(web), new_key()
    await keys.find(REMOTE, "k1", "ES256", NOW)
    web.answers[URL] = page({"keys": [public(successor, "k2")]}, "no-store")

    async def invented(seconds: int) -> int:
        with pytest.raises(InvalidClient):
            await keys.find(REMOTE, "invented", "ES256", NOW + timedelta(seconds=seconds))
        return len(web.asked)

    assert await invented(29) == 1
    assert (await keys.find(REMOTE, "k2", "ES256", NOW + timedelta(seconds=30))).key == successor.public_key()
    assert await invented(31) == 2
    assert await invented(59) == 2
    assert await invented(60) == 3


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (Fetched(500, {}, b""), TemporarilyUnavailable),
        (Fetched(302, {"location": "http://127.0.0.1/"}, b""), TemporarilyUnavailable),
        (FetchRefused("private_address"), InvalidClient),
        (Fetched(200, {}, b"<html>"), InvalidClient),
        (page({"keys": {}}), InvalidClient),
        (page({}), InvalidClient),
        (page({"keys": [7, None]}), InvalidClient),
        (page({"keys": [public(EC)] * 21}), InvalidClient),
        (page({"keys": ["x" * 40_000]}), InvalidClient),
    ],
)
async def test_what_is_not_a_key_set_proves_nothing(
    answer: Fetched | Exception, error: type[Exception], web: Web
) -> None:
    web.answers[URL] = answer

    with pytest.raises(error):
        await ClientKeys(web).find(REMOTE, "k1", "ES256", NOW)
