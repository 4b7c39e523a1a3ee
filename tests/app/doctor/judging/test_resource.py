"""Protected resource metadata."""

from dataclasses import replace
from typing import Any

import pytest

from app.doctor.judging.resource import resource_metadata
from app.doctor.observed import Discovery
from tests.app.doctor.examples import URL, answer, discovery, healthy, profile, told

FINE = [("resource metadata", "ok"), ("authorization_servers", "ok")]


def seen(name: str, found: Discovery) -> list[tuple[str, str]]:
    return told(resource_metadata(profile(name), healthy(discovery=found)))


def test_a_document_about_this_address_is_fine() -> None:
    assert seen("chatgpt", discovery()) == FINE


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
    found = discovery({"resource": resource})

    assert seen("claude", found)[0] == ("resource metadata", exact)
    assert seen("python-sdk", found)[0] == ("resource metadata", lenient)


def test_without_a_document_only_the_older_ways_are_left() -> None:
    lost = replace(discovery(), resource={"path": answer(404), "root": answer(404)})

    assert seen("claude", lost) == [("resource metadata", "failed")]
    assert seen("mcp-remote", lost) == [("resource metadata", "advice")]


def test_a_challenge_that_points_nowhere_fails_clients_that_do_not_search() -> None:
    found = discovery()
    pointing = replace(found, resource={**found.resource, "challenge": answer(404)})

    assert seen("vscode", pointing)[0] == ("resource metadata", "failed")
    assert seen("python-sdk", pointing)[0] == ("resource metadata", "advice")


def test_a_document_at_one_place_only_is_advice() -> None:
    found = discovery()
    rootless = replace(found, resource={**found.resource, "root": answer(404)})

    assert seen("claude", rootless)[0] == ("resource metadata", "advice")


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
    assert seen("cursor", discovery(changed))[-1] == ("authorization_servers", status)
