"""Clients that the operator wrote into the configuration."""

from dataclasses import replace
from typing import Any

import pytest

from oauth.errors import Unacceptable
from oauth.flows.clients import configured_clients
from oauth.grants import Client
from oauth.primitives import secrets
from tests.oauth.clients import SETTINGS
from tests.oauth.signing import new_key, public

SECRET = "s" * 32
WEB = {"client_id": "web", "client_name": "Web", "redirect_uris": ["https://web.example/cb"]}
MACHINE = {"client_id": "ci", "client_secret": SECRET, "grant_types": ["client_credentials"], "scope": "docs:read"}
KEYS = {"keys": [public(new_key())]}


def one(words: dict[str, Any]) -> Client:
    return configured_clients(replace(SETTINGS, clients=(words,)))[words["client_id"]]


def test_a_public_client_is_as_it_is_written() -> None:
    client = one(WEB)

    assert (client.id, client.kind, client.name) == ("web", "configured", "Web")
    assert client.redirect_uris == ("https://web.example/cb",)
    assert client.auth_methods == {"none"}
    assert client.grant_types == {"authorization_code", "refresh_token"}
    assert client.scopes == SETTINGS.scopes
    assert client.verified_host is None


def test_a_machine_acts_for_itself_within_its_scopes() -> None:
    client = one(MACHINE)

    assert client.grant_types == {"client_credentials"}
    assert client.scopes == {"docs:read"}
    assert client.auth_methods == {"client_secret_basic", "client_secret_post"}
    assert client.secret_digest == secrets.digest(SECRET)
    assert client.name == "ci"
    assert SECRET not in repr(client)


@pytest.mark.parametrize(
    ("words", "methods"),
    [
        ({"jwks": KEYS}, {"private_key_jwt"}),
        ({"jwks_uri": "https://web.example/jwks"}, {"private_key_jwt"}),
        ({"jwks": KEYS, "token_endpoint_auth_method": "none"}, {"none"}),
        ({"client_secret": SECRET, "token_endpoint_auth_method": "client_secret_post"}, {"client_secret_post"}),
    ],
)
def test_a_client_authenticates_with_what_it_has(words: dict[str, Any], methods: set[str]) -> None:
    assert one(WEB | words).auth_methods == methods


@pytest.mark.parametrize(
    "words",
    [
        {"client_id": None},
        {"client_id": "with space"},
        {"client_id": ""},
        {"client_secret": "short"},
        {"client_secret": 7},
        {"client_secret": SECRET, "token_endpoint_auth_method": "none"},
        {"token_endpoint_auth_method": "client_secret_basic"},
        {"token_endpoint_auth_method": "private_key_jwt"},
        {"token_endpoint_auth_method": "magic"},
        {"redirect_uris": []},
        {"redirect_uris": ["http://web.example/cb"]},
        {"grant_types": ["client_credentials"]},
        {"scope": "admin"},
        {"jwks": {"keys": [{"kty": "EC", "d": "eA"}]}},
        {"jwks": {"keys": []}},
        {"jwks": {"keys": [{"kty": "EC", "crv": "P-256", "x": "eA", "y": "eQ"}]}},
        {"jwks": {"keys": [public(new_key(1_024))]}},
        {"jwks": {"keys": [public(new_key(), use="enc")]}},
        {"jwks": {"keys": [{"kty": "oct"}, {"kty": 7}, {}]}},
    ],
)
def test_a_mistake_is_told_at_the_start_without_the_secret(words: dict[str, Any]) -> None:
    with pytest.raises(Unacceptable) as refused:
        configured_clients(replace(SETTINGS, clients=({**WEB, **words},)))

    assert "short" not in str(refused.value)
    assert SECRET not in str(refused.value)
