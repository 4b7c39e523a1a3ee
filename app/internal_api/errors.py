"""Every refusal of the embedded API, drawn as a tree; `data` and `message` are for the caller's eyes."""

from collections.abc import Mapping
from http import HTTPStatus
from types import MappingProxyType
from typing import Any, ClassVar


class ApiError(Exception):
    """A refusal with its HTTP status. `message` may be shown; nothing internal belongs in it."""

    status: ClassVar[int] = 500
    default: ClassVar[str] = ""  # else the phrase of the status
    headers: Mapping[str, str] = MappingProxyType({})

    def __init__(self, message: str | None = None, data: Mapping[str, Any] | None = None) -> None:
        self.message = message or self.default or HTTPStatus(self.status).phrase
        super().__init__(self.message)
        self.data = data


class BadRequest(ApiError):
    status = 400


class Unauthorized(ApiError):
    """Missing, wrong and revoked credentials look the same from outside."""

    status = 401
    headers = MappingProxyType({"WWW-Authenticate": "Bearer"})


class Forbidden(ApiError):
    status = 403


class PlanLimit(Forbidden):
    def __init__(self, message: str, *, limit_type: str, plan: str, limit: int, current: int) -> None:
        data = {"limitType": limit_type, "currentPlan": plan, "limit": limit, "current": current}
        super().__init__(message, {"code": "PLAN_LIMIT", **data})


class NotFound(ApiError):
    status = 404


class Unreachable(NotFound):
    """A mind, an audience or a study that is not there, or belongs to somebody else: both look the same."""

    def __init__(self, kind: str) -> None:
        super().__init__(f"{kind} not found or access denied")


class MethodNotAllowed(ApiError):
    status = 405

    def __init__(self, allowed: str) -> None:
        super().__init__()
        self.headers = {"Allow": allowed}


class Conflict(ApiError):
    status = 409


class TooLarge(ApiError):
    status = 413
    default = "Content Too Large"


class UnsupportedMediaType(ApiError):
    status = 415


class Unprocessable(ApiError):
    status = 422


class Unavailable(ApiError):
    """The database gave no answer, which is never the same as knowing nothing."""

    status = 503
    headers = MappingProxyType({"Retry-After": "1"})

    def __init__(self) -> None:
        super().__init__("The database does not answer; try again in a moment", {"code": "STORE_UNAVAILABLE"})


class AnswerUnavailable(ApiError):
    """The persona engine gave no answer; nothing was stored, so the same call may be made again."""

    status = 503
    default = "The persona could not answer just now"

    def __init__(self, fault: Any) -> None:
        """`fault` is what the engine raised."""
        data = {"retryable": fault.retryable, "reason": fault.code, "llmHost": fault.host}
        super().__init__(data={"errorType": "ai_generation_error", **data})
        self.headers = {} if fault.retry_after is None else {"Retry-After": str(fault.retry_after)}


def error_body(status: int, message: str, url: str, data: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The flat error body of the contract; clients branch on `statusCode` and `data.code`."""
    body = {"statusCode": status, "statusMessage": message, "message": message, "url": url, "error": True}
    return body if data is None else {**body, "data": dict(data)}
