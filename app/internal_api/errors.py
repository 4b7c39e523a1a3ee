"""Every refusal of the embedded API, drawn as a tree; `data` and `message` are for the caller's eyes."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar


class ApiError(Exception):
    """A refusal with its HTTP status. `message` may be shown; nothing internal belongs in it."""

    status: ClassVar[int] = 500
    default: ClassVar[str] = "Internal Server Error"
    headers: Mapping[str, str] = MappingProxyType({})

    def __init__(self, message: str | None = None, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(message or self.default)
        self.message = message or self.default
        self.data = data


class BadRequest(ApiError):
    status = 400
    default = "Bad Request"


class Unauthorized(ApiError):
    """Missing, wrong and revoked credentials look the same from outside."""

    status = 401
    default = "Unauthorized"
    headers = MappingProxyType({"WWW-Authenticate": "Bearer"})


class Forbidden(ApiError):
    status = 403
    default = "Access denied"


class PlanLimit(Forbidden):
    def __init__(self, message: str, *, limit_type: str, plan: str, limit: int, current: int) -> None:
        data = {"limitType": limit_type, "currentPlan": plan, "limit": limit, "current": current}
        super().__init__(message, {"code": "PLAN_LIMIT", **data})


class NotFound(ApiError):
    status = 404
    default = "Not Found"


class MindNotFound(NotFound):
    """Also said of what belongs to somebody else."""

    default = "Mind not found or access denied"


class AudienceNotFound(NotFound):
    """Also said of what belongs to somebody else."""

    default = "Audience not found or access denied"


class StudyNotFound(NotFound):
    """Also said of what belongs to somebody else."""

    default = "Study not found or access denied"


class Conflict(ApiError):
    status = 409
    default = "Conflict"


class TooLarge(ApiError):
    status = 413
    default = "Content Too Large"


class UnsupportedMediaType(ApiError):
    status = 415
    default = "Unsupported Media Type"


class Unprocessable(ApiError):
    status = 422
    default = "Unprocessable Content"


class Unavailable(ApiError):
    """The database gave no answer, which is never the same as knowing nothing."""

    status = 503
    default = "The service cannot answer at the moment; try again"
    headers = MappingProxyType({"Retry-After": "1"})


class AnswerUnavailable(ApiError):
    """The persona engine gave no answer; nothing was stored, so the same call may be made again."""

    status = 503
    default = "The persona could not answer just now"

    def __init__(self, *, retryable: bool, retry_after: int | None) -> None:
        super().__init__(data={"errorType": "ai_generation_error", "retryable": retryable})
        self.headers = {} if retry_after is None else {"Retry-After": str(retry_after)}


def error_body(status: int, message: str, url: str, data: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The flat error body of the contract; clients branch on `statusCode` and `data.code`."""
    body = {"statusCode": status, "statusMessage": message, "message": message, "url": url, "error": True}
    return body if data is None else {**body, "data": dict(data)}
