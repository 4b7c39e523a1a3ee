"""The recorder that the settings ask for, and the keys under which its chains are marked."""

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path

from sqlalchemy.ext.asyncio import AsyncEngine

from app.audit.database import DatabaseSink
from app.audit.streams import StdoutSink, SyslogSink
from app.settings import Settings
from mcp_server.audit.chain import ChainKey
from mcp_server.audit.files import FileSink
from mcp_server.audit.local import AUDIT_KEY, folder_of
from mcp_server.audit.recorder import Recorder
from mcp_server.audit.sinks import Sink
from mcp_server.audit.trail import TrailLimits
from mcp_server.toolkit.secret_file import shared_secret
from oauth.primitives.address_limit import network_key


def open_recorder(settings: Settings, engine: AsyncEngine, process: str) -> Recorder:
    """Nothing is opened until it runs; `process` is what kind of process this is."""
    made: Mapping[str, Callable[[], Sink]] = {
        "file": lambda: FileSink(folder_of(settings.data_dir), settings.audit_file_bytes),
        "database": lambda: DatabaseSink(engine),
        "stdout": StdoutSink,
        "syslog": lambda: SyslogSink(settings.audit_syslog_address or ""),
    }
    limits = TrailLimits(queue=settings.audit_queue, retention_days=settings.audit_retention_days)
    sinks = [made[name]() for name in settings.audit_sink]
    key, kept = chain_key(settings), places(settings)
    return Recorder(sinks, key, limits, process=process, places=kept, network=network_key)


def chain_key(settings: Settings) -> ChainKey:
    """From SECRET_KEY, which all hosts share; without it from a file in DATA_DIR."""
    return ChainKey.derived((settings.secret_key or shared_secret(settings.data_dir, AUDIT_KEY)).get_secret_value())


def known_keys(settings: Settings) -> list[ChainKey]:
    """All under which rows may have been marked here: stdio, and processes without SECRET_KEY, use the file's."""
    keys = [chain_key(settings)]
    if settings.secret_key is not None and Path(settings.data_dir, AUDIT_KEY).exists():
        keys.append(ChainKey.derived(shared_secret(settings.data_dir, AUDIT_KEY).get_secret_value()))
    return keys


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
