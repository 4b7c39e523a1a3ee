"""`/mcp` by method, path and header: health for operators, the protocol on POST, and no way around either."""

import pytest

from tests.edge import BOTH_TYPES, ERAS, Edge, request


@pytest.mark.parametrize("accept", ["*/*", "application/json", "text/html,application/xhtml+xml", ""])
async def test_get_is_health_for_operators(edge: Edge, accept: str) -> None:
    response = await edge.client.get("/mcp", headers={"accept": accept})

    assert response.status_code == 200
    assert response.json()["status"] == "ok"
    assert response.headers["cache-control"] == "no-store"


@pytest.mark.security("RS-19", "RS-22", "RS-23")
@pytest.mark.parametrize("accept", ["text/event-stream", BOTH_TYPES, "Text/Event-Stream;q=1"])
async def test_get_for_a_stream_is_not_allowed_whoever_asks_and_whatever_they_saw_last(edge: Edge, accept: str) -> None:
    resuming = {"accept": accept, "last-event-id": "1", "mcp-session-id": "x", "authorization": f"Bearer {edge.key}"}

    anonymous = await edge.client.get("/mcp", headers={"accept": accept})
    known = await edge.client.get("/mcp", headers=resuming)

    assert (anonymous.status_code, known.status_code) == (405, 405)
    assert "POST" in known.headers["allow"]


@pytest.mark.security("RS-19", "JR-23")
@pytest.mark.parametrize("method", ["DELETE", "PUT", "PATCH", "TRACE", "OPTIONS", "PROPFIND"])
async def test_no_other_method_is_allowed(edge: Edge, method: str) -> None:
    response = await edge.client.request(method, "/mcp", headers={"mcp-session-id": "x"})

    assert response.status_code == 405
    assert response.headers["allow"] == "GET, POST, OPTIONS"
    assert response.content == b""


@pytest.mark.security("RS-19")
async def test_head_is_health_without_its_body(edge: Edge) -> None:
    response = await edge.client.head("/mcp")

    assert response.status_code == 200


@pytest.mark.security("RS-25")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    "path",
    [
        "/mcp/",
        "//mcp",
        "/MCP",
        "/mcp;a=b",
        "/mcp%2f",
        "/%2fmcp",
        "/x/%2e%2e/mcp",
        "/..;/mcp",
        "/mcp.json",
        "/mcp%2ejson",
        "/mcp\\",
        "/mcp%5c",
        "/mcp%3f",
        "/mcp%23",
        "/mcp%09",
        "/mcp%c0%af",
    ],
)
async def test_a_path_that_only_looks_like_ours_is_never_answered_nor_redirected(
    edge: Edge, path: str, era: str
) -> None:
    headers, body = request("tools/list", era=era)
    url = edge.client.base_url.copy_with(raw_path=path.encode())

    response = await edge.client.post(url, headers=headers, json=body)

    assert response.status_code in {400, 404, 405}
    assert "location" not in response.headers


@pytest.mark.security("RS-28", "JR-23")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("session", ["x", "0" * 32, "../../etc"])
async def test_a_session_id_opens_nothing_and_none_is_given_out(edge: Edge, session: str, era: str) -> None:
    private = await edge.call("private", era=era, headers={"mcp-session-id": session})
    public = await edge.rpc("tools/list", era=era, headers={"mcp-session-id": session})

    assert (private.status_code, public.status_code) == (401, 200)
    assert "mcp-session-id" not in public.headers


@pytest.mark.security("HD-08")
@pytest.mark.parametrize(
    "path",
    [
        "/nope",
        "/<script>alert(1)</script>",
        "/%ff",
        "/" + "a" * 4_000,
        "/.env",
        "/.git/config",
        "/docs",
        "/openapi.json",
        "/redoc",
        "/debug",
        "/admin",
        "/actuator/env",
        "/server-status",
        "/.well-known/security.txt",
    ],
)
async def test_what_is_not_there_is_not_found_and_not_echoed(edge: Edge, path: str) -> None:
    response = await edge.client.get(path)

    assert response.status_code == 404
    assert "script" not in response.text
    assert len(response.content) < 200
    assert "server" not in response.headers
    assert "x-powered-by" not in response.headers
