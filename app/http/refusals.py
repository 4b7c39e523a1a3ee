"""The only place where a refusal becomes an HTTP response: status, challenge, JSON-RPC body."""

import asyncio
import re
from collections.abc import Collection, Sequence
from typing import Any

import orjson
import structlog
from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse, Response
from starlette.types import Scope

from app.internal_api.errors import error_body
from mcp_server.errors import AuthenticationRequired, GatewayError, PermissionDenied
from mcp_server.protocol.envelope import Envelope
from oauth.endpoints.http import answer
from oauth.endpoints.pages import Pages, way_back

API_PATHS, OAUTH_PATHS, MCP_PATH, ARTICLES_PATH = "/api/", "/oauth/", "/mcp", "/api/v1/articles"
TOO_MANY, INTERNAL, UNAVAILABLE, RETRY_AFTER = 429, 500, 503, 1
NOT_HERE = "This request did not come from a page of this site, so nothing was done. Open the page here and try again."
LEGACY = "2025-03-26"
UNREAD = frozenset({408, 413})
"""Refusals of a body that is still coming: nobody will read the rest (RFC 9110 sections 15.5.9 and 15.5.14)."""

PAGE = re.compile(
    r"/(?:account|connect|docs|login|consent|oauth/(?:authorize|callback|consent|device|login|logout))(?:/|\Z)"
)
"""The beginning of the path of what a person's browser visits."""

log = structlog.get_logger(__name__)


class RequestTimeout(GatewayError):
    code, http_status, name, title = -32600, 408, "REQUEST_TIMEOUT", "The body did not arrive in time"


class UnsupportedMediaType(GatewayError):
    code, http_status, name, title = -32600, 415, "UNSUPPORTED_MEDIA_TYPE", "Send application/json, not encoded"


class ForbiddenOrigin(GatewayError):
    code, http_status, name = -32600, 403, "FORBIDDEN_ORIGIN"
    title = "This origin may not call; add it to ALLOWED_ORIGINS if it should"


class ShuttingDown(GatewayError):
    code, http_status, name = -32006, 503, "SERVICE_UNAVAILABLE"
    title = "The server was restarted before this request was done; it may or may not have happened"


class MisdirectedRequest(GatewayError):
    code, http_status, name = -32600, 421, "MISDIRECTED_REQUEST"
    title = "The Host header does not name this server; SITE_URL says which name it has"


