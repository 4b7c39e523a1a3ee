"""How a client becomes known."""

from typing import Any

import pytest

from app.doctor.exchanges import Exchange, Fault
from app.doctor.judging.registration import registration
from tests.app.doctor.examples import answer, discovery, healthy, played, profile

CURSOR = profile("cursor")


def judged(answered: Exchange) -> tuple[str, str]:
    finding = registration(CURSOR, healthy(played=played("cursor", registration=answered)))
    return finding.status.value, finding.change


def registered(**changed: Any) -> dict[str, Any]:
    return {"client_id": "c-1", **CURSOR.body, **changed}


def test_a_registration_as_asked_is_fine() -> None:
    assert judged(answer(201, registered()))[0] == "ok"


def test_a_secret_that_comes_with_its_method_is_fine() -> None:
    told = registered(token_endpoint_auth_method="client_secret_post", client_secret="s")

    assert judged(answer(201, told))[0] == "ok"


@pytest.mark.parametrize(
    ("answered", "status", "word"),
    [
        (answer(200, registered()), "advice", "201"),
        (answer(201, {"registered": True}), "failed", "client_id"),
        (answer(201, registered(token_endpoint_auth_method="client_secret_basic")), "failed", "none"),
        (answer(201, registered(token_endpoint_auth_method="tls_client_auth")), "failed", "none"),
        (answer(201, registered(redirect_uris=["cursor://x"])), "failed", "redirect URI"),
        (answer(400, {"error": "invalid_redirect_uri"}), "failed", "redirect URIs"),
        (answer(400, {"error": "invalid_client_metadata"}), "failed", "token_endpoint_auth_method"),
        (answer(400, {"error": ["odd"]}), "failed", "error"),
        (answer(500, content_type="text/html"), "failed", "JSON"),
        (answer(307, location="https://elsewhere.example"), "failed", "final address"),
        (answer(None, fault=Fault.SLOW), "failed", "ten seconds"),
    ],
)
def test_what_is_wrong_says_what_to_change(answered: Exchange, status: str, word: str) -> None:
    found, change = judged(answered)

    assert (found, word in change) == (status, True)


def test_a_refused_loopback_redirect_is_named() -> None:
    refused = answer(400, {"error": "invalid_redirect_uri"})

    finding = registration(profile("mcp-remote"), healthy(played=played("mcp-remote", registration=refused)))

    assert "loopback" in finding.change


def test_a_client_with_a_document_needs_no_registration() -> None:
    finding = registration(profile("claude"), healthy(played=played("claude")))

    assert finding.status == "ok"


@pytest.mark.parametrize("name", ["chatgpt", "cursor"])
def test_a_server_without_the_client_s_way_fails(name: str) -> None:
    none = discovery(server={"registration_endpoint": None, "client_id_metadata_document_supported": False})

    finding = registration(profile(name), healthy(discovery=none, played=played(name)))

    assert finding.status == "failed"


def test_who_wants_no_registration_gets_none() -> None:
    finding = registration(CURSOR, healthy(registers=False, played=played("cursor")))

    assert finding.status == "skipped"
