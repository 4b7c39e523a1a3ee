"""Every client behind one question, whoever vouches for it."""

from dataclasses import replace

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.errors import InvalidClient, TemporarilyUnavailable, TooManyRequests
from oauth.fetching import FetchFailed
from oauth.flows.client_documents import OF_PLACE, ClientDocuments
from oauth.flows.clients import Clients
from oauth.flows.parties import ClientFinder
from oauth.flows.registration import Registration
from oauth.stores.clients import DOCUMENT_SERVES, SqlClientStore
from tests.oauth.clients import CHATGPT, DOCUMENTS, NOW, REGISTRATIONS, SETTINGS, Web, page

WEB = {"client_id": "web", "redirect_uris": ["https://web.example/cb"]}
PINNED = {"client_id": "https://pinned.example/c.json", "redirect_uris": ["https://pinned.example/cb"]}
CONFIGURED = replace(SETTINGS, clients=(WEB, PINNED))


@pytest.fixture
def web() -> Web:
    return Web({url: page(words) for url, words in DOCUMENTS.items()})


@pytest.fixture
def registered(engine: AsyncEngine) -> SqlClientStore:
    return SqlClientStore(engine)


@pytest.fixture
def clients(registered: SqlClientStore, web: Web) -> Clients:
    return Clients(registered, ClientDocuments(web, CONFIGURED), CONFIGURED)


async def test_each_kind_is_found_by_its_id(clients: Clients, registered: SqlClientStore) -> None:
    made = await Registration(registered, CONFIGURED).register(REGISTRATIONS["Claude"], "192.0.2.1", NOW)
    finder: ClientFinder = clients

    assert (await finder.find("web", NOW)).kind == "configured"
    assert (await finder.find(made.client.id, NOW)).kind == "registered"
    assert (await finder.find(CHATGPT, NOW)).kind == "document"


async def test_what_is_configured_is_asked_of_nobody_else(clients: Clients, web: Web) -> None:
    assert (await clients.find("https://pinned.example/c.json", NOW)).kind == "configured"
    assert web.asked == []


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

    assert refused.value.description.isascii()


@pytest.mark.security("RG-35")
async def test_a_revoked_client_is_unknown(clients: Clients, registered: SqlClientStore) -> None:
    made = await Registration(registered, CONFIGURED).register(REGISTRATIONS["Claude"], "192.0.2.1", NOW)
    await registered.revoke_client(made.client.id, NOW)

    with pytest.raises(InvalidClient):
        await clients.find(made.client.id, NOW)


@pytest.mark.security("RG-34", "AZ-30")
async def test_a_registration_that_is_used_stays_and_one_that_is_not_goes(
    clients: Clients, registered: SqlClientStore
) -> None:
    registration = Registration(registered, CONFIGURED)
    used = (await registration.register(REGISTRATIONS["Claude"], "192.0.2.1", NOW)).client
    unused = (await registration.register(REGISTRATIONS["Cursor"], "192.0.2.1", NOW)).client

    await registered.keep_client(used.id, NOW)

    later = NOW + 31 * SETTINGS.unused_client
    assert (await clients.find(used.id, later)).id == used.id
    with pytest.raises(InvalidClient):
        await clients.find(unused.id, later)


async def test_an_outage_of_a_documents_host_ends_no_session_and_begins_none(
    clients: Clients, registered: SqlClientStore, web: Web
) -> None:
    await registered.keep_document(await clients.find_known(CHATGPT, NOW), NOW)
    restarted = Clients(registered, ClientDocuments(web, CONFIGURED), CONFIGURED)
    web.answers[CHATGPT] = FetchFailed("the host is down")

    assert (await restarted.find_known(CHATGPT, NOW)).redirect_uris == tuple(DOCUMENTS[CHATGPT]["redirect_uris"])
    with pytest.raises(TemporarilyUnavailable):
        await restarted.find(CHATGPT, NOW)
    with pytest.raises(TemporarilyUnavailable):
        await restarted.find_known(CHATGPT, NOW + DOCUMENT_SERVES)


async def test_many_users_behind_one_address_refresh_although_their_document_may_not_be_kept(
    clients: Clients, registered: SqlClientStore, web: Web
) -> None:
    web.answers[CHATGPT] = page(DOCUMENTS[CHATGPT], cache_control="no-store")
    await registered.keep_document(await clients.find(CHATGPT, NOW), NOW)

    found = [await clients.find_known(CHATGPT, NOW, "192.0.2.1") for _ in range(OF_PLACE + 5)]

    assert {client.id for client in found} == {CHATGPT}
    with pytest.raises(TooManyRequests):
        await clients.find(CHATGPT, NOW, "192.0.2.1")


async def test_a_document_that_is_withdrawn_ends_its_client_at_once(
    clients: Clients, registered: SqlClientStore, web: Web
) -> None:
    await registered.keep_document(await clients.find(CHATGPT, NOW), NOW)
    del web.answers[CHATGPT]

    with pytest.raises(InvalidClient):
        await Clients(registered, ClientDocuments(web, CONFIGURED), CONFIGURED).find_known(CHATGPT, NOW)


@pytest.mark.parametrize(
    ("client_id", "there"),
    [("web", True), (CHATGPT, True), (f"client_{'a' * 32}", True), ("gone", False), ("client_1", False), ("", False)],
)
async def test_a_client_that_only_a_configuration_can_have_ends_with_its_entry(
    clients: Clients, client_id: str, there: bool
) -> None:
    assert clients.has(client_id) is there
