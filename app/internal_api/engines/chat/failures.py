"""What an endpoint's refusal means for the caller; nothing of what it wrote is repeated."""

from app.internal_api.engines.engine import EngineUnavailable

LONGEST_WAIT = 3_600
_OWN = "The language model is not set up correctly: "
_CONFIGURATION = {
    401: _OWN + "it refuses the key.",
    403: _OWN + "it refuses the key.",
    404: _OWN + "its address or the model's name is unknown there.",
}
_PASSING = frozenset({408, 409, 425})
_TOO_MANY = 429
_SERVER_FAULT = 500


def refusal(status: int, retry_after: str | None) -> EngineUnavailable:
    """The failure that an HTTP status other than 200 stands for."""
    if status == _TOO_MANY:
        wait, said = _seconds(retry_after), "The language model is busy."
        return EngineUnavailable(said, retryable=True, retry_after=wait, kind="busy", status=status)
    if status >= _SERVER_FAULT or status in _PASSING:
        wait, said = _seconds(retry_after), "The language model failed."
        return EngineUnavailable(said, retryable=True, retry_after=wait, kind="failed", status=status)
    said = _CONFIGURATION.get(status, f"{_OWN}it refuses the request with status {status}.")
    return EngineUnavailable(said, retryable=False, kind="refused", status=status)


def _seconds(retry_after: str | None) -> int | None:
    """Seconds of a Retry-After header; its date form would need a clock that agrees with theirs."""
    given = (retry_after or "").strip()
    return min(int(given), LONGEST_WAIT) if given.isdecimal() and len(given) <= len("999999") else None
