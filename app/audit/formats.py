"""Rows in export formats: JSON lines and CEF. Pure."""

from collections.abc import Callable, Mapping
from datetime import datetime
from importlib.metadata import version
from typing import Any

import orjson

from mcp_server.audit.entries import Event

Told = Mapping[str, Any]

VENDOR, PRODUCT = "minds-gateway", "minds-gateway"
VERSION = version("minds-gateway")
"""Looked up once: that reads the installed files, and took nine tenths of an export's time."""

ALARMING = frozenset({Event.TOKEN_REUSED, Event.CODE_REUSED, Event.INTERNAL_ERROR, Event.AUDIT_GAP})
CEF_NAMES = (
    ("subject", "suid"), ("address", "src"), ("request", "externalId"), ("tool", "act"), ("reason", "reason"),
    ("outcome", "outcome"),
)  # fmt: skip
CEF_CUSTOM = (("client", "cs1", "client"), ("chain", "cs2", "chain"), ("arguments", "cs3", "argumentsDigest"))


def as_jsonl(told: Told, mark: str) -> str:
    """The row as it is kept."""
    return orjson.dumps({**told, "hash": mark}, option=orjson.OPT_SORT_KEYS).decode()


def as_cef(told: Told, mark: str) -> str:
    """ArcSight's Common Event Format, version 0."""
    event = told["event"]
    head = [VENDOR, PRODUCT, VERSION, event, event, str(cef_severity(told))]
    extension = {
        "rt": str(round(datetime.fromisoformat(told["time"]).timestamp() * 1000)),
        "cn1": str(told["seq"]),
        "cn1Label": "seq",
    }
    extension |= {cef: str(told[name]) for name, cef in CEF_NAMES if name in told}
    for name, cef, label in CEF_CUSTOM:
        if name in told:
            extension |= {cef: str(told[name]), f"{cef}Label": label}
    extension |= {"cs4": mark, "cs4Label": "hash"}
    fields = " ".join(f"{name}={_cef_value(value)}" for name, value in extension.items())
    return "|".join(["CEF:0", *map(_cef_head, head)]) + f"|{fields}"


def cef_severity(told: Told) -> int:
    """0 to 10: what went well is low, what looks like theft is high."""
    if told["event"] in ALARMING:
        return 8
    return 3 if told["outcome"] == "ok" else 5


def _cef_head(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|")


def _cef_value(text: str) -> str:
    return text.replace("\\", "\\\\").replace("=", "\\=").replace("\n", "\\n").replace("\r", "\\r")


FORMATS: Mapping[str, Callable[[Told, str], str]] = {"jsonl": as_jsonl, "cef": as_cef}
