"""Clients that describe themselves at their own address."""

import tomllib
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from oauth.errors import InvalidClient, TemporarilyUnavailable, TooManyRequests, UnreadableDocument, UnusableDocument
from oauth.flows.client_documents import MAX_DOCUMENT, OF_HOST, OF_SOURCE, SHORTEST, ClientDocuments
from oauth.primitives.fetching import Fetched, FetchFailed
from oauth.stores.clients import ClientStore
from tests.oauth.clients import CHATGPT, DOCUMENTS, NOW, SETTINGS, Web, body, page

URL = "https://app.example.com/client.json"
WORDS: dict[str, Any] = {"client_id": URL, "client_name": "App", "redirect_uris": ["https://app.example.com/cb"]}
HOUR = timedelta(hours=1)
CASES = tomllib.loads(Path(__file__).with_name("client_documents.toml").read_text("utf-8"))


@pytest.fixture
def web() -> Web:
    return Web({url: page(words) for url, words in {**DOCUMENTS, URL: WORDS}.items()})


@pytest.fixture
def documents(web: Web, engine: AsyncEngine) -> ClientDocuments:
    return ClientDocuments(web, SETTINGS, ClientStore(engine))


@pytest.mark.parametrize("url", DOCUMENTS)
async def test_the_documents_of_known_clients_are_accepted(url: str, documents: ClientDocuments) -> None:
    client = await documents.find(url, NOW)

    assert (client.id, client.kind, client.name) == (url, "document", DOCUMENTS[url]["client_name"])
    assert client.redirect_uris == tuple(DOCUMENTS[url]["redirect_uris"])
    assert client.verified_host == url.split("/")[2]
    assert client.scopes == SETTINGS.scopes
    assert client.is_public


async def test_the_list_of_chatgpt_counts_beside_its_single_word(documents: ClientDocuments) -> None:
    client = await documents.find(CHATGPT, NOW)

    assert client.auth_methods == {"none", "private_key_jwt"}
    assert client.jwks_uri == "https://chatgpt.com/oauth/jwks.json"


@pytest.mark.parametrize(
    ("words", "methods"),
    [
        ({}, {"none"}),
        ({"token_endpoint_auth_method": "none"}, {"none"}),
        ({"token_endpoint_auth_method": "private_key_jwt", "jwks": {"keys": []}}, {"private_key_jwt"}),
        ({"token_endpoint_auth_methods_supported": ["none", "private_key_jwt", "tls_client_auth"]}, {"none"}),
    ],
)
async def test_a_client_authenticates_as_it_lists_and_as_it_can(
    words: dict[str, Any], methods: set[str], web: Web, documents: ClientDocuments
) -> None:
    web.answers[URL] = page(WORDS | words)

    assert (await documents.find(URL, NOW)).auth_methods == methods


@pytest.mark.security("RG-23", "RG-24")
@pytest.mark.parametrize(
    ("logo", "kept"),
    [
        ("https://app.example.com/logo.png", True),
        ("https://app.example.com:8443/logo.png", False),
        ("http://app.example.com/logo.png", False),
        ("https://cdn.example.com/logo.png", False),
        ("https://app.example.com@evil.example/logo.png", False),
        ("https://app.example.com/../logo.png", False),
        ("javascript:alert(1)", False),
        ("data:image/png;base64,AA", False),
        (None, False),
    ],
)
async def test_a_logo_counts_from_the_documents_own_origin_alone(
    logo: str | None, kept: bool, web: Web, documents: ClientDocuments
) -> None:
    web.answers[URL] = page(WORDS | {"logo_uri": logo})

    assert (await documents.find(URL, NOW)).logo_uri == (logo if kept else None)
    assert web.asked == [URL]


@pytest.mark.security("CI-01", "CI-02", "AZ-02")
@pytest.mark.parametrize("url", [*CASES["never_asked"], "https://app.example.com/" + "c" * 1_024])
async def test_an_address_that_is_not_one_of_a_document_is_never_asked(
    url: str, web: Web, documents: ClientDocuments
) -> None:
    with pytest.raises(InvalidClient):
        await documents.find(url, NOW)

    assert web.asked == []


@pytest.mark.security("CI-04")
@pytest.mark.parametrize("status", [201, 204, 206, 301, 302, 307, 400, 403, 500, 503])
async def test_any_status_but_200_is_an_error(status: int, web: Web, documents: ClientDocuments) -> None:
    web.answers[URL] = replace(page(WORDS), status=status, headers={"location": "http://169.254.169.254/"})

    with pytest.raises(UnreadableDocument) as refused:
        await documents.find(URL, NOW)

    assert refused.value.host == "app.example.com"
    assert web.asked == [URL]


@pytest.mark.security("CI-06")
@pytest.mark.parametrize(
    "answer",
    [
        page(WORDS | {"padding": "x" * MAX_DOCUMENT}),
        replace(page(WORDS), headers={"content-type": "text/html"}),
        replace(page(WORDS), headers={}),
        replace(page(WORDS), body=b"<html>"),
        replace(page(WORDS), body=b"[" * 5_000),
        replace(page(WORDS), body=body(WORDS)[:-1] + b', "client_id": "https://evil.example/c"}'),
        FetchFailed("no answer within 5 seconds"),
    ],
)
async def test_what_is_not_a_document_is_an_error_and_not_kept(
    answer: Fetched | Exception, web: Web, documents: ClientDocuments
) -> None:
    good, web.answers[URL] = web.answers[URL], answer

    with pytest.raises((InvalidClient, TemporarilyUnavailable)):
        await documents.find(URL, NOW)

    web.answers[URL] = good
    assert (await documents.find(URL, NOW)).id == URL


