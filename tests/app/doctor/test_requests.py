"""What clients send."""

import json
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.doctor import documents, requests
from app.doctor.profiles import Way
from tests.app.doctor.examples import RESOURCE, SERVER, answer, discovery, profile


def server(**changed: object) -> documents.ServerMetadata:
    found = documents.server_metadata(answer(told=SERVER | changed))
    assert found is not None
    return found


def test_pkce_is_that_of_the_rfc() -> None:
    # RFC 7636 appendix B
    challenge = requests.s256("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")

    assert challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    assert 43 <= len(requests.new_verifier()) <= 128


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
    assert requests.way_for(profile(name), server(**changed)) is way


def test_scopes_come_from_the_challenge_then_from_the_resource() -> None:
    resource = documents.resource_metadata(answer(told=RESOURCE))

    assert requests.scope_for("call", resource, server()) == "call"
    assert requests.scope_for("", resource, server()) == "read"
    assert requests.scope_for("", None, server()) == ""
    assert requests.scope_for("call", None, server(scopes_supported=["offline_access"])) == "call offline_access"


def test_credentials_stand_where_the_method_says() -> None:
    form = {"grant_type": "refresh_token"}

    _, public = requests.Credentials("c-1").applied(form)
    _, posted = requests.Credentials("c-1", "s/1", "client_secret_post").applied(form)
    headers, basic = requests.Credentials("c:1", "s/1", "client_secret_basic").applied(form)

    assert parse_qs(public.decode()) == {"grant_type": ["refresh_token"], "client_id": ["c-1"]}
    assert parse_qs(posted.decode())["client_secret"] == ["s/1"]
    assert b"client_id" not in basic
    assert headers["authorization"] == "Basic YyUzQTE6cyUyRjE="  # c%3A1:s%2F1 (RFC 6749 section 2.3.1)


def test_a_secret_is_not_in_the_representation() -> None:
    assert "s3cret" not in repr(requests.Credentials("c-1", "s3cret", "client_secret_post"))


@pytest.mark.parametrize(
    ("told", "method"),
    [
        ({"token_endpoint_auth_method": "client_secret_post", "client_secret": "s"}, "client_secret_post"),
        ({"client_secret": "s"}, "client_secret_basic"),
        ({}, "none"),
        ({"token_endpoint_auth_method": "odd"}, "none"),
    ],
)
def test_the_server_decides_the_method(told: dict[str, str], method: str) -> None:
    assert requests.credentials(answer(201, {"client_id": "c-1", **told})).method == method


@pytest.mark.parametrize(("status", "told"), [(400, {"client_id": "c"}), (201, {}), (201, {"client_id": 5}), (201, [])])
def test_a_registration_without_an_id_brought_none(status: int, told: object) -> None:
    assert requests.registered_id(answer(status, told)) == ""


def test_a_registration_is_the_client_s_own_but_for_our_redirect() -> None:
    body = json.loads(requests.registration(profile("mcp-remote"), "read", ("http://127.0.0.1:1/callback",)))

    assert (body["client_name"], body["scope"]) == ("MCP CLI Proxy", "read")
    assert body["redirect_uris"] == ["http://127.0.0.1:1/callback"]


@given(st.dictionaries(st.text(min_size=1), st.text(min_size=1)))
def test_parameters_join_the_query_that_is_there(parameters: dict[str, str]) -> None:
    url = requests.with_query("https://as.example/authorize?tenant=t", {"state": "s"} | parameters)

    query = parse_qs(urlsplit(url).query)
    assert all(query[name][-1] == value for name, value in parameters.items())
    assert query["tenant"][0] == "t"


def test_a_good_request_says_everything() -> None:
    assert discovery().server_metadata is not None
    asked = requests.authorization("c", "r", "u", "", "s", "x")

    assert (asked["code_challenge_method"], asked["resource"], "scope" in asked) == ("S256", "u", False)
