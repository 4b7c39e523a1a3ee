"""The two metadata documents, with one member changed."""

from dataclasses import replace
from typing import Any

import pytest

from app.doctor.exchanges import Exchange
from app.doctor.observations import Discovery
from tests.app.doctor.examples import ISSUER, URL, answer, discovery, found, healthy, seen

RESOURCE, SERVERS, SERVER, FIELDS, KEYS = (
    "resource metadata",
    "authorization_servers",
    "server metadata",
    "server fields",
    "keys",
)


def statuses(discovered: Discovery, step: str, *names: str) -> list[str]:
    return [seen(name, healthy(discovery=discovered), step) for name in names]


def places(**changed: Exchange) -> Discovery:
    whole = discovery()
    return replace(whole, resource={**whole.resource, **changed})


@pytest.mark.parametrize("name", ["chatgpt", "claude", "cursor"])
def test_whole_documents_are_fine(name: str) -> None:
    steps = (RESOURCE, SERVERS, SERVER, FIELDS, KEYS)

    assert [seen(name, healthy(), step) for step in steps] == ["ok", "ok", "ok", "ok", "skipped"]


@pytest.mark.parametrize(
    ("resource", "exact", "lenient"),
    [
        (f"{URL}/", "failed", "advice"),
        ("https://gateway.example", "failed", "advice"),
        ("https://GATEWAY.example/mcp", "failed", "advice"),
        (f"{URL}-other", "failed", "failed"),
        ("https://other.example/mcp", "failed", "failed"),
        ("", "failed", "failed"),
    ],
)
def test_a_resource_that_was_not_typed_fails_the_exact_clients(resource: str, exact: str, lenient: str) -> None:
    assert statuses(discovery({"resource": resource}), RESOURCE, "claude", "python-sdk") == [exact, lenient]


@pytest.mark.parametrize(
    ("discovered", "names", "expected"),
    [
        # Without a document only the ways of 2025-03-26 are left.
        (replace(discovery(), resource={"path": answer(404)}), ("claude", "mcp-remote"), ["failed", "advice"]),
        # A challenge that points nowhere fails the clients that do not search.
        (places(challenge=answer(404)), ("vscode", "python-sdk"), ["failed", "advice"]),
        (places(root=answer(404)), ("claude",), ["advice"]),
    ],
)
def test_where_the_document_is_missing(discovered: Discovery, names: tuple[str, ...], expected: list[str]) -> None:
    assert statuses(discovered, RESOURCE, *names) == expected


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        ({"authorization_servers": []}, "failed"),
        ({"authorization_servers": "https://gateway.example"}, "failed"),
        ({"authorization_servers": ["http://gateway.example"]}, "failed"),
        ({"authorization_servers": ["https://169.254.169.254"]}, "failed"),
        ({"scopes_supported": ["read", "offline_access"]}, "advice"),
    ],
)
def test_the_servers_are_named_and_reachable(changed: dict[str, Any], status: str) -> None:
    assert statuses(discovery(changed), SERVERS, "cursor") == [status]


def test_no_server_document_fails_and_ends_the_checks_of_it() -> None:
    lost = healthy(discovery=replace(discovery(), server=(answer(404), answer(200))))

    assert [seen("cursor", lost, step) for step in (SERVER, FIELDS, KEYS)] == ["failed", "", ""]


def test_a_trailing_slash_is_another_issuer() -> None:
    (finding,) = found("claude", healthy(discovery=discovery(server={"issuer": f"{ISSUER}/"})), SERVER)

    assert finding.status == "failed"
    assert "trailing slash" in finding.why


@pytest.mark.parametrize(
    ("changed", "chatgpt", "claude", "cursor"),
    [
        ({"code_challenge_methods_supported": None}, "failed", "failed", "failed"),
        ({"code_challenge_methods_supported": ["plain"]}, "failed", "failed", "failed"),
        ({"code_challenge_methods_supported": ["plain", "S256"]}, "advice", "advice", "advice"),
        ({"token_endpoint": None}, "failed", "failed", "failed"),
        ({"authorization_endpoint": "/authorize"}, "failed", "failed", "failed"),
        ({"token_endpoint": "http://gateway.example/token"}, "failed", "failed", "failed"),
        ({"grant_types_supported": ["authorization_code"]}, "advice", "advice", "advice"),
        ({"client_id_metadata_document_supported": False}, "failed", "ok", "ok"),
        ({"client_id_metadata_document_supported": "true"}, "failed", "ok", "ok"),
        ({"token_endpoint_auth_methods_supported": ["client_secret_post"]}, "advice", "advice", "ok"),
        ({"authorization_response_iss_parameter_supported": False}, "advice", "ok", "ok"),
    ],
)
def test_fields_that_clients_need(changed: dict[str, Any], chatgpt: str, claude: str, cursor: str) -> None:
    found = statuses(discovery(server=changed), FIELDS, "chatgpt", "claude", "cursor")

    assert found == [chatgpt, claude, cursor]


@pytest.mark.parametrize(
    ("answered", "status"),
    [
        (answer(200, {"keys": [{"kty": "EC"}]}), "ok"),
        (answer(200, {"keys": [{"kty": "EC", "d": "x"}]}), "failed"),
        (answer(200, {"keys": "none"}), "advice"),
        (answer(404), "advice"),
    ],
)
def test_published_keys_are_public(answered: Exchange, status: str) -> None:
    assert statuses(replace(discovery(), jwks=answered), KEYS, "cursor") == [status]
