"""Every client behind one question, whoever vouches for it."""

from dataclasses import replace
from typing import Any

import pytest

from oauth.errors import InvalidClient, Unacceptable
from oauth.flows.client_documents import ClientDocuments
from oauth.flows.clients import Clients, configured_clients
from oauth.flows.registration import Registration
from oauth.grants import Client
from oauth.primitives import secrets
from oauth.stores.clients import ClientStore
from tests.oauth.clients import CHATGPT, DOCUMENTS, NOW, REGISTRATIONS, SETTINGS, Web, page
from tests.oauth.signing import new_key, public

WEB = {"client_id": "web", "redirect_uris": ["https://web.example/cb"]}
PINNED = {"client_id": "https://pinned.example/c.json", "redirect_uris": ["https://pinned.example/cb"]}
CONFIGURED = replace(SETTINGS, clients=(WEB, PINNED))


@pytest.fixture
def web() -> Web:
    return Web({url: page(words) for url, words in DOCUMENTS.items()})


@pytest.fixture
def clients(registered: ClientStore, web: Web) -> Clients:
    return made_of(registered, web)


def made_of(registered: ClientStore, web: Web) -> Clients:
    """As a process has them that has just started."""
    return Clients(registered, ClientDocuments(web, CONFIGURED, registered), CONFIGURED)


async def test_each_kind_is_found_by_its_id(clients: Clients, registered: ClientStore) -> None:
    made = await Registration(registered, CONFIGURED).register(REGISTRATIONS["Claude"], "192.0.2.1", NOW)
    finder: Clients = clients

    assert (await finder.find("web", NOW)).kind == "configured"
    assert (await finder.find(made.client.id, NOW)).kind == "registered"
    assert (await finder.find(CHATGPT, NOW)).kind == "document"


@pytest.mark.security("AZ-02", "TK-10")
@pytest.mark.parametrize(
    "client_id",
    [
        "",
        "*",
        "unknown",
        "../web",
        "WEB",
        "web ",
        "web\r\nx: y",
        "web\x00",
        "' OR 1=1 --",
        "client_" + "0" * 32,
        "x" * 10_000,
    ],
)
async def test_nobody_else_is_a_client(client_id: str, clients: Clients) -> None:
    with pytest.raises(InvalidClient) as refused:
        await clients.find(client_id, NOW)

    assert str(refused.value).isascii()


@pytest.mark.security("RG-35")
async def test_a_revoked_client_is_unknown(clients: Clients, registered: ClientStore) -> None:
    made = await Registration(registered, CONFIGURED).register(REGISTRATIONS["Claude"], "192.0.2.1", NOW)
    await registered.revoke_client(made.client.id, NOW)

    with pytest.raises(InvalidClient):
        await clients.find(made.client.id, NOW)


@pytest.mark.parametrize(
    ("client_id", "there"),
    [("web", True), (CHATGPT, True), (f"client_{'a' * 32}", True), ("gone", False), ("client_1", False), ("", False)],
)
async def test_a_client_that_only_a_configuration_can_have_ends_with_its_entry(
    clients: Clients, client_id: str, there: bool
) -> None:
    assert clients.has(client_id) is there


SECRET = "s" * 32
CONFIGURED_WEB = {"client_id": "web", "client_name": "Web", "redirect_uris": ["https://web.example/cb"]}
MACHINE = {"client_id": "ci", "client_secret": SECRET, "grant_types": ["client_credentials"], "scope": "docs:read"}
KEYS = {"keys": [public(new_key())]}


def one(words: dict[str, Any]) -> Client:
    return configured_clients(replace(SETTINGS, clients=(words,)))[words["client_id"]]


def test_a_public_client_is_as_it_is_written() -> None:
    client = one(CONFIGURED_WEB)

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
    assert one(CONFIGURED_WEB | words).auth_methods == methods


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
    ],
)
def test_a_mistake_is_told_at_the_start_without_the_secret(words: dict[str, Any]) -> None:
    with pytest.raises(Unacceptable) as refused:
        configured_clients(replace(SETTINGS, clients=({**CONFIGURED_WEB, **words},)))

    assert "short" not in str(refused.value)
    assert SECRET not in str(refused.value)
