"""The audit log of the HTTP process and of commands: its sinks and keys, and what the edge records."""

import hashlib
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pydantic import BaseModel, SecretStr
from sqlalchemy.ext.asyncio import AsyncEngine

from app.audit.database import DatabaseSink
from app.audit.streams import StdoutSink, SyslogSink
from app.settings import Settings
from mcp_server.audit.chain import ChainKey
from mcp_server.audit.entries import Entry, Event
from mcp_server.audit.files import AUDIT_KEY, FileSink, folder_of
from mcp_server.audit.recorder import Recorder
from mcp_server.audit.sinks import Sink, WriterLimits
from mcp_server.errors import AuthenticationRequired, PermissionDenied, RateLimitExceeded
from mcp_server.request_context import RequestContext
from mcp_server.toolkit.secret_file import shared_secret, shared_secrets
from oauth.primitives.address_limit import network_key

INTERNAL_ERROR, UNAUTHORIZED, TOO_MANY = 500, 401, 429


def open_recorder(settings: Settings, engine: AsyncEngine, process: str) -> Recorder:
    """Nothing is opened until it runs; `process` is what kind of process this is."""
    sinks: Mapping[str, Callable[[], Sink]] = {
        "file": lambda: FileSink(folder_of(settings.data_dir), settings.audit_file_bytes),
        "database": lambda: DatabaseSink(engine),
        "stdout": StdoutSink,
        "syslog": lambda: SyslogSink(settings.audit_syslog_address or ""),
    }
    return Recorder(
        [sinks[name]() for name in settings.audit_sink],
        known_keys(settings)[0],
        WriterLimits(queue=settings.audit_queue, retention_days=settings.audit_retention_days),
        process=process,
        places=places(settings),
        network=network_key,
        every_invoke=settings.audit_every_invoke,
    )


def known_keys(settings: Settings) -> list[ChainKey]:
    """The key of this process, and others under which rows may have been marked here.

    It is of SECRET_KEY, which all hosts share; stdio, and processes without SECRET_KEY, use that of a file in DATA_DIR.
    """
    secrets = settings.secrets(AUDIT_KEY)
    if settings.secret_key is not None and Path(settings.data_dir, AUDIT_KEY).exists():
        secrets += shared_secrets(settings.data_dir, AUDIT_KEY)
    return [ChainKey.derived(secret.get_secret_value()) for secret in secrets]


def places(settings: Settings) -> dict[str, str]:
    """Where rows are kept that can be compared: hosts may share a database, and have their own folders."""
    url, found = settings.database, {}
    if "database" in settings.audit_sink:
        name = url.database or ""
        found["database"] = f"{url.host}:{url.port}/{name}" if url.host else Path(name).name
    if "file" in settings.audit_sink:
        secret = shared_secret(settings.data_dir).get_secret_value()
        found["file"] = hashlib.sha256(b"minds-gateway audit folder " + secret.encode()).hexdigest()[:12]
    return found


def configured(settings: Settings) -> Entry:
    """What differs from the defaults, at the start of a process. A secret is recorded as being set."""
    changed = {
        name: _without_secrets(getattr(settings, name))
        for name, field in type(settings).model_fields.items()
        if getattr(settings, name) != field.default and name in settings.model_fields_set
    }
    return Entry(Event.CONFIGURATION, detail={"version": version("minds-gateway"), "settings": changed})


def _without_secrets(value: Any) -> Any:
    if isinstance(value, SecretStr):
        return "set"
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, tuple):
        # Of pre-registered clients how many there are: their entries may hold secrets.
        return f"{len(value)} entries" if any(isinstance(part, Mapping) for part in value) else list(map(str, value))
    return value if isinstance(value, int | float | bool) or value is None else str(value)


def breaker_changed(recorder: Recorder, name: str, before: str, after: str) -> None:
    outcome = "ok" if after == "closed" else after
    recorder.record(Entry(Event.BREAKER_CHANGED, outcome, detail={"breaker": name, "from": before, "to": after}))


def request_ended(recorder: Recorder, context: RequestContext, path: str, status: int) -> None:
    """What a request says of its caller: who it was, or why it was refused."""
    refusal, caller = context.refusal, context.caller
    event = _refused(context, path, status)
    if event is not None:
        subject, client = (caller.subject, caller.client_id) if caller is not None else (None, None)
        tool = context.envelope.tool_name if context.envelope is not None else None
        reason = refusal.name if refusal is not None else f"{status} at {path}"
        recorder.record(Entry(event, "refused", subject, client, tool=tool, reason=reason))
    if caller is not None and not caller.is_anonymous:
        recorder.record(Entry(Event.AUTH_ATTEMPT, "ok", caller.subject, caller.client_id))


def _refused(context: RequestContext, path: str, status: int) -> Event | None:
    refusal = context.refusal
    if isinstance(refusal, RateLimitExceeded) or status == TOO_MANY:
        return Event.RATE_LIMIT_EXCEEDED
    # Without any credential there was no attempt: clients ask so to learn where to sign in.
    if isinstance(refusal, PermissionDenied) or (isinstance(refusal, AuthenticationRequired) and refusal.invalid_token):
        return Event.AUTH_FAILURE
    if status == UNAUTHORIZED and (path.startswith("/oauth/") or context.has_wrong_credential):
        return Event.AUTH_FAILURE
    return Event.INTERNAL_ERROR if status == INTERNAL_ERROR else None
