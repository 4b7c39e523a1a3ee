"""The public keys of clients: found by what a signature names, and fetched rarely."""

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from jwt.algorithms import ECAlgorithm

from oauth.errors import InvalidClient, TemporarilyUnavailable
from oauth.flows.client_assertions import ClientKeys, has_usable_key
from oauth.grants import Client
from oauth.primitives.fetching import Fetched, FetchFailed, FetchRefused
from tests.oauth.clients import CHATGPT, NOW, Web, page
from tests.oauth.signing import Private, new_key, public

URL = "https://chatgpt.com/oauth/jwks.json"
REMOTE = Client(CHATGPT, "document", "ChatGPT", (), NOW, jwks_uri=URL)
EC, RSA = ec.generate_private_key(ec.SECP256R1()), new_key(2_048)

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


async def test_an_outage_does_not_stop_a_client_whose_keys_are_known(web: Web) -> None:
    keys = ClientKeys(web)
    await keys.find(REMOTE, "k1", "ES256", NOW)
    web.answers[URL] = FetchFailed()

    await keys.find(REMOTE, "k1", "ES256", NOW + timedelta(hours=1))

    with pytest.raises(TemporarilyUnavailable):
        await ClientKeys(web).find(REMOTE, "k1", "ES256", NOW)


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


@pytest.mark.parametrize(
    ("key", "usable"),
    [
        (public(new_key()), True),
        (public(new_key(2_048)), True),
        (public(new_key(), alg="ES256"), True),
        (public(new_key(), alg="ES384"), False),
        (public(new_key(1_024)), False),
        ({"kty": "EC"}, False),
        ({}, False),
    ],
    ids=["EC", "RSA 2048", "named", "misnamed", "short", "half", "empty"],
)
def test_a_set_is_of_use_when_one_key_in_it_is(key: dict[str, Any], usable: bool) -> None:
    assert has_usable_key({"keys": [{"kty": "RSA", "n": "AQAB", "e": "AQAB"}, key]}) is usable
    assert not has_usable_key({"keys": []})
