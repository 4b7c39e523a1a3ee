"""Host, Origin and CORS: who may call from a browser, and under which name."""

import re
from pathlib import Path

import httpx2
import pytest

from app.http.origin_policy import OriginRules
from tests.edge import ERAS, SITE, Edge, request, running, settings_for

ALLOWED = "https://chatgpt.com"
PAGES = [
    *(f"/{page}" for page in ("account", "account/keys", "connect", "login", "consent")),
    *(f"/oauth/{page}" for page in ("authorize", "callback", "consent", "device", "login", "logout")),
    *("/oauth/callback/supabase", "/oauth/login/oidc"),
]
PREFLIGHT = {"access-control-request-method": "POST"}
TRICKS = ["https://evil.example", "null", "", "https://chatgpt.com.evil.example", "https://evilchatgpt.com", "file://"]
TRICKS += ["https://chatgpt.com@evil.example", "http://chatgpt.com", "https://chatgpt.com:8443", "https://chatgpt.com/"]
TRICKS += ["https://CHATGPT.com", "https://evilopenai.com", "https://.openai.com", "https://openai.com", "chatgpt.com"]
TRICKS += ["https://a.openai.com\nhttps://evil.example", "https://openai.com.evil.example"]
FOREIGN_HOSTS = ["evil.example", "evil.example:8000", "127.0.0.1", "127.0.0.1:8001", "127.0.0.1:8000.evil.example", ""]
FOREIGN_HOSTS += ["127.0.0.1:8000/livez?", "evil.example/livez?", "user@127.0.0.1:8000"]


@pytest.mark.security("OR-02", "OR-05")
@pytest.mark.parametrize("origin", TRICKS)
@pytest.mark.parametrize("path", ["/mcp", "/oauth/token", "/oauth/register", "/account/keys", "/api/v1/minds"])
async def test_a_foreign_origin_may_neither_ask_nor_call(edge: Edge, origin: str, path: str) -> None:
    given, body = request("tools/list")
    headers = {**given, "origin": origin.replace("\n", "")}

    asked = await edge.client.options(path, headers={"origin": headers["origin"], **PREFLIGHT})
    called = await edge.client.post(path, headers=headers, json=body)

    assert called.status_code == 403
    for answer in (asked, called):
        assert "access-control-allow-origin" not in answer.headers
        assert "access-control-allow-credentials" not in answer.headers


@pytest.mark.security("OR-05")
async def test_two_origins_are_refused_even_if_the_first_is_allowed(edge: Edge) -> None:
    given, body = request("tools/list")

    response = await edge.client.post(
        "/mcp", headers=[*given.items(), ("origin", ALLOWED), ("origin", "https://evil.example")], json=body
    )

    assert response.status_code == 403


@pytest.mark.parametrize(
    "origin", [ALLOWED, "https://claude.ai", "https://a.b.openai.com", SITE, "http://localhost:8000"]
)
@pytest.mark.parametrize("era", ERAS)
async def test_an_allowed_origin_may_call_and_read(edge: Edge, origin: str, era: str) -> None:
    response = await edge.rpc("tools/list", era=era, headers={"origin": origin})

    assert response.status_code == 200
    assert response.headers["access-control-allow-origin"] == origin
    assert "origin" in response.headers["vary"].lower()


@pytest.mark.security("OR-01", "OR-10")
async def test_a_preflight_names_an_allowed_origin_and_every_header_and_opens_no_private_network(edge: Edge) -> None:
    wanted = ["authorization", "content-type", "mcp-protocol-version", "mcp-method", "mcp-name", "mcp-session-id"]
    headers = {"origin": ALLOWED, **PREFLIGHT, "access-control-request-headers": ", ".join(wanted)}

    response = await edge.client.options("/mcp", headers=headers)
    private = await edge.client.options("/mcp", headers={**headers, "access-control-request-private-network": "true"})

    assert response.status_code == 200
    assert response.headers["access-control-allow-origin"] == ALLOWED
    assert "origin" in response.headers["vary"].lower()
    assert set(wanted) <= set(re.split(r",\s*", response.headers["access-control-allow-headers"].lower()))
    assert "access-control-allow-credentials" not in response.headers
    assert "access-control-allow-private-network" not in private.headers


@pytest.mark.security("OR-08", "OR-09")
@pytest.mark.parametrize("era", ERAS)
async def test_a_browser_may_read_every_refusal_and_its_challenge(edge: Edge, era: str) -> None:
    origin = {"origin": ALLOWED}

    refusals = [
        await edge.call("private", era=era, headers=origin),
        await edge.call("private", era=era, headers=origin, key=edge.narrow_key),
        await edge.post(b" " * 5_000_000, mcp_protocol_version=era, origin=ALLOWED),
        await edge.call("refuse", {"kind": "rate"}, era=era, headers=origin),
        await edge.call("refuse", {"kind": "unavailable"}, era=era, headers=origin),
        await edge.call("crash", era=era, headers=origin),
    ]

    assert [refusal.status_code for refusal in refusals] == [401, 403, 413, 429, 503, 500]
    assert {refusal.headers["access-control-allow-origin"] for refusal in refusals} == {ALLOWED}
    exposed = {refusal.headers["access-control-expose-headers"].lower() for refusal in refusals}
    names = {"www-authenticate", "mcp-session-id", "retry-after", "x-request-id", "ratelimit", "ratelimit-policy"}
    names |= {f"x-ratelimit-{name}" for name in ("limit", "remaining", "reset")}
    assert all(names <= set(re.split(r",\s*", one)) for one in exposed)


