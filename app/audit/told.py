"""What the edge tells the audit log in its own words: how the process is configured, breakers, the end of a request."""

from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from pydantic import BaseModel, SecretStr

from app.settings import Settings
from mcp_server.audit.entries import Entry, Event
from mcp_server.audit.recorder import Recorder
from mcp_server.errors import AuthenticationRequired, PermissionDenied, RateLimitExceeded
from mcp_server.request_context import RequestContext

INTERNAL_ERROR, UNAUTHORIZED, TOO_MANY = 500, 401, 429
OAUTH_PATHS = "/oauth/"


def configured(settings: Settings) -> Entry:
    """What differs from the defaults, at the start of a process. A secret is told as being set, an address as it is."""
    changed = {
        name: _shown(getattr(settings, name))
        for name, field in type(settings).model_fields.items()
        if getattr(settings, name) != field.default and name in settings.model_fields_set
    }
    return Entry(Event.CONFIGURATION, detail={"version": version("minds-gateway"), "settings": changed})


def breaker_changed(recorder: Recorder, name: str, before: str, after: str) -> None:
    """A circuit opened, probes, or closed."""
    outcome = "ok" if after == "closed" else after
    recorder.record(Entry(Event.BREAKER_CHANGED, outcome, detail={"breaker": name, "from": before, "to": after}))


def request_ended(recorder: Recorder, context: RequestContext, path: str, status: int) -> None:
    """What a request says of its caller: who it was, or why it was refused."""
    refusal, caller = context.refusal, context.caller
    event = _refused(context, path, status)
    if event is not None:
        recorder.record(
            Entry(
                event,
                "refused",
                subject=caller.subject if caller is not None else None,
                client=caller.client_id if caller is not None else None,
                tool=context.envelope.tool_name if context.envelope is not None else None,
                reason=refusal.name if refusal is not None else f"{status} at {path}",
            )
        )
    if caller is not None and not caller.is_anonymous:
        recorder.record(Entry(Event.AUTH_ATTEMPT, "ok", caller.subject, caller.client_id))


def _refused(context: RequestContext, path: str, status: int) -> Event | None:
    refusal = context.refusal
    if isinstance(refusal, RateLimitExceeded) or status == TOO_MANY:
        return Event.RATE_LIMIT_EXCEEDED
    # Without any credential there was no attempt: clients ask so to learn where to sign in.
    if isinstance(refusal, PermissionDenied) or (isinstance(refusal, AuthenticationRequired) and refusal.invalid_token):
        return Event.AUTH_FAILURE
    if status == UNAUTHORIZED and (path.startswith(OAUTH_PATHS) or context.has_wrong_credential):
        return Event.AUTH_FAILURE
    return Event.INTERNAL_ERROR if status == INTERNAL_ERROR else None


def _shown(value: Any) -> Any:
    if isinstance(value, SecretStr):
        return "set"
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, tuple):
        # Of pre-registered clients how many there are: their entries may hold secrets.
        return f"{len(value)} entries" if any(isinstance(part, Mapping) for part in value) else list(map(str, value))
    return value if isinstance(value, int | float | bool) or value is None else str(value)
