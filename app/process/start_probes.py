"""What must be right around a server before it starts: its folder, database, port and Redis, tried for real.

`start_checks` looks at the settings alone. Each finding names the setting and the remedy, and no secret.
"""

import errno
import os
import shutil
import socket
import sqlite3
import tempfile
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from sqlalchemy.exc import SQLAlchemyError

from app.internal_api.engines.engine import EngineUnavailable
from app.internal_api.engines.extractive.engine import ExtractiveEngine
from app.settings import Settings
from app.storage.engine import first_line, is_passing
from app.storage.migrate import bring_up_to_date
from mcp_server.minds_api.refusals import fault_of

LEAST_FREE = 64 * 1024 * 1024
"""Bytes of the disk; below that a database is soon refused its next page."""
LARGEST_CHECKED = 256 * 1024 * 1024
"""Bytes of an SQLite file that is read through at the start, which takes about a second."""
CONNECT_SECONDS = 2.0
REDIS_PORT = 6379


@dataclass(frozen=True, slots=True)
class Finding:
    """`stops`: a server must not start so. Otherwise it may, and what is wrong may mend itself."""

    setting: str
    text: str
    stops: bool = True

    def __str__(self) -> str:
        return f"{self.setting}: {self.text}"


async def probe(settings: Settings) -> list[Finding]:
    """Everything that is wrong around a server with these settings."""
    folder = folder_findings(settings.data_dir)
    return [
        *folder,
        *port_findings(settings.host, settings.port),
        *([] if folder and settings.database_url is None else await database_findings(settings)),  # it lies in there
        *redis_findings(settings.redis_url.get_secret_value() if settings.redis_url else None),
    ]


async def language_model_findings(engine: ExtractiveEngine) -> list[Finding]:
    """Whether the personas' language model answers a word. Without it a server serves the rest."""
    try:
        await engine.check()
    except EngineUnavailable as failure:
        said = fault_of(failure.code, failure.host) or failure.message
        return [Finding("LLM_BASE_URL", f"{said}; until then personas are not trained and do not answer", stops=False)]
    return []


def folder_findings(folder: Path) -> list[Finding]:
    """Whether the folder is there, or can be made, and takes a file."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"x")
            file.flush()
        free = shutil.disk_usage(folder).free
    except OSError as fault:
        return [Finding("DATA_DIR", f"{folder} cannot be written to ({first_line(fault)}); {_remedy(fault)}")]
    if free < LEAST_FREE:
        text = f"{free // 1024 // 1024} MiB are free for {folder}; make room, or name a folder on another disk"
        return [Finding("DATA_DIR", text, stops=False)]
    return []


def port_findings(host: str, port: int) -> list[Finding]:
    """Whether this process may listen there."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, _, _, address = found[0]
        with closing(socket.socket(family, kind)) as tried:
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            tried.bind(address)
    except OSError as fault:
        if fault.errno == errno.EADDRINUSE:
            return [Finding("PORT", f"{port} on {host}: address already in use; stop its process or set another")]
        if fault.errno == errno.EACCES:
            return [Finding("PORT", f"{port} may not be opened by this user; use one above 1023 behind a proxy")]
        return [
            Finding("HOST", f"{host} is no address of this machine ({first_line(fault)}); use 127.0.0.1 or 0.0.0.0")
        ]
    return []


async def database_findings(settings: Settings) -> list[Finding]:
    """Whether the database answers, is whole, and takes this version's schema."""
    url = settings.database
    if url.get_backend_name() == "sqlite" and (broken := file_findings(Path(url.database or ""))):
        return broken
    try:
        await bring_up_to_date(url)
    except (SQLAlchemyError, OSError) as fault:
        shown = url.render_as_string(hide_password=True)
        if is_passing(fault):
            text = f"{shown} gives no answer ({first_line(fault)}); start it: until then the gateway is not ready"
            return [Finding("DATABASE_URL", text, stops=False)]
        return [Finding("DATABASE_URL", f"{shown} cannot be used ({first_line(fault)}); mend it, or name another")]
    return []


def file_findings(path: Path) -> list[Finding]:
    """Whether an SQLite file that is there is a whole database. Nothing is written: evidence is not touched.

    An empty file would be taken for a new database by SQLite: everything would be gone, and nobody told.
    """
    size = path.stat().st_size if path.exists() else None
    if size is None or size > LARGEST_CHECKED:
        return []
    if size == 0:
        return [_broken(path, "it is empty")]
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=rw", uri=True, timeout=5)) as connection:
            found = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.DatabaseError as fault:
        # A lock, or a file that may not be read, is no damage: the attempt to use it tells.
        return [] if isinstance(fault, sqlite3.OperationalError) else [_broken(path, str(fault))]
    return [_broken(path, found[0].splitlines()[-1])] if found[0] != "ok" else []


def redis_findings(url: str | None) -> list[Finding]:
    """Whether anybody listens there. Without Redis a process counts by itself, so that stops no start."""
    if url is None:
        return []
    faults = []
    for place in urlsplit(url).netloc.rpartition("@")[2].split(","):
        try:
            split = urlsplit(f"//{place}")
            socket.create_connection((split.hostname or "", split.port or REDIS_PORT), CONNECT_SECONDS).close()
        except (OSError, ValueError) as fault:
            faults.append(f"{place}: {first_line(fault)}")
        else:
            return []
    text = f"no answer ({'; '.join(faults)}); start it: until then each process counts its limits alone"
    return [Finding("REDIS_URL", text, stops=False)]


def _broken(path: Path, why: str) -> Finding:
    text = f"{path} is damaged ({why}); restore a backup (docs/operations.md), or move the file away to begin anew"
    return Finding("DATABASE_URL", text)


def _remedy(fault: OSError) -> str:
    if fault.errno in {errno.ENOSPC, errno.EDQUOT}:
        return "make room on the disk, or name a folder on another"
    if fault.errno == errno.EROFS:
        return "mount it writable, or name a folder that is"
    return f"give it to the user of this process (uid {os.getuid()}), or name another folder"
