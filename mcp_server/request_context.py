"""What the layers that serve one HTTP request share."""

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from starlette.datastructures import Headers, MutableHeaders

from mcp_server.caller import Caller
from mcp_server.errors import GatewayError
from mcp_server.limits.headers import RawHeaders
from mcp_server.protocol.envelope import Envelope


class RequestHeaders(Headers):
    """Starlette's, with an index: a request is looked at some twenty times, each of which would read all lines."""

    def __init__(self, raw: list[tuple[bytes, bytes]]) -> None:
        super().__init__(raw=raw)
        self._first = dict(reversed(raw))

    def __contains__(self, key: Any) -> bool:
        return key.lower().encode("latin-1") in self._first

    def get(self, key: str, default: Any = None) -> Any:
        value = self._first.get(key.lower().encode("latin-1"))
        return default if value is None else value.decode("latin-1")

    def getlist(self, key: str) -> list[str]:
        value = self.get(key)
        if value is None:
            return []
        return [value] if len(self._first) == len(self._list) else super().getlist(key)

    def __repr__(self) -> str:
        return f"RequestHeaders({sorted(self._first)})"  # a credential may not stand in a trace


class Narrowed(NamedTuple):
    """The toolsets that a request wants to see; `by_header` where its URL does not tell them."""

    toolsets: frozenset[str]
    by_header: bool


@dataclass(slots=True)
class RequestContext:
    """Made by the outermost middleware; filled by the layers below it.

    Attributes:
        id: what `X-Request-ID` says.
        headers: of the request.
        address: the client's address.
        caller: who calls; None until the credential has been checked.
        has_wrong_credential: a credential was shown that is nobody's.
        envelope: the JSON-RPC message of a POST to `/mcp`.
        narrowed: the toolsets that it wants to see; None for all that are served.
        is_charged: a rate limit has counted the request.
        limit_headers: how its windows stand, for the answer.
        write_cors: writes the CORS headers of the answer.
        refusal: what it was refused with.
        challenge: writes a `WWW-Authenticate` value into a tool's result, where the client reads it there.

    """

    id: str
    headers: Headers = field(default_factory=Headers)
    address: str | None = None
    caller: Caller | None = None
    has_wrong_credential: bool = False
    envelope: Envelope | None = None
    narrowed: Narrowed | None = None
    is_charged: bool = False
    limit_headers: RawHeaders | None = None
    write_cors: Callable[[MutableHeaders], None] | None = None
    refusal: GatewayError | None = None
    challenge: Callable[[GatewayError], str | None] | None = None


current_context: ContextVar[RequestContext] = ContextVar("current_context")
"""Without a value on stdio. The protocol library runs a call in the context of the request that it came with."""
