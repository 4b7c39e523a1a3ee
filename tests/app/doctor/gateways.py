"""Small gateways in one process, each at a path of its own and with one fault, as other people's servers have them.

`python gateways.py PORT`. The fault is the first segment of the path: `http://127.0.0.1:PORT/no-s256/mcp`.
"""

import asyncio
import base64
import html
import secrets
import sys
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlencode, urlsplit

import uvicorn
from authlib.oauth2.rfc7636 import create_s256_code_challenge
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

TOOL = {"name": "count", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}
OFFERED = {
    "response_types_supported": ["code"],
    "grant_types_supported": ["authorization_code", "refresh_token"],
    "code_challenge_methods_supported": ["S256"],
    "token_endpoint_auth_methods_supported": ["none"],
    "client_id_metadata_document_supported": True,
    "authorization_response_iss_parameter_supported": True,
}
DOCUMENTS = {
    "https://chatgpt.com/oauth/client.json": ["https://chatgpt.com/connector_platform_oauth_redirect"],
    "https://claude.ai/oauth/mcp-oauth-client-metadata": ["https://claude.ai/api/mcp/auth_callback"],
    "https://claude.ai/oauth/claude-code-client-metadata": ["http://localhost/callback"],
    "https://chatgpt.com/oauth/codex/client.json": ["http://127.0.0.1/callback"],
}
SET_UP = {"desk": ["http://127.0.0.1/callback"]}
SECRET = "its-secret"


