"""Pages of any origin may ask for discovery documents as the protocol's own clients do; nothing else is opened."""

import httpx2
import pytest

from tests.edge import Edge

DOCUMENT = "/.well-known/oauth-protected-resource/mcp"


async def preflight(edge: Edge, path: str, origin: str = "https://anywhere.example") -> httpx2.Response:
    headers = {
        "origin": origin,
        "access-control-request-method": "GET",
        "access-control-request-headers": "mcp-protocol-version",
    }
    return await edge.client.options(path, headers=headers)


@pytest.mark.security("DI-17")
async def test_a_page_of_any_origin_may_send_the_protocols_header_to_a_discovery_document(edge: Edge) -> None:
    response = await preflight(edge, DOCUMENT)

    assert response.status_code == 204
    assert response.headers["access-control-allow-origin"] == "*"
    assert "mcp-protocol-version" in response.headers["access-control-allow-headers"].lower()
    assert "access-control-allow-credentials" not in response.headers


@pytest.mark.parametrize("path", ["/mcp", "/livez", "/x/.well-known/y"])
async def test_the_rest_is_open_to_the_origins_of_the_settings_only(edge: Edge, path: str) -> None:
    foreign, known = await preflight(edge, path), await preflight(edge, path, "https://claude.ai")

    assert foreign.status_code == 400
    assert "access-control-allow-origin" not in foreign.headers
    assert known.headers["access-control-allow-origin"] == "https://claude.ai"


async def test_what_is_no_preflight_goes_on_to_the_route(edge: Edge) -> None:
    response = await edge.client.options(DOCUMENT)

    assert response.status_code == 405
