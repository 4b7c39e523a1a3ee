"""Addresses that are requested, and those that are not; and the facts about the clients."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.doctor import addresses
from app.doctor.profiles import NAMES, PROFILES, Profile, Way

PUBLIC, LOCAL = "https://gateway.example/mcp", "http://127.0.0.1:8000/mcp"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "/authorize",
        "ftp://gateway.example/",
        "javascript:alert(1)",
        "http://gateway.example/token",
        "https://user:word@gateway.example/",
        "https://10.0.0.1/",
        "https://169.254.169.254/latest",
        "http://127.0.0.1/",
        "https://[::1]/",
        "https://localhost/",
        "https://gateway.example:99999/",
        "https://gateway.example/a b",
        "https://gateway.example/\n",
    ],
)
def test_a_public_gateway_cannot_send_the_doctor_elsewhere(url: str) -> None:
    assert addresses.unsafe(url, PUBLIC) != ""


def test_other_public_hosts_are_asked_and_on_this_machine_plain_http() -> None:
    assert addresses.unsafe("https://login.example/token", PUBLIC) == ""
    assert addresses.unsafe("https://gateway.example:8443/token", PUBLIC) == ""
    assert addresses.unsafe("http://localhost:9000/token", LOCAL) == ""
    assert addresses.unsafe("http://gateway.example/token", LOCAL) != ""


@given(st.text())
def test_any_text_has_an_answer(text: str) -> None:
    assert isinstance(addresses.unsafe(text, PUBLIC), str)
    assert isinstance(addresses.server_documents(text), tuple)
    assert isinstance(addresses.covers(text, PUBLIC), bool)


def test_an_issuer_s_documents_are_looked_for_in_order() -> None:
    assert addresses.server_documents("https://as.example") == (
        "https://as.example/.well-known/oauth-authorization-server",
        "https://as.example/.well-known/openid-configuration",
    )
    assert addresses.server_documents("https://as.example/tenant") == (
        "https://as.example/.well-known/oauth-authorization-server/tenant",
        "https://as.example/.well-known/openid-configuration/tenant",
        "https://as.example/tenant/.well-known/openid-configuration",
    )


def test_an_origin_has_one_spelling() -> None:
    assert addresses.same_origin("https://A.example:443/x", "https://a.example/y")
    assert not addresses.same_origin("https://a.example", "http://a.example")
    assert not addresses.same_origin("nonsense", "nonsense")


@pytest.mark.parametrize(
    ("resource", "covered"),
    [
        ("https://gateway.example", True),
        ("https://gateway.example/mcp/", True),
        ("https://gateway.example/mc", False),
        ("https://gateway.example/mcp/x", False),
        ("https://other.example", False),
    ],
)
def test_a_resource_covers_what_lies_below_it(resource: str, covered: bool) -> None:
    assert addresses.covers(resource, PUBLIC) is covered


def test_names_are_unique() -> None:
    assert len(set(NAMES)) == len(PROFILES)


@pytest.mark.parametrize("client", PROFILES, ids=lambda one: one.name)
def test_a_client_can_do_what_its_ways_say_and_comes_back_to_its_maker_or_to_loopback(client: Profile) -> None:
    assert bool(client.document) == (Way.DOCUMENT in client.ways)
    assert bool(client.registration) == (Way.DYNAMIC in client.ways)
    assert client.body["redirect_uris"] == list(client.redirects)

    assert addresses.is_loopback(client.redirects[0]) is not client.hosted
    assert not client.moved_redirect or addresses.is_loopback(client.moved_redirect)
