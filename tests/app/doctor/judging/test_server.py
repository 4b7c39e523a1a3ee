"""Authorization server metadata."""

from dataclasses import replace
from typing import Any

import pytest

from app.doctor.judging.server import server_metadata
from app.doctor.observed import Discovery
from tests.app.doctor.examples import ISSUER, answer, discovery, healthy, profile, told

FINE = [("server metadata", "ok"), ("server fields", "ok"), ("keys", "skipped")]


def seen(name: str, found: Discovery) -> list[tuple[str, str]]:
    return told(server_metadata(profile(name), healthy(discovery=found)))


@pytest.mark.parametrize("name", ["chatgpt", "claude", "cursor"])
def test_a_whole_document_is_fine(name: str) -> None:
    assert seen(name, discovery()) == FINE


def test_no_document_fails() -> None:
    assert seen("cursor", replace(discovery(), server=(answer(404), answer(200)))) == [("server metadata", "failed")]


def test_a_trailing_slash_is_another_issuer() -> None:
    (first, *_) = server_metadata(profile("claude"), healthy(discovery=discovery(server={"issuer": f"{ISSUER}/"})))

    assert first.status == "failed"
    assert "trailing slash" in first.why


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        ({"code_challenge_methods_supported": None}, "failed"),
        ({"code_challenge_methods_supported": ["plain"]}, "failed"),
        ({"code_challenge_methods_supported": ["plain", "S256"]}, "advice"),
        ({"token_endpoint": None}, "failed"),
        ({"authorization_endpoint": "/authorize"}, "failed"),
        ({"token_endpoint": "http://gateway.example/token"}, "failed"),
        ({"grant_types_supported": ["authorization_code"]}, "advice"),
    ],
)
def test_fields_that_every_client_needs(changed: dict[str, Any], status: str) -> None:
    assert seen("cursor", discovery(server=changed))[1] == ("server fields", status)


@pytest.mark.parametrize(
    ("changed", "chatgpt", "claude", "cursor"),
    [
        ({"client_id_metadata_document_supported": False}, "failed", "ok", "ok"),
        ({"client_id_metadata_document_supported": "true"}, "failed", "ok", "ok"),
        ({"token_endpoint_auth_methods_supported": ["client_secret_post"]}, "advice", "advice", "ok"),
        ({"authorization_response_iss_parameter_supported": False}, "advice", "ok", "ok"),
    ],
)
def test_fields_that_some_clients_need(changed: dict[str, Any], chatgpt: str, claude: str, cursor: str) -> None:
    found = discovery(server=changed)

    assert [seen(name, found)[1][1] for name in ("chatgpt", "claude", "cursor")] == [chatgpt, claude, cursor]


@pytest.mark.parametrize(
    ("told_by_server", "status"),
    [
        (answer(told={"keys": [{"kty": "EC"}]}), "ok"),
        (answer(told={"keys": [{"kty": "EC", "d": "x"}]}), "failed"),
        (answer(told={"keys": "none"}), "advice"),
        (answer(404), "advice"),
    ],
)
def test_published_keys_are_public(told_by_server: Any, status: str) -> None:
    found = replace(discovery(server={"jwks_uri": f"{ISSUER}/jwks"}), jwks=told_by_server)

    assert seen("cursor", found)[-1] == ("keys", status)