@pytest.mark.security("CI-07", "CI-08")
@pytest.mark.parametrize(
    "words",
    [
        *({"client_id": other} for other in CASES["other_addresses"]),
        {"client_id": None},
        {"client_id": [URL]},
        {"client_name": 5},
        {"client_secret": "shared with everybody"},
        {"client_secret": None},
        {"client_secret_expires_at": 0},
        {"token_endpoint_auth_method": "client_secret_basic"},
        {"token_endpoint_auth_method": "client_secret_post"},
        {"token_endpoint_auth_method": "client_secret_jwt"},
        {"token_endpoint_auth_methods_supported": ["client_secret_post"]},
        {"token_endpoint_auth_method": "private_key_jwt"},
        {"jwks": {"keys": [{"kty": "EC", "d": "eA"}]}},
        {"jwks": {"keys": [{"kty": "oct", "k": "eA"}]}},
        {"redirect_uris": ["http://app.example.com/cb"]},
        {"redirect_uris": ["https://app.example.com/cb", "unknown-scheme:/cb"]},
        {"redirect_uris": [f"https://app.example.com/{n}" for n in range(21)]},
        {"redirect_uris": ["javascript:alert(1)"]},
        {"redirect_uris": []},
        {"redirect_uris": None},
        {"grant_types": ["implicit"]},
    ],
)
async def test_a_document_that_breaks_a_rule_is_no_client_and_its_host_and_the_rule_are_named(
    words: dict[str, Any], web: Web, documents: ClientDocuments
) -> None:
    web.answers[URL] = page(WORDS | words)

    with pytest.raises(UnusableDocument) as refused:
        await documents.find(URL, NOW)

    assert (refused.value.host, refused.value.error) == ("app.example.com", "invalid_client")
    assert str(refused.value)


@pytest.mark.security("CI-09")
async def test_a_document_is_read_again_when_its_time_is_over(web: Web, documents: ClientDocuments) -> None:
    await documents.find(URL, NOW)
    changed = ["https://app.example.com/new"]
    web.answers[URL] = page(WORDS | {"redirect_uris": changed}, "no-store")

    kept = await documents.find(URL, NOW + timedelta(seconds=599))
    read = await documents.find(URL, NOW + timedelta(seconds=600))
    await documents.find(URL, NOW + timedelta(seconds=600) + SHORTEST)

    assert kept.redirect_uris == tuple(WORDS["redirect_uris"])
    assert read.redirect_uris == tuple(changed)
    assert len(web.asked) == 3


@pytest.mark.security("CI-10")
async def test_fetches_are_limited_for_each_host_and_each_asker(web: Web, documents: ClientDocuments) -> None:
    async def flood(form: str, place: str) -> None:
        for n in range(200):
            with pytest.raises(InvalidClient):
                await documents.find(form.format(n), NOW, place)

    with pytest.raises(TooManyRequests):
        await flood("https://one.example/{}", "")
    of_host = len(web.asked)
    with pytest.raises(TooManyRequests):
        await flood("https://h{}.example/c", "192.0.2.1")

    assert of_host == OF_HOST
    assert len(web.asked) == OF_HOST + OF_SOURCE
    assert (await documents.find(URL, NOW, "192.0.2.2")).id == URL


@pytest.mark.parametrize("cache_control", ["max-age=0", "no-cache", "no-store"])
async def test_an_office_signs_in_through_one_address_whatever_the_headers_say(
    cache_control: str, web: Web, documents: ClientDocuments
) -> None:
    web.answers[URL] = page(WORDS, cache_control)

    found = [await documents.find(URL, NOW + timedelta(seconds=n), "192.0.2.1") for n in range(5 * OF_SOURCE)]

    assert {client.id for client in found} == {URL}
    assert web.asked == [URL] * 2


@pytest.mark.security("CI-10")
async def test_six_addresses_do_not_keep_the_client_of_a_host_out(documents: ClientDocuments) -> None:
    await documents.find(URL, NOW)
    for n in range(OF_HOST + 1):
        with pytest.raises((InvalidClient, TooManyRequests)):
            await documents.find(f"https://app.example.com/{n}", NOW + HOUR, f"192.0.2.{n // OF_SOURCE}")

    assert (await documents.find(URL, NOW + HOUR, "192.0.2.1")).id == URL


@pytest.mark.security("CI-09")
@pytest.mark.parametrize("outage", [FetchFailed("no answer"), Fetched(500, {}, b""), Fetched(503, {}, b"")])
async def test_an_outage_is_bridged_for_a_day_and_not_after_a_refusal(
    outage: Fetched | Exception, web: Web, documents: ClientDocuments
) -> None:
    for url in (URL, CHATGPT):
        await documents.find(url, NOW)
        web.answers[url] = outage

    assert (await documents.find(URL, NOW + HOUR)).id == URL
    with pytest.raises(UnreadableDocument):
        await documents.find(CHATGPT, NOW + timedelta(days=2))

    web.answers[URL] = Fetched(404, {}, b"")
    with pytest.raises(UnusableDocument):
        await documents.find(URL, NOW + 2 * HOUR)
    web.answers[URL] = outage
    with pytest.raises(UnreadableDocument):
        await documents.find(URL, NOW + 2 * HOUR)
