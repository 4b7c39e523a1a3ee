"""The edge of the embedded API: refusals leave it as the contract's flat error body, faults as a bare 500."""

import re
from http import HTTPStatus
from typing import Any
from urllib.parse import unquote

import structlog
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.internal_api.dialect import spoken, to_wire
from app.internal_api.errors import AnswerUnavailable, ApiError, BadRequest, Unavailable, error_body
from app.internal_api.routes.call import json_response

log = structlog.get_logger()

WORDS = {404: "Not Found", 405: "Method Not Allowed", 413: "Content Too Large"}
STRANGE = re.compile(r"[\x00-\x1f\x7f\\]|%2f|%5c|/\.\.?(/|$)", re.IGNORECASE)


class Boundary:
    """Wraps the routes; what has begun to be answered can only be broken off."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = False

        async def watched(message: Message) -> None:
            nonlocal begun
            begun = begun or message["type"] == "http.response.start"
            await send(message)

        try:
            refuse_strange_paths(scope)
            await self._app(scope, receive, watched)
        except ClientDisconnect:
            raise  # the sender's doing and nobody's fault; whoever cut the body off says what it means
        except Exception as error:
            # The boundary of the API: nothing internal is shown, whatever happened.
            if begun:
                raise
            response = json_response(*_rendered(error, scope["path"]))
            await response(scope, receive, send)


def refuse_strange_paths(scope: Scope) -> None:
    """Refuse what tries to leave its path segment, however it is spelled. Raises BadRequest."""
    raw = scope.get("raw_path") or scope["path"].encode()
    as_sent = raw.split(b"?", 1)[0].decode("latin-1")
    if STRANGE.search(as_sent) or STRANGE.search(unquote(as_sent)):
        raise BadRequest("The path holds characters that are not allowed")


def _rendered(error: Exception, url: str) -> tuple[Any, int, dict[str, str]]:
    status, message, data, headers = _told(error)
    # What the persona engine could not answer was logged where that was known.
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR and not isinstance(error, AnswerUnavailable):
        log.error("internal_api.failed", path=url, exc_info=error)
    body = error_body(status, message, url, to_wire(spoken(url), data))
    return body, status, headers


def _told(error: Exception) -> tuple[int, str, Any, dict[str, str]]:
    match error:
        case ApiError():
            return error.status, error.message, error.data, dict(error.headers)
        case HTTPException():
            words = WORDS.get(error.status_code, "Bad Request")
            return error.status_code, words, None, dict(error.headers or {})
        case OperationalError() | InterfaceError() | PoolTimeout():
            return _told(Unavailable())
        case _:
            return 500, "Internal Server Error", None, {}
