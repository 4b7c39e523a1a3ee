"""Rows in the words of other people's systems: JSON lines, CEF and OCSF. Pure."""

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

OCSF_VERSION = "1.3.0"
AUTHENTICATION, API_ACTIVITY, ACCOUNT_CHANGE, APPLICATION_LIFECYCLE = 3002, 6003, 3001, 6002
OTHER = 99

SIGN_INS = frozenset({Event.AUTH_ATTEMPT, Event.AUTH_FAILURE, Event.SIGN_IN, Event.SIGN_IN_FAILURE, Event.SIGN_OUT})
TOKENS = frozenset({
    Event.TOKEN_ISSUED, Event.TOKEN_REFRESHED, Event.TOKEN_REUSED, Event.TOKEN_REVOKED, Event.CODE_REUSED,
})  # fmt: skip
ACCOUNTS: Mapping[str, int] = {
    Event.USER_CREATED: 1,
    Event.USER_ENABLED: 2,
    Event.USER_DISABLED: 5,
    Event.KEY_CREATED: OTHER,
    Event.KEY_ROTATED: OTHER,
    Event.KEY_REVOKED: OTHER,
    Event.KEY_LINKED: OTHER,
    Event.KEY_UNLINKED: OTHER,
}
"""With the activity of OCSF's Account Change: create, enable, disable, other."""

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
    extension = {"rt": str(_milliseconds(told)), "cn1": str(told["seq"]), "cn1Label": "seq"}
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


def as_ocsf(told: Told, mark: str) -> str:
    """One event of the Open Cybersecurity Schema Framework, as a line of JSON."""
    event, well = told["event"], told["outcome"] == "ok"
    kind, activity = _classified(event)
    category = kind // 1000
    found = {
        "class_uid": kind,
        "category_uid": category,
        "activity_id": activity,
        "activity_name": event,
        "type_uid": kind * 100 + activity,
        "time": _milliseconds(told),
        "severity_id": 4 if event in ALARMING else 1 if well else 3,
        "status_id": 1 if well else 2,
        "status_detail": told.get("reason", told["outcome"]),
        "metadata": {
            "version": OCSF_VERSION,
            "uid": f"{told['chain']}#{told['seq']}",
            "sequence": told["seq"],
            "product": {"name": PRODUCT, "vendor_name": VENDOR, "version": VERSION},
        },
        "unmapped": {name: told[name] for name in ("arguments", "summary", "detail", "prev") if name in told}
        | {"hash": mark},
    }
    return orjson.dumps(found | _parties(told, kind)).decode()


def _classified(event: str) -> tuple[int, int]:
    """Class and activity."""
    if event in SIGN_INS or event in TOKENS:
        return AUTHENTICATION, 2 if event == Event.SIGN_OUT else 1 if event in SIGN_INS else OTHER
    if event in ACCOUNTS:
        return ACCOUNT_CHANGE, ACCOUNTS[event]
    if event in {Event.AUDIT_START, Event.AUDIT_END}:
        return APPLICATION_LIFECYCLE, 3 if event == Event.AUDIT_START else 4
    return API_ACTIVITY, OTHER


def _parties(told: Told, kind: int) -> dict[str, Any]:
    user = {"uid": told["subject"]} if "subject" in told else {"name": "anonymous"}
    parties: dict[str, Any] = {"src_endpoint": {"ip": told["address"]} if "address" in told else {"name": "unknown"}}
    if "client" in told:
        parties["actor"] = {"user": user, "app_uid": told["client"]}
    elif kind == API_ACTIVITY:
        parties["actor"] = {"user": user}
    if kind in {AUTHENTICATION, ACCOUNT_CHANGE}:
        parties["user"] = user
    if kind == API_ACTIVITY:
        parties["api"] = {
            "operation": told.get("tool", told["event"]),
            "request": {"uid": told.get("request", "")},
        }
    if "ms" in told:
        parties["duration"] = round(told["ms"])
    return parties


def _milliseconds(told: Told) -> int:
    return round(datetime.fromisoformat(told["time"]).timestamp() * 1000)


FORMATS: Mapping[str, Callable[[Told, str], str]] = {"jsonl": as_jsonl, "cef": as_cef, "ocsf": as_ocsf}