class Gateway:
    """Everything that one process remembers."""

    def __init__(self, origin: str) -> None:
        self.origin = origin
        self.clients: dict[str, list[str]] = DOCUMENTS | SET_UP
        self.requests: dict[str, dict[str, str]] = {}
        self.codes: dict[str, dict[str, str]] = {}
        self.access: dict[str, str] = {}
        self.refresh: dict[str, str] = {}

    def issuer(self, fault: str) -> str:
        return f"{self.origin}/{fault}"

    async def resource(self, request: Request) -> Response:
        fault = request.path_params.get("fault", "healthy")
        if fault in {"open", "no-metadata"}:
            return Response(status_code=404)
        if fault == "slow":
            await asyncio.Event().wait()
        if fault == "foreign-redirect":
            return RedirectResponse("https://elsewhere.example/metadata")
        issuer = "http://169.254.169.254/latest" if fault == "private-server" else self.issuer(fault)
        document = {"resource": f"{self.issuer(fault)}/mcp", "authorization_servers": [issuer]}
        return JSONResponse({**document, "scopes_supported": ["read"]}, headers=cors(fault))

    async def server(self, request: Request) -> Response:
        fault = request.path_params["fault"]
        issuer = self.issuer(fault)
        document = {
            "issuer": issuer,
            "authorization_endpoint": f"{issuer}/authorize",
            "token_endpoint": f"{issuer}/token",
            "registration_endpoint": f"{issuer}/register",
            "revocation_endpoint": f"{issuer}/revoke",
            "jwks_uri": f"{issuer}/jwks",
            **OFFERED,
        }
        if fault == "no-registration":
            del document["registration_endpoint"]
            document["token_endpoint_auth_methods_supported"] = ["client_secret_basic"]
        return JSONResponse(document, headers=cors(fault))

    async def jwks(self, request: Request) -> Response:
        member = {"d": "secret"} if request.path_params["fault"] == "private-keys" else {}
        return JSONResponse({"keys": [{"kty": "EC", "kid": "1", **member}]})

    async def register(self, request: Request) -> Response:
        fault = request.path_params["fault"]
        body = await request.json()
        if fault == "no-loopback" and any(uri.startswith("http:") for uri in body["redirect_uris"]):
            return JSONResponse({"error": "invalid_redirect_uri"}, 400, cors(fault))
        client_id = secrets.token_hex(8)
        self.clients[client_id] = body["redirect_uris"]
        management = {
            "registration_client_uri": f"{self.issuer(fault)}/register/{client_id}",
            "registration_access_token": f"manage-{client_id}",
        }
        return JSONResponse({**body, **management, "client_id": client_id}, 201, cors(fault))

    async def forget(self, request: Request) -> Response:
        client_id = request.path_params["client_id"]
        assert request.headers["authorization"] == f"Bearer manage-{client_id}"
        del self.clients[client_id]
        return Response(status_code=204)

    async def authorize(self, request: Request) -> Response:
        fault, asked = request.path_params["fault"], dict(request.query_params)
        known = self.clients.get(asked.get("client_id", ""))
        if fault == "no-fetch" and asked.get("client_id") in DOCUMENTS:  # whatever else is wrong with the request
            return HTMLResponse("<h1>Try again</h1>", 503)
        if known is None or without_port(asked.get("redirect_uri", "")) not in map(without_port, known):
            return HTMLResponse("<h1>Unknown client</h1>", 400)
        if asked.get("code_challenge_method") != "S256":
            return self.back(fault, asked, error="invalid_request")
        if fault == "no-sign-in":
            return RedirectResponse("consent", 302)
        handle = secrets.token_hex(8)
        self.requests[handle] = asked
        return HTMLResponse(f'<a href="{html.escape(f"{self.issuer(fault)}/approve?handle={handle}")}">Allow</a>')

    async def consent(self, _request: Request) -> Response:
        return RedirectResponse("login", 303)

    async def login(self, _request: Request) -> Response:
        return HTMLResponse("<h1>Nobody can sign in</h1>", 503)

    async def approve(self, request: Request) -> Response:
        fault, asked = request.path_params["fault"], self.requests[request.query_params["handle"]]
        if fault == "denied":
            return self.back(fault, asked, error="access_denied")
        code = secrets.token_hex(8)
        self.codes[code] = asked
        return self.back(fault, asked, code=code)

    def back(self, fault: str, asked: dict[str, str], **answer: str) -> Response:
        answer["iss"] = "https://somebody.else.example" if fault == "mixed-up" else self.issuer(fault)
        return RedirectResponse(f"{asked['redirect_uri']}?{urlencode({**answer, 'state': asked['state']})}", 303)

    async def token(self, request: Request) -> Response:
        fault, form = request.path_params["fault"], dict(await request.form())
        proof = "Basic " + base64.b64encode(f"desk:{SECRET}".encode()).decode()
        if fault == "no-registration" and request.headers.get("authorization") != proof:
            return JSONResponse({"error": "invalid_client"}, 401)
        if form["grant_type"] == "refresh_token":
            fine = self.refresh.pop(str(form["refresh_token"]), None) is not None
        else:
            asked = self.codes.pop(str(form["code"]), {})
            fine = create_s256_code_challenge(str(form["code_verifier"])) == asked.get("code_challenge")
        if not fine:
            return JSONResponse({"error": "invalid_grant"}, 400, cors(fault))
        access, refresh = f"access-{secrets.token_hex(16)}", f"refresh-{secrets.token_hex(16)}"
        self.access[access] = refresh
        self.refresh[refresh] = access
        answer = {"access_token": access, "refresh_token": refresh, "token_type": "Bearer", "expires_in": 3600}
        echo = {"error": access} if fault == "echo" else {}
        return JSONResponse(answer | echo, headers={"cache-control": "no-store", **cors(fault)})

    async def revoke(self, request: Request) -> Response:
        if request.path_params["fault"] != "survivors":
            self.refresh.clear()
            self.access.clear()
        return Response(headers=cors(request.path_params["fault"]))

    async def mcp(self, request: Request) -> Response:
        fault = request.path_params.get("fault", "healthy")
        if fault == "elsewhere":
            return RedirectResponse("https://elsewhere.example/mcp", 307)
        if request.method == "GET":
            return Response(status_code=405)
        if fault == "strict-origin" and "origin" in request.headers:
            return Response(status_code=403)
        token = request.headers.get("authorization", "").removeprefix("Bearer ")
        if fault != "open" and token not in self.access and token != f"key-of-{fault}":
            where = f"{self.origin}/.well-known/oauth-protected-resource/{fault}/mcp"
            challenge = {"www-authenticate": f'Bearer resource_metadata="{where}", scope="read"'}
            return Response(status_code=401, headers=challenge | cors(fault))
        return await talk(request, fault)


