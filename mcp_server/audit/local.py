"""The audit log of a process on this machine: rows in files under DATA_DIR, marked under a key beside them."""

from pathlib import Path

import structlog

from mcp_server.audit.chain import ChainKey
from mcp_server.audit.files import FileSink
from mcp_server.audit.recorder import Recorder
from mcp_server.audit.trail import TrailLimits
from mcp_server.settings import McpSettings
from mcp_server.toolkit.secret_file import shared_secret

AUDIT_KEY = "audit.key"
FOLDER = "audit"

log = structlog.get_logger(__name__)


def folder_of(data_dir: Path) -> Path:
    """Where the files of the log are."""
    return data_dir / FOLDER


def stdio_recorder(settings: McpSettings, data_dir: Path) -> Recorder:
    """Of the stdio server, which has no database and no network of its own: the sink `file`, unless it is not wanted.

    Where DATA_DIR cannot be written to, the ordinary log says so and has the calls; a desktop client goes on.
    """
    if "file" not in settings.audit_sink:
        return Recorder()
    try:
        key = ChainKey.derived(shared_secret(data_dir, AUDIT_KEY).get_secret_value())
    except (OSError, ValueError) as fault:
        log.error("audit.no_key", reason=str(fault))  # noqa: TRY400  the path and the reason say it all
        return Recorder()
    sink = FileSink(folder_of(data_dir), settings.audit_file_bytes)
    return Recorder([sink], key, TrailLimits(retention_days=settings.audit_retention_days), process="stdio")
