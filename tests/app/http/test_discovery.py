"""What a client reads before it signs in: the same bytes at both addresses."""

from pathlib import Path

import pytest

from oauth.endpoints.metadata import server_metadata
from oauth.primitives.scopes import ALL
from oauth.settings import OAuthSettings
from tests.edge import SITE, Edge, running, settings_for

PATHS = ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"]


@pytest.mark.security("DI-07", "DI-08", "DI-10")
@pytest.mark.parametrize("path", PATHS)
async def test_the_metadata_of_the_resource_is_exact(edge: Edge, path: str) -> None:
    response = await edge.client.get(path)

    assert response.status_code == 200
    assert response.headers["content-type"] == "application/json"
    assert response.headers["cache-control"] == "public, max-age=300"
    assert (
        response.content
        == (
            f'{{"resource":"{SITE}/mcp","authorization_servers":["{SITE}"],"scopes_supported":["sparks:read"],'
            '"bearer_methods_supported":["header"],"resource_name":"Minds"}'
        ).encode()
    )


FORGED = [
    {"x-forwarded-host": "evil.example"},
    {"x-forwarded-proto": "https"},
    {"x-forwarded-prefix": "/evil"},
    {"forwarded": "host=evil.example;proto=https"},
]


@pytest.mark.security("DI-16")
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("headers", FORGED, ids=str)
async def test_addresses_come_from_the_settings_and_never_from_the_request(
    edge: Edge, path: str, headers: dict[str, str]
) -> None:
    response = await edge.client.get(path, headers=headers)

    assert response.content == (await edge.client.get(path)).content
    assert response.json()["resource"] == f"{SITE}/mcp"


@pytest.mark.security("DI-16")
@pytest.mark.parametrize("headers", FORGED, ids=str)
async def test_a_challenge_names_the_address_of_the_settings(edge: Edge, headers: dict[str, str]) -> None:
    response = await edge.call("private", headers=headers)

    assert f'resource_metadata="{SITE}{PATHS[1]}"' in response.headers["www-authenticate"]
    assert "evil" not in str(response.headers)


@pytest.mark.security("DI-16")
@pytest.mark.parametrize("path", [*PATHS, "/mcp"])
async def test_a_foreign_host_gets_no_metadata_and_no_challenge(edge: Edge, path: str) -> None:
    response = await edge.client.get(path, headers={"host": "evil.example"})

    assert response.status_code == 421
    assert "evil" not in f"{response.text}{response.headers}"


@pytest.mark.security("DI-02")
@pytest.mark.parametrize("site", ["https://MCP.example.com:443/", "http://127.0.0.1:8000", "https://a.example:8443"])
async def test_the_authorization_server_is_named_exactly_as_it_names_itself(tmp_path: Path, site: str) -> None:
    settings = settings_for(tmp_path, site_url=site)
    own = server_metadata(OAuthSettings(settings.site_url, ALL))

    async with running(settings) as edge:
        documents = [(await edge.client.get(path)).json() for path in PATHS]

    assert [document["authorization_servers"] for document in documents] == [[own["issuer"]]] * 2
    assert own["protected_resources"][0] == documents[0]["resource"]


@pytest.mark.security("DI-25")
async def test_after_a_move_the_metadata_names_the_new_authorization_server(tmp_path: Path) -> None:
    named = []
    for site in ("https://old.example", "https://new.example"):
        async with running(settings_for(tmp_path, site_url=site)) as edge:
            named.append((await edge.client.get(PATHS[0])).json()["authorization_servers"])

    assert named == [["https://old.example"], ["https://new.example"]]


@pytest.mark.security("DI-17")
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("origin", ["https://claude.ai", "https://anywhere.example", "null"])
async def test_a_page_of_any_origin_may_read_the_metadata_without_credentials(
    edge: Edge, path: str, origin: str
) -> None:
    response = await edge.client.get(path, headers={"origin": origin})

    assert response.status_code == 200
    assert response.headers["access-control-allow-origin"] in {"*", origin}
    assert "access-control-allow-credentials" not in response.headers


@pytest.mark.security("DI-24")
@pytest.mark.parametrize("path", PATHS)
async def test_the_metadata_is_the_same_a_hundred_times(edge: Edge, path: str) -> None:
    answers = [await edge.client.get(path) for _ in range(100)]

    assert len({(answer.content, answer.headers["cache-control"]) for answer in answers}) == 1


async def test_a_public_name_is_written_without_a_slash_or_a_port(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path, site_url="https://MCP.example.com:443/")) as edge:
        response = await edge.client.get(PATHS[0])

    assert response.json()["resource"] == "https://mcp.example.com/mcp"


@pytest.mark.parametrize("path", PATHS)
async def test_the_metadata_is_read_only(edge: Edge, path: str) -> None:
    response = await edge.client.post(path, json={"resource": "https://evil.example"})

    assert response.status_code == 405


@pytest.mark.security("DI-15")
@pytest.mark.parametrize(
    "path",
    [
        PATHS[0] + "/",
        PATHS[0] + "/other",
        PATHS[1] + "/",
        PATHS[0] + "/<script>alert(1)</script>",
        PATHS[0] + "/%2e%2e/%2e%2e/etc/passwd",
        PATHS[0] + "/../../../etc/passwd",
    ],
)
async def test_other_resources_have_no_metadata_here(edge: Edge, path: str) -> None:
    response = await edge.client.get(path)

    assert response.status_code == 404
    assert "script" not in response.text
    assert "passwd" not in response.text


@pytest.mark.security("DI-15")
async def test_an_address_with_a_zero_byte_is_refused(edge: Edge) -> None:
    assert (await edge.client.get(PATHS[0] + "/%00")).status_code == 400
