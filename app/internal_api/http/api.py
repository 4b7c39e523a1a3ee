"""The embedded API as one ASGI application: routing, credentials, scopes, and every refusal as the contract's body."""

import re
from collections.abc import Callable, Sequence
from http import HTTPStatus
from urllib.parse import unquote

import structlog
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from app.internal_api.errors import (
    AnswerUnavailable,
    ApiError,
    BadRequest,
    Forbidden,
    Unauthorized,
    Unavailable,
    error_body,
)
from app.internal_api.http.access import DEMO_TOKEN_HEADER
from app.internal_api.http.call import Call, Services, json_response
from app.internal_api.http.openapi import describing
from app.internal_api.http.operation import PREFIX, Operation, Router
from app.internal_api.principals import Principal, current_check

log = structlog.get_logger()

WORDS = {404: "Not Found", 405: "Method Not Allowed", 413: "Content Too Large"}
STRANGE = re.compile(r"[\x00-\x1f\x7f\\]|%2f|%5c|/\.\.?(/|$)", re.IGNORECASE)

Around = Callable[[ASGIApp], ASGIApp]
"""Wraps the whole API, for whoever composes it."""


def unwrapped(app: ASGIApp) -> ASGIApp:
    """The API by itself."""
    return app


def create_routes(services: Services, operations: Sequence[Operation], around: Around = unwrapped) -> list[BaseRoute]:
    """Everything under the prefix, and the document of it, behind what `around` says."""
    api = Api(services, [*operations, describing(operations)])
    mount = Mount(PREFIX, app=around(api), name="internal_api")
    # So that a line end in a path is refused by this API, in its own words, and not missed by the pattern.
    mount.path_regex = re.compile(mount.path_regex.pattern, re.DOTALL)
    return [mount]


class Api:
    """Finds the operation, checks who asks, lets its handler answer.

    A handler's faults become an answer here. One that comes up after an answer has begun can only break it off.
    """

    def __init__(self, services: Services, operations: Sequence[Operation]) -> None:
        self._services, self._router = services, Router(operations)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await WebSocketClose()(scope, receive, send)
            return
        try:
            response = await self._respond(Request(scope, receive))
        except ClientDisconnect:
            raise  # the sender's doing and nobody's fault; whoever cut the body off says what it means
        except Exception as error:
            # The boundary of the API: nothing internal is shown, whatever happened.
            response = refused(error, scope["path"])
            # What the persona engine could not answer was logged where that was known.
            if response.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR and not isinstance(error, AnswerUnavailable):
                log.exception("internal_api.failed", path=scope["path"])
        await response(scope, receive, send)

    async def _respond(self, request: Request) -> Response:
        refuse_strange_paths(request.scope)
        found = self._router.find(request.scope["path"])
        if found is None:
            raise HTTPException(404)
        by_method, path_params = found
        operation = by_method.get(request.method)
        if operation is None:
            allowed = ", ".join(sorted(by_method))
            raise HTTPException(405, headers={"Allow": allowed})
        principal = await self._authenticate(request, operation)
        if operation.scope is not None and operation.scope not in principal.scopes:
            data = {"code": "INSUFFICIENT_SCOPE", "required": [operation.scope]}
            raise Forbidden(f"This credential lacks the scope {operation.scope}", data)
        return await operation.handler(Call(request, principal, self._services, path_params))

    async def _authenticate(self, request: Request, operation: Operation) -> Principal:
        """Who asks: what is public needs nobody, and two reads only a demo token. Raises Unauthorized."""
        principals, headers = self._services.principals, request.headers
        shows_token = "authorization" not in headers and headers.get(DEMO_TOKEN_HEADER)
        if operation.public or (operation.for_visitors and shows_token):
            return principals.visitor()
        if (checked := current_check.get()) is not None:
            principal = checked.principal
        else:
            kind, _, bearer = headers.get("authorization", "").partition(" ")
            is_bearer = kind.lower() == "bearer" and bearer.strip()
            principal = await principals.find(bearer.strip()) if is_bearer else None
        if not isinstance(principal, Principal):
            raise Unauthorized
        return principal


def refuse_strange_paths(scope: Scope) -> None:
    """Refuse what tries to leave its path segment, however it is spelled. Raises BadRequest."""
    raw = scope.get("raw_path") or scope["path"].encode()
    as_sent = raw.split(b"?", 1)[0].decode("latin-1")
    if STRANGE.search(as_sent) or STRANGE.search(unquote(as_sent)):
        raise BadRequest("The path holds characters that are not allowed")


def refused(error: Exception, url: str) -> Response:
    """The contract's flat error body; of a fault nothing but its status."""
    if isinstance(error, OperationalError | InterfaceError | PoolTimeout):
        shown: ApiError | HTTPException = Unavailable()
    else:
        shown = error if isinstance(error, ApiError | HTTPException) else ApiError()
    if isinstance(shown, HTTPException):
        status, message, data = shown.status_code, WORDS.get(shown.status_code, "Bad Request"), None
    else:
        status, message, data = shown.status, shown.message, shown.data
    return json_response(error_body(status, message, url, data), status, shown.headers)
