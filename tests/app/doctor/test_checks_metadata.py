"""The two metadata documents, with one member changed."""

from dataclasses import replace
from typing import Any

import pytest

from app.doctor.exchanges import Exchange
from app.doctor.observations import Discovery
from tests.app.doctor.examples import ISSUER, URL, answer, discovery, found, healthy, seen

RESOURCE, SERVERS, SERVER, FIELDS = "resource metadata", "authorization_servers", "server metadata", "server fields"
METHODS = "code_challenge_methods_supported"


def statuses(discovered: Discovery, step: str, *names: str) -> list[str]:
    return [seen(name, healthy(discovery=discovered), step) for name in names]


def places(**changed: Exchange) -> Discovery:
    whole = discovery()
    return replace(whole, resource={**whole.resource, **changed})


def keys(answered: Exchange) -> Discovery:
    return replace(discovery(), jwks=answered)


def test_whole_documents_are_fine_and_keys_are_public() -> None:
    private = keys(answer(200, {"keys": [{"kty": "EC", "d": "x"}]}))

    assert [seen("claude", healthy(), step) for step in (RESOURCE, SERVERS, SERVER, FIELDS)] == ["ok"] * 4
    assert statuses(keys(answer(200, {"keys": [{"kty": "EC"}, "odd"]})), FIELDS, "cursor") == ["ok"]
    assert statuses(keys(answer(200, {"keys": "none"})), FIELDS, "cursor") == ["ok"]
    assert statuses(private, FIELDS, "cursor") == ["failed"]


@pytest.mark.parametrize(
    ("discovered", "exact", "lenient"),
    [
        (discovery({"resource": f"{URL}/"}), "failed", "advice"),
        (discovery({"resource": "https://gateway.example"}), "failed", "advice"),
        (discovery({"resource": "https://GATEWAY.example/mcp"}), "failed", "advice"),
        (discovery({"resource": f"{URL}-other"}), "failed", "failed"),
        (discovery({"resource": "https://other.example/mcp"}), "failed", "failed"),
        (discovery({"resource": ""}), "failed", "failed"),
        # A challenge that points nowhere fails the clients that do not search.
        (places(challenge=answer(404)), "failed", "advice"),
        (places(root=answer(404)), "advice", "advice"),
    ],
)
def test_a_resource_that_was_not_typed_fails_the_exact_clients(discovered: Discovery, exact: str, lenient: str) -> None:
    assert statuses(discovered, RESOURCE, "claude", "python-sdk") == [exact, lenient]


def test_without_a_document_only_the_ways_of_2025_03_26_are_left() -> None:
    missing = replace(discovery(), resource={"path": answer(404)})

    assert statuses(missing, RESOURCE, "claude", "mcp-remote") == ["failed", "advice"]


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


def test_a_server_document_is_there_and_names_the_issuer_to_the_letter() -> None:
    lost = healthy(discovery=replace(discovery(), server=(answer(404), answer(200))))
    (finding,) = found("claude", healthy(discovery=discovery(server={"issuer": f"{ISSUER}/"})), SERVER)

    assert [seen("cursor", lost, step) for step in (SERVER, FIELDS)] == ["failed", ""]
    assert (finding.status, "trailing slash" in finding.why) == ("failed", True)


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({METHODS: None}, ["failed", "failed", "failed"]),
        ({METHODS: ["plain"]}, ["failed", "failed", "failed"]),
        ({METHODS: ["plain", "S256"]}, ["advice", "advice", "advice"]),
        ({"token_endpoint": None}, ["failed", "failed", "failed"]),
        ({"authorization_endpoint": "/authorize"}, ["failed", "failed", "failed"]),
        ({"token_endpoint": "http://gateway.example/token"}, ["failed", "failed", "failed"]),
        ({"grant_types_supported": ["authorization_code"]}, ["advice", "advice", "advice"]),
        ({"client_id_metadata_document_supported": "true"}, ["failed", "ok", "ok"]),
        ({"token_endpoint_auth_methods_supported": ["client_secret_post"]}, ["advice", "advice", "ok"]),
        ({"authorization_response_iss_parameter_supported": False}, ["advice", "ok", "ok"]),
    ],
)
def test_fields_that_clients_need(changed: dict[str, Any], expected: list[str]) -> None:
    assert statuses(discovery(server=changed), FIELDS, "chatgpt", "claude", "cursor") == expected
