"""What the edge records: how the process is configured, breakers, and every request around which it stands."""

from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from pydantic import BaseModel, SecretStr
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.internal_api.principals import FOUND
from app.settings import Settings
from mcp_server.audit.entries import Entry, Event, Origin, current_origin
from mcp_server.audit.recorder import Recorder
from mcp_server.caller import Caller
from mcp_server.errors import AuthenticationRequired, GatewayError, PermissionDenied, RateLimitExceeded

INTERNAL_ERROR, UNAUTHORIZED, TOO_MANY = 500, 401, 429
GATEHOUSE = "/oauth/"


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


class AuditMiddleware:
    """Knows where a request comes from, and holds an answer until the row is written that it must not precede.

    Stands inside the request log, which gives the request its id, and around everything that may refuse.
    """

    def __init__(self, app: ASGIApp, recorder: Recorder) -> None:
        self.app, self.recorder = app, recorder

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        client = scope.get("client")
        origin, status = Origin(scope.get("request_id", ""), client[0] if client else None), 500

        async def send_after_its_row(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                if origin.must_be_written:
                    await self.recorder.settle()
            await send(message)

        token = current_origin.set(origin)
        try:
            await self.app(scope, receive, send_after_its_row)
        finally:
            request_ended(self.recorder, scope, status)
            current_origin.reset(token)


def request_ended(recorder: Recorder, scope: Mapping[str, Any], status: int) -> None:
    """What a request says of its caller: who it was, or why it was refused."""
    refusal, caller, envelope = scope.get("refusal"), scope.get("caller"), scope.get("rpc")
    event = _refused(refusal, status, scope)
    if event is not None:
        recorder.record(
            Entry(
                event,
                "refused",
                subject=caller.subject if caller is not None else None,
                client=caller.client_id if caller is not None else None,
                tool=envelope.tool_name if envelope is not None else None,
                reason=refusal.name if refusal is not None else f"{status} at {scope['path']}",
            )
        )
    if isinstance(caller, Caller) and not caller.is_anonymous:
        recorder.record(Entry(Event.AUTH_ATTEMPT, "ok", caller.subject, caller.client_id))


def _refused(refusal: GatewayError | None, status: int, scope: Mapping[str, Any]) -> Event | None:
    if isinstance(refusal, RateLimitExceeded) or status == TOO_MANY:
        return Event.RATE_LIMIT_EXCEEDED
    # Without any credential there was no attempt: clients ask so to learn where to sign in.
    if isinstance(refusal, PermissionDenied) or (isinstance(refusal, AuthenticationRequired) and refusal.invalid_token):
        return Event.AUTH_FAILURE
    if status == UNAUTHORIZED and (scope["path"].startswith(GATEHOUSE) or scope.get(FOUND, ...) is None):
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
