"""Small documents at fixed paths: what a client reads before it signs in, and what every site is asked for."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from oauth.endpoints.metadata import server_metadata
from oauth.primitives.scopes import ALL
from oauth.settings import OAuthSettings
from tests.edge import SITE, Edge, running, settings_for
from tests.html_pages import HtmlPage

NAMES = re.compile(r"uvicorn|starlette|python|httptools|\d+\.\d+\.\d+", re.IGNORECASE)


@pytest.mark.security("HD-07")
async def test_where_somebody_is_named_to_report_to_security_txt_says_so(tmp_path: Path) -> None:
    contacts = "mailto:security@example.com, https://example.com/report"
    async with running(settings_for(tmp_path, security_contact=contacts)) as edge:
        answer = await edge.client.get("/.well-known/security.txt")

    fields = [line.partition(": ") for line in answer.text.splitlines()]
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert [value for name, _, value in fields if name == "Contact"] == contacts.split(", ")
    expires = datetime.fromisoformat(next(value for name, _, value in fields if name == "Expires"))
    assert timedelta(days=1) < expires - datetime.now(UTC) < timedelta(days=365)
    assert f"Canonical: {SITE}/.well-known/security.txt\n" in answer.text
    assert not NAMES.search(answer.text.replace(SITE, ""))


BROWSER = {"accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}


@pytest.mark.parametrize(
    ("path", "status", "about_files"),
    [("/nope", 404, False), ("/account/<b>", 404, False), ("/exports/of/nobody.csv", 404, True)],
)
async def test_a_person_who_is_lost_is_told_what_this_is_and_where_to_go(
    edge: Edge, path: str, status: int, about_files: bool
) -> None:
    page = await edge.client.get(path, headers=BROWSER)
    told = await edge.client.get(path, headers={"accept": "application/json, */*"})

    assert page.status_code == status
    assert page.headers["content-type"].startswith("text/html")
    assert "style-src 'self'" in page.headers["content-security-policy"]
    assert f"<code>{SITE}/mcp</code>" in page.text
    assert {"/", "/connect"} <= set(HtmlPage(page.text).links)
    assert ("Check the address" in page.text) is (status == 404 and not about_files)
    assert "<b>" not in page.text
    assert ("A link to a file" in page.text) is about_files
    assert (told.status_code, told.text) == (404, "Not Found")


async def test_who_reloads_where_a_form_was_sent_to_is_led_back_to_the_form(edge: Edge) -> None:
    page = await edge.client.get("/account/settings/email", headers=BROWSER)

    assert (page.status_code, page.headers["location"]) == (303, "/account/settings")


@pytest.mark.security("HD-07")
async def test_robots_are_sent_away_and_there_is_no_icon_and_no_contact_and_no_software_is_named(edge: Edge) -> None:
    assert (await edge.client.get("/.well-known/security.txt")).status_code == 404
    robots, icon = await edge.client.get("/robots.txt"), await edge.client.get("/favicon.ico")

    assert robots.text == "User-agent: *\nDisallow: /\n"
    assert (icon.status_code, icon.content) == (204, b"")
    for answer in (robots, icon):
        assert not NAMES.search(str(dict(answer.headers)).replace(answer.headers["x-request-id"], ""))
        assert answer.headers["x-content-type-options"] == "nosniff"


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
    refused = await edge.call("private", headers=headers)

    assert response.content == (await edge.client.get(path)).content
    assert response.json()["resource"] == f"{SITE}/mcp"
    assert f'resource_metadata="{SITE}{PATHS[1]}"' in refused.headers["www-authenticate"]
    assert "evil" not in str(refused.headers)


@pytest.mark.security("DI-02")
@pytest.mark.parametrize("site", ["https://MCP.example.com:443/", "http://127.0.0.1:8000", "https://a.example:8443"])
async def test_the_authorization_server_is_named_exactly_as_it_names_itself(tmp_path: Path, site: str) -> None:
    settings = settings_for(tmp_path, site_url=site)
    own = server_metadata(OAuthSettings(settings.site_url, ALL))

    async with running(settings) as edge:
        documents = [(await edge.client.get(path)).json() for path in PATHS]

    assert [document["authorization_servers"] for document in documents] == [[own["issuer"]]] * 2
    assert own["protected_resources"][0] == documents[0]["resource"]


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
async def test_the_metadata_is_the_same_a_hundred_times_and_read_only(edge: Edge, path: str) -> None:
    answers = [await edge.client.get(path) for _ in range(100)]

    assert len({(answer.content, answer.headers["cache-control"]) for answer in answers}) == 1
    assert (await edge.client.post(path, json={"resource": "https://evil.example"})).status_code == 405


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
