"""One client up to the sign-in page, and what it sends there."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from urllib.parse import parse_qs, parse_qsl, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.doctor.gateway_client import GatewayClient, gateway_client
from app.doctor.oauth_probes import Credentials, OAuthProbes, credentials, scope_for, with_query
from app.doctor.observations import NO_DOCUMENT, Played, way_for
from app.doctor.probes import discover, probe_endpoint
from app.doctor.profiles import Way
from tests.app.doctor.examples import SERVER, answer, discovery, profile
from tests.loopback import reply, serving

SECONDS = 20.0


@asynccontextmanager
async def probing(url: str, *, registers: bool = True) -> AsyncIterator[tuple[GatewayClient, OAuthProbes]]:
    async with gateway_client(url, SECONDS) as client:
        endpoint = await probe_endpoint(client, url)
        yield client, OAuthProbes(client, endpoint, await discover(client, url, endpoint), registers=registers)


async def played(url: str, name: str, *, registers: bool = True) -> Played:
    async with probing(url, registers=registers) as (_, probes):
        return await probes.play(profile(name))


async def test_a_client_registers_asks_and_is_deleted(gateways: str) -> None:
    async with probing(f"{gateways}/healthy/mcp") as (client, probes):
        found = await probes.play(profile("mcp-remote"))
        # Deleted afterwards (RFC 7592): the very same request now comes from an unknown client.
        assert (await client.request("GET", found.authorize["good"].url)).status == 400

    assert found.registration.text("client_id") != ""
    assert {name: one.status for name, one in found.authorize.items()} == {
        "unknown client": 400,
        "good": 200,
        "foreign redirect": 400,
        "no PKCE": 303,
        "plain PKCE": 303,
    }
    good = dict(parse_qsl(urlsplit(found.authorize["good"].url).query))
    sent = [good[name] for name in ("resource", "scope", "code_challenge_method")]
    assert sent == [f"{gateways}/healthy/mcp", "read", "S256"]

    found = await played(f"{gateways}/healthy/mcp", "mcp-remote", registers=False)
    assert (found.registration, set(found.authorize)) == (NO_DOCUMENT, {"unknown client"})


async def test_nothing_more_is_asked_of_a_gateway_that_cannot_fetch_the_document(gateways: str) -> None:
    found = await played(f"{gateways}/no-fetch/mcp", "claude-code")

    assert {name: one.status for name, one in found.authorize.items()} == {"unknown client": 400, "good": 503}


async def test_without_server_metadata_nothing_is_asked_there(gateways: str) -> None:
    found = await played(f"{gateways}/open/mcp", "claude")

    assert found == replace(Played(), with_origin=found.with_origin)
    assert found.with_origin is not None


async def test_a_registration_has_the_redirect_of_the_doctor_and_its_token_stays_with_its_server(gateways: str) -> None:
    async with serving({"/c": reply("204 No Content")}) as elsewhere, probing(f"{gateways}/healthy/mcp") as (_, probes):
        made = await probes.register(profile("mcp-remote"), ("http://127.0.0.1:1/callback",))
        body = json.dumps(made.document | {"registration_client_uri": f"{elsewhere.origin}/c"})
        await probes.unregister(replace(made, body=body.encode()))

    assert (made.text("client_name"), made.text("scope")) == ("MCP CLI Proxy", "read")
    assert made.texts("redirect_uris") == ("http://127.0.0.1:1/callback",)
    assert elsewhere.heads == []


@pytest.mark.parametrize(
    ("name", "changed", "way"),
    [
        ("claude", {}, Way.DOCUMENT),
        ("claude", {"client_id_metadata_document_supported": False}, Way.DYNAMIC),
        ("claude", {"token_endpoint_auth_methods_supported": ["client_secret_post"]}, Way.DYNAMIC),
        ("vscode", {}, Way.DYNAMIC),
        ("vscode", {"registration_endpoint": None}, Way.DOCUMENT),
        ("cursor", {"registration_endpoint": None}, None),
        ("chatgpt", {"client_id_metadata_document_supported": False}, None),
    ],
)
def test_a_client_takes_the_first_way_that_is_offered(name: str, changed: dict[str, object], way: Way | None) -> None:
    assert way_for(profile(name), answer(200, SERVER | changed)) is way


def test_scopes_come_from_the_challenge_then_from_the_resource() -> None:
    offline = discovery(server={"scopes_supported": ["offline_access"]})

    assert scope_for("call", discovery()) == "call"
    assert scope_for("", discovery()) == "read"
    assert scope_for("", replace(discovery(), resource={})) == ""
    assert scope_for("call", offline) == "call offline_access"


def test_credentials_stand_where_the_method_says_and_not_in_the_representation() -> None:
    form = {"grant_type": "refresh_token"}

    _, public = Credentials("c-1").applied(form)
    _, posted = Credentials("c-1", "s/1", "client_secret_post").applied(form)
    headers, basic = Credentials("c:1", "s/1", "client_secret_basic").applied(form)

    assert parse_qs(public.decode()) == {"grant_type": ["refresh_token"], "client_id": ["c-1"]}
    assert parse_qs(posted.decode())["client_secret"] == ["s/1"]
    assert b"client_id" not in basic
    assert headers["authorization"] == "Basic YyUzQTE6cyUyRjE="  # c%3A1:s%2F1 (RFC 6749 section 2.3.1)
    assert "s3cret" not in repr(Credentials("c-1", "s3cret", "client_secret_post"))


@pytest.mark.parametrize(
    ("members", "method"),
    [
        ({"token_endpoint_auth_method": "client_secret_post", "client_secret": "s"}, "client_secret_post"),
        ({"client_secret": "s"}, "client_secret_basic"),
        ({}, "none"),
        ({"token_endpoint_auth_method": "odd"}, "none"),
    ],
)
def test_the_server_decides_the_method(members: dict[str, str], method: str) -> None:
    assert credentials(answer(201, {"client_id": "c-1", **members})).method == method


@given(st.dictionaries(st.text(min_size=1), st.text(min_size=1)))
def test_parameters_join_the_query_that_is_there(parameters: dict[str, str]) -> None:
    url = with_query("https://as.example/authorize?tenant=t", {"state": "s"} | parameters)

    query = parse_qs(urlsplit(url).query)
    assert all(query[name][-1] == value for name, value in parameters.items())
    assert query["tenant"][0] == "t"
