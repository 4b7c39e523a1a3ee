"""What every answer carries, whatever made it."""

from pathlib import Path

import httpx2
import pytest
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from app.http.headers import SecurityHeadersMiddleware
from tests.edge import ERAS, Edge, running, settings_for


@pytest.mark.security("HD-01", "HD-03", "HD-04")
@pytest.mark.parametrize("era", ERAS)
async def test_every_answer_is_told_how_to_be_read(edge: Edge, era: str) -> None:
    answers = [
        await edge.client.get("/mcp"),
        await edge.client.get("/nope"),
        await edge.client.delete("/mcp"),
        await edge.client.get("/.well-known/oauth-protected-resource"),
        await edge.client.options(
            "/mcp", headers={"origin": "https://x.example", "access-control-request-method": "POST"}
        ),
        await edge.client.get("/mcp", headers={"host": "evil.example"}),
        await edge.rpc("tools/list", era=era),
        await edge.call("private", era=era),
        await edge.call("crash", era=era),
        await edge.call("count", era=era, token="t"),
        await edge.post(b"{", mcp_protocol_version=era),
    ]

    for answer in answers:
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["x-frame-options"] == "DENY"
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert not {"server", "x-powered-by", "strict-transport-security"} & set(answer.headers)


async def test_behind_tls_the_browser_is_told_to_stay_there(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path, site_url="https://mcp.example.com")) as edge:
        response = await edge.client.get("/nope")

    assert "max-age=" in response.headers["strict-transport-security"]


async def test_a_page_with_a_policy_of_its_own_keeps_it() -> None:
    async def page(scope: Scope, receive: Receive, send: Send) -> None:
        await Response("page", headers={"content-security-policy": "default-src 'self'"})(scope, receive, send)

    transport = httpx2.ASGITransport(SecurityHeadersMiddleware(page, https=False))
    async with httpx2.AsyncClient(transport=transport, base_url="http://a") as client:
        response = await client.get("/")

    assert response.headers["content-security-policy"] == "default-src 'self'"
