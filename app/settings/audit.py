"""The settings of the audit log: where its rows go, and for how long they are kept."""

from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, model_validator
from pydantic_settings import BaseSettings

from app.settings.types import Names, each

SINKS = ("file", "database", "stdout", "syslog")
MIB = 1024 * 1024


def _sink(name: str) -> str:
    if name not in SINKS:
        raise ValueError(f"{name!r} is no sink; there is: {', '.join(SINKS)}")
    return name


def _syslog(text: str) -> str:
    parts = urlsplit(text)
    is_local = parts.scheme == "unix" and bool(parts.path) and not parts.netloc
    if not is_local and not (parts.scheme in {"udp", "tcp"} and parts.hostname and parts.port):
        raise ValueError("write it as udp://host:514, tcp://host:601 or unix:///dev/log")
    return text


class AuditSettings(BaseSettings):
    """The part of `app.settings.Settings` that only the audit log reads."""

    audit_sink: Annotated[Names, each(_sink)] = Field(
        ("file", "database"),
        description="Sinks of the audit log: `file`, `database`, `stdout`, `syslog`, comma-separated.",
    )
    audit_retention_days: int = Field(90, ge=2, le=3_650, description="Days for which audit rows are kept.")
    audit_file_bytes: int = Field(
        64 * MIB, ge=MIB, description="Size at which a file of the audit log ends and the next begins."
    )
    audit_queue: int = Field(
        10_000, ge=1_000, le=1_000_000, description="Events that wait in memory while a sink of the audit log fails."
    )
    audit_every_invoke: bool = Field(
        default=False, description="A `toolInvoke` row for calls that only read, too; others always have one."
    )
    audit_syslog_address: Annotated[str, AfterValidator(_syslog)] | None = Field(
        None, description="For the sink `syslog`: `udp://host:514`, `tcp://host:601` or `unix:///dev/log`."
    )

    @model_validator(mode="after")
    def _sinks_are_whole(self) -> "AuditSettings":
        if "syslog" in self.audit_sink and self.audit_syslog_address is None:
            raise ValueError("AUDIT_SYSLOG_ADDRESS: is missing; AUDIT_SINK names syslog")
        return self