@pytest.mark.security("OR-07", "RS-26")
@pytest.mark.parametrize("host", FOREIGN_HOSTS)
@pytest.mark.parametrize("path", ["/mcp", "/.well-known/oauth-protected-resource", "/nope"])
async def test_a_host_that_is_not_ours_is_misdirected(edge: Edge, host: str, path: str) -> None:
    given, body = request("tools/list")

    response = await edge.client.request("POST", path, headers={**given, "host": host}, json=body)

    assert response.status_code == 421


@pytest.mark.security("RS-26")
@pytest.mark.parametrize(
    "headers",
    [
        {f"x-{name}": "/livez" for name in ("original-url", "rewrite-url", "forwarded-uri")},
        {"x-http-method-override": "GET"},
        {"x-forwarded-host": "evil.example", "x-forwarded-for": "127.0.0.1"},
        {"x-remote-user": "admin", "x-forwarded-user": "admin"},
    ],
)
async def test_headers_of_proxies_change_neither_the_target_nor_the_caller(edge: Edge, headers: dict[str, str]) -> None:
    response = await edge.call("private", headers=headers)

    assert response.status_code == 401
    assert f'resource_metadata="{SITE}/' in response.headers["www-authenticate"]


@pytest.mark.parametrize("path", ["/livez", "/readyz"])
async def test_probes_are_answered_whatever_address_they_use(edge: Edge, path: str) -> None:
    response = await edge.client.get(path, headers={"host": "10.1.2.3:8000"})

    assert response.status_code == 200


@pytest.mark.security("RS-25")
@pytest.mark.parametrize("path", ["/mcp%0a", "/mcp%0d%0a", "/mcp%00", "/mcp%20", "/mcp%E2%80%A8", "/livez%0a", "/%7f"])
async def test_a_path_with_something_invisible_in_it_is_no_path(edge: Edge, path: str) -> None:
    given, body = request("tools/list")

    response = await edge.client.post(path, headers=given, json=body)

    assert response.status_code in {400, 404}


@pytest.mark.security("OR-05")
async def test_behind_a_public_name_that_and_loopback_are_ours_and_pages_on_the_visitors_machine_may_not_call(
    tmp_path: Path,
) -> None:
    async with running(settings_for(tmp_path, site_url="https://mcp.example.com", port=8000)) as edge:
        given, body = request("tools/list")

        hosts = {
            host: (await edge.client.post("/mcp", headers={**given, "host": host}, json=body)).status_code
            for host in ("mcp.example.com", "MCP.example.com:443", "127.0.0.1:8000", "localhost:3000", "example.com")
        }

        origins = [
            (await edge.rpc("tools/list", headers={"origin": origin})).status_code
            for origin in ("http://localhost:3000", "http://127.0.0.1:8000", "https://mcp.example.com")
        ]

    assert list(hosts.values()) == [200, 200, 200, 421, 421]
    assert origins == [403, 403, 200]


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
    response, plain = await preflight(edge, DOCUMENT), await edge.client.options(DOCUMENT)

    assert (response.status_code, plain.status_code) == (204, 405)  # what is no preflight goes on to the route
    assert response.headers["access-control-allow-origin"] == "*"
    assert "mcp-protocol-version" in response.headers["access-control-allow-headers"].lower()
    assert "access-control-allow-credentials" not in response.headers


@pytest.mark.parametrize("path", ["/mcp", "/livez", "/x/.well-known/y"])
async def test_the_rest_is_open_to_the_origins_of_the_settings_only(edge: Edge, path: str) -> None:
    foreign, known = await preflight(edge, path), await preflight(edge, path, "https://claude.ai")

    assert foreign.status_code == 400
    assert "access-control-allow-origin" not in foreign.headers
    assert known.headers["access-control-allow-origin"] == "https://claude.ai"


@pytest.mark.security("CB-13")
@pytest.mark.parametrize("path", PAGES)
async def test_a_page_has_no_cors_header_even_for_an_allowed_origin(edge: Edge, path: str) -> None:
    preflight = await edge.client.options(path, headers={"origin": ALLOWED, **PREFLIGHT})

    for answer in (await edge.client.get(path, headers={"origin": ALLOWED}), preflight):
        assert not [name for name in answer.headers if name.startswith("access-control")]


@pytest.mark.parametrize(
    ("site", "own", "named", "foreign"),
    [
        ("http://localhost", "http://127.0.0.1:80", ["localhost", "127.0.0.1", "localhost:80"], "localhost:8000"),
        ("https://minds.example.com", "http://10.0.0.5:8000", ["10.0.0.5:8000", "minds.example.com"], "10.0.0.6:8000"),
    ],
)
def test_the_site_and_the_address_that_it_listens_on_name_this_server(
    site: str, own: str, named: list[str], foreign: str
) -> None:
    rules = OriginRules(site, own, ())

    assert set(named) <= rules.hosts
    assert foreign not in rules.hosts
    assert rules.may_call(site)
    assert not rules.may_call("")
