"""What the layers that serve one HTTP request share."""

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass

from starlette.datastructures import MutableHeaders

from mcp_server.caller import Caller
from mcp_server.errors import GatewayError
from mcp_server.limits.headers import RawHeaders
from mcp_server.protocol.envelope import Envelope


@dataclass(slots=True)
class RequestContext:
    """Made by the outermost middleware; filled by the layers below it.

    Attributes:
        id: what `X-Request-ID` says.
        address: the client's address.
        caller: who calls; None until the credential has been checked.
        has_wrong_credential: a credential was shown that is nobody's.
        envelope: the JSON-RPC message of a POST to `/mcp`.
        is_charged: a rate limit has counted the request.
        limit_headers: how its windows stand, for the answer.
        write_cors: writes the CORS headers of the answer.
        refusal: what it was refused with.
        challenge: writes a `WWW-Authenticate` value into a tool's result, where the client reads it there.

    """

    id: str
    address: str | None = None
    caller: Caller | None = None
    has_wrong_credential: bool = False
    envelope: Envelope | None = None
    is_charged: bool = False
    limit_headers: RawHeaders | None = None
    write_cors: Callable[[MutableHeaders], None] | None = None
    refusal: GatewayError | None = None
    challenge: Callable[[GatewayError], str | None] | None = None


current_context: ContextVar[RequestContext] = ContextVar("current_context")
"""Without a value on stdio. The protocol library runs a call in the context of the request that it came with."""
