"""What a client reads before it signs in: the same bytes at both addresses."""

from pathlib import Path

import pytest

from tests.edge import SITE, Edge, running, settings_for

PATHS = ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"]


@pytest.mark.parametrize("path", PATHS)
async def test_the_metadata_of_the_resource_is_exact(edge: Edge, path: str) -> None:
    response = await edge.client.get(path)

    assert response.status_code == 200
    assert response.headers["content-type"] == "application/json"
    assert response.headers["cache-control"] == "public, max-age=300"
    assert (
        response.content
        == (
            f'{{"resource":"{SITE}/mcp","scopes_supported":["sparks:read"],'
            '"bearer_methods_supported":["header"],"resource_name":"Minds"}'
        ).encode()
    )


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("headers", [{"x-forwarded-host": "evil.example"}, {"x-forwarded-proto": "https"}])
async def test_addresses_come_from_the_settings_and_never_from_the_request(
    edge: Edge, path: str, headers: dict[str, str]
) -> None:
    response = await edge.client.get(path, headers=headers)

    assert response.json()["resource"] == f"{SITE}/mcp"


async def test_a_public_name_is_written_without_a_slash_or_a_port(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path, site_url="https://MCP.example.com:443/")) as edge:
        response = await edge.client.get(PATHS[0])

    assert response.json()["resource"] == "https://mcp.example.com/mcp"


@pytest.mark.parametrize("path", PATHS)
async def test_the_metadata_is_read_only(edge: Edge, path: str) -> None:
    response = await edge.client.post(path, json={"resource": "https://evil.example"})

    assert response.status_code == 405


@pytest.mark.parametrize("path", [PATHS[0] + "/", PATHS[0] + "/other", PATHS[1] + "/"])
async def test_other_resources_have_no_metadata_here(edge: Edge, path: str) -> None:
    response = await edge.client.get(path)

    assert response.status_code == 404