class Refusals:
    """Renders what the edge raises, with its `WWW-Authenticate` (RFC 6750 section 3, RFC 9728 section 5.1).

    `resource_metadata` is the URL of the protected resource metadata document. A 401 names its `scopes`, so that people
    are asked once, and not for each tool anew; a 403 those of the call. `result_agents` are product names of the
    User-Agent (RFC 9110 section 10.1.5) whose clients open their sign-in on a tool's result that carries the challenge,
    and not on an HTTP status; ChatGPT's is `openai-mcp`. `pages` shows refusals to people.
    """

    def __init__(
        self, resource_metadata: str, pages: Pages, scopes: Collection[str] = (), result_agents: Sequence[str] = ()
    ) -> None:
        self.resource_metadata, self.pages, self.scopes = resource_metadata, pages, sorted(scopes)
        self.result_agents = frozenset(result_agents)

    def challenge(self, error: GatewayError) -> str | None:
        """The challenge of a 401 or 403; no other refusal has one.

        Without any credential there is no `error` member: nothing was wrong with what was not sent.
        """
        parts: list[str] = []
        scopes: Sequence[str] = self.scopes
        if isinstance(error, AuthenticationRequired):
            if error.invalid_token:
                parts += ['error="invalid_token"', f'error_description="{error.message}"']
        elif isinstance(error, PermissionDenied) and error.scopes:
            scopes = error.scopes
            parts += ['error="insufficient_scope"', f'error_description="{error.message}"']
        else:
            return None
        parts.append(f'resource_metadata="{self.resource_metadata}"')
        if scopes:
            parts.append(f'scope="{" ".join(scopes)}"')
        return f"Bearer {', '.join(parts)}"

    def headers(self, error: GatewayError) -> dict[str, str]:
        """All headers that `error` adds to its response."""
        headers = {}
        if (challenge := self.challenge(error)) is not None:
            headers["www-authenticate"] = challenge
            headers["cache-control"] = "no-store"
        if (seconds := error.data.get("retryAfter")) is not None:
            headers["retry-after"] = str(seconds)
        elif error.http_status == UNAVAILABLE:
            headers["retry-after"] = str(RETRY_AFTER)
        if (methods := error.data.get("allow")) is not None:
            headers["allow"] = methods
        if error.http_status in UNREAD:
            headers["connection"] = "close"
        return headers

    def response(self, error: GatewayError, scope: Scope, envelope: Envelope | None) -> Response:
        """`error` as a JSON-RPC error response, in the era of the request and with its id where one could be read.

        Under the embedded API's paths it has that API's own flat body, which its clients read, and under those of the
        articles their envelope; where a person looks, it is a page; at the OAuth endpoints it has the body of RFC 6749
        section 5.2; anywhere else it is a sentence.
        """
        headers, path = self.headers(error), scope["path"]
        if PAGE.match(path):
            text = NOT_HERE if isinstance(error, ForbiddenOrigin) else f"{error.message}."
            title = "Something went wrong" if error.http_status >= INTERNAL else "Not accepted"
            back = way_back(HTTPConnection(scope), error.http_status)
            page = self.pages.problem(title, text, error.http_status, back=back)
            page.headers.update(headers)
            return page
        if path == ARTICLES_PATH or path.startswith(f"{ARTICLES_PATH}/"):
            return Response(orjson.dumps(enveloped(error)), error.http_status, headers, media_type="application/json")
        if path.startswith(API_PATHS):
            flat = error_body(error.http_status, error.message, path, error.data)
            return Response(orjson.dumps(flat), error.http_status, headers, media_type="application/json")
        if path.startswith(OAUTH_PATHS):
            words = answer({"error": _oauth_word(error), "error_description": error.message}, error.http_status)
            words.headers.update(headers)
            return words
        if path.rstrip("/") != MCP_PATH:
            return PlainTextResponse(f"{error.message}.\n", error.http_status, headers)
        version = Headers(scope=scope).get("mcp-protocol-version", LEGACY)
        body = {
            "jsonrpc": "2.0",
            "id": envelope.id if envelope is not None else error.request_id,
            "error": {"code": error.code_for(version), "message": error.message, "data": error.data},
        }
        return Response(orjson.dumps(body), error.http_status, headers, media_type="application/json")


def enveloped(error: GatewayError) -> dict[str, Any]:
    """The body of a refusal at the articles: `{data, meta, errors}`."""
    words = {"code": error.name, "message": error.sentence or error.message}
    details = {name: value for name, value in error.data.items() if name != "code"}
    return {"data": None, "meta": {}, "errors": {**words, "details": details}}


def refusal_of(fault: BaseException, request_id: str) -> GatewayError:
    """What is answered when `fault` was raised. Only the server cancels: what still runs at its end."""
    if isinstance(fault, GatewayError):
        return fault
    if isinstance(fault, asyncio.CancelledError):
        return ShuttingDown()
    # A bug: the log has the trace, under the request's id; the answer shows that id and nothing else of it.
    log.error("request_crashed", exc_info=fault)
    return GatewayError(requestId=request_id)


def _oauth_word(error: GatewayError) -> str:
    """The word of RFC 6749 sections 4.1.2.1 and 5.2 that a client can act on."""
    if error.http_status in {TOO_MANY, UNAVAILABLE}:
        return "temporarily_unavailable"
    return "server_error" if error.http_status >= INTERNAL else "invalid_request"
