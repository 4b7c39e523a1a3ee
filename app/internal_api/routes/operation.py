"""An operation: what one method of one path asks and answers. Routes and OpenAPI are made from it."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from app.internal_api.dialect import spoken
from app.internal_api.errors import InsufficientScope, Unauthorized
from app.internal_api.principals import Principal, Principals, current_check
from app.internal_api.routes.access import DEMO_TOKEN_HEADER
from app.internal_api.routes.call import Call, Services

Handler = Callable[[Call], Awaitable[Response]]

READ = "sparks:read"
WRITE = "sparks:write"
CHAT = "sparks:chat"
FLOWS_READ = "flows:read"
FLOWS_WRITE = "flows:write"

JSON = "application/json"
KNOWN = (400, 401, 403, 404, 500, 503)  # what any operation on one object may refuse with
PAGE = {
    "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 100},
    "offset": {"type": "integer", "minimum": 0, "default": 0},
}


@dataclass(frozen=True, slots=True)
class Operation:
    """`path` is written in today's words; `scope` None means that any credential will do."""

    method: str
    path: str
    id: str
    summary: str
    handler: Handler
    scope: str | None
    answers: Mapping[int, type[BaseModel] | None]
    refusals: Sequence[int]
    bodies: Mapping[str, Sequence[type[BaseModel]]] = field(default_factory=dict)
    query: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    for_visitors: bool = False  # a demo token alone will do
    signed: bool = False  # the address itself is the right to it, which the handler checks


class Endpoint:
    """All operations of one path, as an ASGI application."""

    def __init__(self, services: Services, by_method: Mapping[str, Operation]) -> None:
        self._services = services
        self._operations = by_method

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        operation = self._operations.get(scope["method"])
        if operation is None:
            raise HTTPException(405, headers={"Allow": ", ".join(sorted(self._operations))})
        request = Request(scope, receive)
        principal = await self._principal(operation, request)
        if operation.scope is not None and operation.scope not in principal.scopes:
            raise InsufficientScope(operation.scope)
        call = Call(request, principal, self._services, spoken(request.url.path))
        response = await operation.handler(call)
        await response(scope, receive, send)

    async def _principal(self, operation: Operation, request: Request) -> Principal:
        if operation.signed:
            return self._services.principals.visitor()
        return await authenticate(request, self._services, visitors=operation.for_visitors)


async def authenticate(request: Request, services: Services, *, visitors: bool = False) -> Principal:
    """Who asks; with `visitors`, a demo token without any credential is enough to be one.

    Raises:
        Unauthorized: the same for every reason.

    """
    if visitors and "authorization" not in request.headers and request.headers.get(DEMO_TOKEN_HEADER):
        return services.principals.visitor()
    checked = current_check.get()
    principal = checked.principal if checked is not None else await _find(request, services.principals)
    if principal is None:
        raise Unauthorized
    return principal


async def _find(request: Request, principals: Principals) -> Principal | None:
    kind, _, bearer = request.headers.get("authorization", "").partition(" ")
    is_bearer = kind.lower() == "bearer" and bearer.strip()
    return await principals.find(bearer.strip()) if is_bearer else None
