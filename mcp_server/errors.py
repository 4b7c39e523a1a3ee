"""Every failure, drawn as a tree, with the two audiences apart.

    GatewayError                     for the host: a JSON-RPC error, code and HTTP status from the seed's table
      ParseError             -32700  400
      InvalidRequest         -32600  400
      AuthenticationRequired -32001  401   the edge adds the challenge
      RateLimitExceeded      -32002  429
      ResourceNotFound       -32003  404
      PermissionDenied       -32004  403   the edge adds the challenge
      Timeout                -32005  504
      ServiceUnavailable     -32006  503
      CircuitBreakerOpen     -32008  503
    ToolFailure                      for the model: a result with `isError`, a stable word and a sentence to act on
      InvalidArguments, NotFound, Ambiguous, NotReady, AlreadyRunning, PlanLimit, Refused

Could a smarter model have avoided it? Then it is a ToolFailure; otherwise a GatewayError. Anything else is a bug:
it is logged with its trace and shows nothing. Text that came from an upstream never travels in either.
"""

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any, ClassVar

MODERN_ERA_BEGINS = "2026-07-28"
"""The first revision that reserves -32020…-32099 and forbids -32002 (specification, error codes)."""


class GatewayError(Exception):
    """Base of the refusals. Subclasses fix code, status and name; instances add the particulars.

    Attributes:
        code: the JSON-RPC code for 2025-era clients.
        http_status: the HTTP status, which is also the code for 2026-era clients.
        name: the stable word in `data.code`, the same in both eras.
        message: a sentence that may be shown to anyone.
        data: further members of the error's `data`.
        sentence: what stands as the error's `data` in place of them, where a toolset's document has it so.
        request_id: of a request that could be read only so far; otherwise the envelope has it.

    """

    code: ClassVar[int] = -32603
    http_status: ClassVar[int] = 500
    name: ClassVar[str] = "INTERNAL_ERROR"
    title: ClassVar[str] = "Internal error"
    sentence: str = ""

    def __init__(self, message: str | None = None, **data: Any) -> None:
        self.message = message or self.title
        self.data: dict[str, Any] = {"code": self.name, **data}
        self.request_id: str | int | None = None
        super().__init__(self.message)

    def code_for(self, protocol_version: str) -> int:
        """The code on the wire: the seed's own, or the HTTP status where the revision reserves that range."""
        if protocol_version >= MODERN_ERA_BEGINS and -32099 <= self.code <= -32000:  # noqa: PLR2004  the spec's own range
            return self.http_status
        return self.code


class ParseError(GatewayError):
    code, http_status, name, title = -32700, 400, "PARSE_ERROR", "The body is not valid JSON"


class InvalidRequest(GatewayError):
    code, http_status, name, title = -32600, 400, "INVALID_REQUEST", "The body is not one JSON-RPC request"

    def __init__(self, message: str | None = None, *, request_id: str | int | None = None) -> None:
        super().__init__(message)
        self.request_id = request_id


class AuthenticationRequired(GatewayError):
    """`on_stdio` is what to do about it where there is no page to sign in at."""

    code, http_status, name = -32001, 401, "AUTHENTICATION_REQUIRED"
    title = "Sign in, or send an API key as a bearer token"
    on_stdio: ClassVar[str] = "set MINDSAI_API_KEY to a key made with `keys create`"

    def __init__(self, message: str | None = None, *, invalid_token: bool = False) -> None:
        super().__init__(message)
        self.invalid_token = invalid_token


class RateLimitExceeded(GatewayError):
    code, http_status, name = -32002, 429, "RATE_LIMIT_EXCEEDED"
    title = "Too many requests; wait {} s and try again"

    def __init__(self, retry_after: float, **data: Any) -> None:
        self.retry_after = max(1, ceil(retry_after))
        super().__init__(self.title.format(self.retry_after), retryAfter=self.retry_after, **data)


class ResourceNotFound(GatewayError):
    code, http_status, name, title = -32003, 404, "RESOURCE_NOT_FOUND", "There is no such resource"


class PermissionDenied(GatewayError):
    code, http_status, name = -32004, 403, "PERMISSION_DENIED"
    title = "The credential does not have the scopes that this call needs"

    def __init__(self, message: str | None = None, *, scopes: Sequence[str] = ()) -> None:
        super().__init__(message, **({"requiredScopes": list(scopes)} if scopes else {}))
        self.scopes = tuple(scopes)


class Timeout(GatewayError):
    code, http_status, name, title = -32005, 504, "TIMEOUT", "The call took longer than it may; try again"


class ServiceUnavailable(GatewayError):
    code, http_status, name = -32006, 503, "SERVICE_UNAVAILABLE"
    title = "The internal API cannot be reached; try again"

    def __init__(self, message: str | None = None, *, retry_after: float | None = None) -> None:
        super().__init__(message, **({} if retry_after is None else {"retryAfter": max(1, ceil(retry_after))}))


class CircuitBreakerOpen(GatewayError):
    code, http_status, name = -32008, 503, "CIRCUIT_BREAKER_OPEN"
    title = "The internal API keeps failing and is left alone for a moment"

    def __init__(self, retry_after: float, message: str | None = None) -> None:
        self.retry_after = max(1, ceil(retry_after))
        super().__init__(message, retryAfter=self.retry_after)


class ToolFailure(Exception):
    """What the model can put right. `code` is a stable word; the message says what to do next."""

    code: ClassVar[str] = "failed"

    def __init__(self, message: str, **details: Any) -> None:
        self.message = message
        self.details: Mapping[str, Any] = details
        super().__init__(message)


class InvalidArguments(ToolFailure):
    code = "invalid_arguments"


class NotFound(ToolFailure):
    code = "not_found"

    def __init__(self, kind: str, name: str, *, closest: Sequence[str] = (), listed_by: str | None = None) -> None:
        hint = f" Call {listed_by} to see what there is." if listed_by else ""
        hint = f" Did you mean {_either(closest)}?" if closest else hint
        super().__init__(f'no {kind} named "{name}".{hint}', suggestions=list(closest))


class Ambiguous(ToolFailure):
    code = "ambiguous"

    def __init__(self, kind: str, name: str, candidates: Sequence[str]) -> None:
        super().__init__(
            f'"{name}" fits more than one {kind}: {_either(candidates)}. Say which one, by its full name or its id.',
            suggestions=list(candidates),
        )


class NotReady(ToolFailure):
    code = "not_ready"


class AlreadyRunning(ToolFailure):
    code = "already_running"


class PlanLimit(ToolFailure):
    code = "plan_limit"


class Refused(ToolFailure):
    """The internal API refused the content of the request.

    `reason` is its stable word for why, and `field` the part of the request that it is about, such as `links.0`, if it
    has one.
    """

    code = "refused"

    def __init__(self, message: str, *, reason: str | None = None, field: str | None = None, **details: Any) -> None:
        super().__init__(message, **details)
        self.reason, self.field = reason, field


def _either(names: Sequence[str]) -> str:
    quoted = [f'"{name}"' for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} or {quoted[-1]}"
