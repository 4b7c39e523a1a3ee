"""The embedded API as one ASGI application: routing, credentials, scopes, and every refusal as the contract's body."""

import re
from collections.abc import Sequence
from http import HTTPStatus
from urllib.parse import unquote

import structlog
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Mount
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from app.internal_api import errors
from app.internal_api.http.access import DEMO_TOKEN_HEADER
from app.internal_api.http.call import Call, json_response
from app.internal_api.http.operation import PREFIX, Operation, Router, describing
from app.internal_api.principals import Principal, current_check
from app.internal_api.services import Services
from app.internal_api.store.rows import UNREACHABLE

log = structlog.get_logger()

STRANGE = re.compile(r"[\x00-\x1f\x7f\\]|%2f|%5c|/\.\.?(/|$)", re.IGNORECASE)
"""What tries to leave its path segment, however it is spelled."""


def mounted(api: ASGIApp) -> Mount:
    """The API, or what stands before it, under its prefix."""
    mount = Mount(PREFIX, app=api, name="internal_api")
    # So that a line end in a path is refused by this API, in its own words, and not missed by the pattern.
    mount.path_regex = re.compile(mount.path_regex.pattern, re.DOTALL)
    return mount


class Api:
    """Finds the operation, checks who asks, lets its handler answer.

    A handler's faults become an answer here. One that comes up after an answer has begun can only break it off.
    """

    def __init__(self, services: Services, operations: Sequence[Operation]) -> None:
        self._services, self._paths = services, Router([*operations, describing(operations)]).paths

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
            if isinstance(error, UNREACHABLE):  # a line for each call of an outage, and no traceback
                log.warning("internal_api.database_unavailable", path=scope["path"], error=type(error).__name__)
            # What the persona engine could not answer was logged where that was known.
            elif response.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR and not isinstance(
                error, errors.AnswerUnavailable
            ):
                log.exception("internal_api.failed", path=scope["path"])
        await response(scope, receive, send)

    async def _respond(self, request: Request) -> Response:
        """What is public needs nobody, and two reads only a demo token. Raises ApiError."""
        path, headers, principals = request.scope["path"], request.headers, self._services.principals
        as_sent = (request.scope.get("raw_path") or path.encode()).split(b"?", 1)[0].decode("latin-1")
        if STRANGE.search(as_sent) or STRANGE.search(unquote(as_sent)):
            raise errors.BadRequest("The path holds characters that are not allowed")
        matches = ((pattern.match(path), by_method) for pattern, by_method in self._paths)
        match, by_method = next((found for found in matches if found[0]), (None, {}))
        operation = by_method.get(request.method)
        if match is None or operation is None:
            raise errors.MethodNotAllowed(", ".join(sorted(by_method))) if by_method else errors.NotFound
        shows_token = "authorization" not in headers and headers.get(DEMO_TOKEN_HEADER)
        if operation.public or (operation.for_visitors and shows_token):
            principal: Principal | None = principals.visitor()
        elif (checked := current_check.get()) is not None:
            principal = checked.principal
        else:
            kind, _, bearer = headers.get("authorization", "").partition(" ")
            is_bearer = kind.lower() == "bearer" and bearer.strip()
            principal = await principals.find(bearer.strip()) if is_bearer else None
        if principal is None:
            raise errors.Unauthorized
        if operation.scope is not None and operation.scope not in principal.scopes:
            data = {"code": "INSUFFICIENT_SCOPE", "required": [operation.scope]}
            raise errors.Forbidden(f"This credential lacks the scope {operation.scope}", data)
        return await operation.handler(Call(request, principal, self._services, match.groupdict()))


def refused(error: Exception, url: str) -> Response:
    """The contract's flat error body; of a fault nothing but its status."""
    if isinstance(error, UNREACHABLE):
        error = errors.Unavailable()
    elif isinstance(error, HTTPException):  # a limit further out
        error = errors.TooLarge() if error.status_code == errors.TooLarge.status else errors.BadRequest()
    shown = error if isinstance(error, errors.ApiError) else errors.ApiError()
    return json_response(errors.error_body(shown.status, shown.message, url, shown.data), shown.status, shown.headers)
