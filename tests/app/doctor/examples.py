"""Answers of a healthy gateway, for checks that are shown one thing changed."""

import json
from dataclasses import replace
from typing import Any

import httpx2

from app.doctor.examination import judge
from app.doctor.exchanges import Exchange, Fault
from app.doctor.findings import Finding
from app.doctor.observations import Called, Discovery, Endpoint, Observed, Played, View
from app.doctor.profiles import NAMES, PROFILES, Profile

URL = "https://gateway.example/mcp"
ISSUER = "https://gateway.example"
PLACES = "https://gateway.example/.well-known"
CHALLENGE = f'Bearer resource_metadata="{PLACES}/oauth-protected-resource/mcp", scope="read"'

RESOURCE: dict[str, Any] = {"resource": URL, "authorization_servers": [ISSUER], "scopes_supported": ["read"]}
SERVER: dict[str, Any] = {
    "issuer": ISSUER,
    "authorization_endpoint": f"{ISSUER}/authorize",
    "token_endpoint": f"{ISSUER}/token",
    "registration_endpoint": f"{ISSUER}/register",
    "revocation_endpoint": f"{ISSUER}/revoke",
    "code_challenge_methods_supported": ["S256"],
    "token_endpoint_auth_methods_supported": ["none"],
    "client_id_metadata_document_supported": True,
    "authorization_response_iss_parameter_supported": True,
}


def profile(name: str) -> Profile:
    return PROFILES[NAMES.index(name)]


def answer(
    status: int | None = 200,
    content: Any = None,
    *,
    url: str = URL,
    method: str = "GET",
    fault: Fault | None = None,
    **headers: str,
) -> Exchange:
    """`content` is the JSON body; `_` in a header's name stands for `-`."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    body = b"" if content is None else json.dumps(content).encode()
    if content is not None:
        named.setdefault("content-type", "application/json")
    return Exchange(method, url, status, httpx2.Headers(named, encoding="utf-8"), body, fault)


def result(content: dict[str, Any] | None = None) -> Exchange:
    """A JSON-RPC result."""
    return answer(200, {"jsonrpc": "2.0", "id": 1, "result": content or {}})


def refusal(challenge: str = CHALLENGE) -> Exchange:
    """401 with that challenge."""
    return answer(401, www_authenticate=challenge) if challenge else answer(401)


def endpoint(**changed: Exchange) -> Endpoint:
    return replace(Endpoint(answer(405), refusal(), refusal(), refusal()), **changed)


def discovery(resource: dict[str, Any] | None = None, server: dict[str, Any] | None = None) -> Discovery:
    """Both documents with members changed."""
    document = answer(200, RESOURCE | (resource or {}), url=f"{PLACES}/oauth-protected-resource/mcp")
    issued = answer(200, SERVER | (server or {}), url=f"{PLACES}/oauth-authorization-server")
    return Discovery(URL, dict.fromkeys(("challenge", "path", "root"), document), ISSUER, (issued,))


def healthy(**changed: Any) -> Observed:
    """What a faultless gateway shows before a sign-in."""
    return replace(Observed(URL, endpoint(), discovery()), **changed)


def played(name: str, **changed: Any) -> dict[str, Played]:
    """This client's own part: registered unless changed."""
    return {name: replace(Played(), **changed)}


def called(era: str, **changed: Any) -> Called:
    tools = result({"tools": [{"name": "count"}]})
    return replace(Called(era, result(), tools, "count", result({"content": []})), **changed)


def found(name: str, observed: Observed, step: str) -> list[Finding]:
    """What the client of this name meets at a step."""
    return [finding for finding in judge(View(profile(name), observed)).findings if finding.step == step]


def seen(name: str, observed: Observed, step: str) -> str:
    """The status of a step, or of its first finding; empty where the step does not apply."""
    return next((finding.status.value for finding in found(name, observed, step)), "")