async def talk(request: Request, fault: str) -> Response:
    """The protocol, in both eras; the answer to a call comes as an event stream."""
    message = await request.json()
    if "id" not in message:
        return Response(status_code=202)
    if message["method"] == "tools/call" and "mcp-method" not in request.headers:
        assert request.headers["mcp-session-id"] == "s-1"
    results: dict[str, Any] = {
        "initialize": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}},
        "server/discover": {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}},
        "tools/list": {"tools": [TOOL]},
        "tools/call": {"content": [{"type": "text", "text": "1"}]},
    }
    body = {"jsonrpc": "2.0", "id": message["id"], "result": results[message["method"]]}
    if message["method"] != "tools/call":
        return JSONResponse(body, headers=cors(fault) | {"mcp-session-id": "s-1"})
    return StreamingResponse(stream(JSONResponse(body).body), media_type="text/event-stream")


async def stream(body: bytes | memoryview) -> AsyncIterator[bytes]:
    yield b'event: message\ndata: {"jsonrpc":"2.0","method":"notifications/progress","params":{}}\n\n'
    yield b"event: message\ndata: " + bytes(body) + b"\n\n"
    await asyncio.Event().wait()  # some servers never end the stream


def cors(fault: str) -> dict[str, str]:
    if fault == "no-cors":
        return {}
    return {"access-control-allow-origin": "*", "access-control-expose-headers": "WWW-Authenticate, Mcp-Session-Id"}


def without_port(uri: str) -> str:
    """A loopback redirect may differ by its port (RFC 8252 section 7.3)."""
    split = urlsplit(uri)
    return split._replace(netloc=split.hostname).geturl() if split.hostname in {"localhost", "127.0.0.1"} else uri


async def preflight(request: Request) -> Response:
    fault = request.path_params["fault"]
    if fault == "no-cors":
        return Response(status_code=405)
    if fault == "strict-origin":
        return Response(status_code=400)
    allowed = request.headers.get("access-control-request-headers", "")
    return Response(status_code=204, headers={**cors(fault), "access-control-allow-headers": allowed})


async def alive(_request: Request) -> Response:
    return Response()


def application(origin: str) -> Starlette:
    gateway, known = Gateway(origin), "/.well-known"
    return Starlette(
        routes=[
            Route("/livez", alive),
            Route("/{fault}/{rest:path}", preflight, methods=["OPTIONS"]),
            Route(f"{known}/oauth-protected-resource/{{fault}}/mcp", gateway.resource),
            Route(f"{known}/oauth-protected-resource/{{fault}}/mcp", preflight, methods=["OPTIONS"]),
            Route(f"{known}/oauth-authorization-server/{{fault}}", gateway.server),
            Route("/{fault}/jwks", gateway.jwks),
            Route("/{fault}/register", gateway.register, methods=["POST"]),
            Route("/{fault}/register/{client_id}", gateway.forget, methods=["DELETE"]),
            Route("/{fault}/authorize", gateway.authorize),
            Route("/{fault}/consent", gateway.consent),
            Route("/{fault}/login", gateway.login),
            Route("/{fault}/approve", gateway.approve),
            Route("/{fault}/token", gateway.token, methods=["POST"]),
            Route("/{fault}/revoke", gateway.revoke, methods=["POST"]),
            Route("/mcp", gateway.mcp, methods=["GET", "POST"]),
            Route("/{fault}/mcp", gateway.mcp, methods=["GET", "POST"]),
        ]
    )


if __name__ == "__main__":
    port = int(sys.argv[1])
    uvicorn.run(application(f"http://127.0.0.1:{port}"), port=port, log_level="warning", timeout_graceful_shutdown=1)
