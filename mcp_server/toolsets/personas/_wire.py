"""The internal API's answers, read with suspicion: unknown fields are ignored and missing ones are tolerated.

Only what the contract promises outright (a list is a list, a persona has an id) is insisted on; where it is missing,
the internal API is at fault.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import SecretStr

from mcp_server.errors import ServiceUnavailable
from mcp_server.toolsets.personas.models import PersonaRow

NAME = 200
DESCRIPTION = 200
TAGS = 20

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_:./-]{0,63}")
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a listing. `total` is None where it is not told."""

    rows: list[PersonaRow]
    received: int
    total: int | None


@dataclass(frozen=True, slots=True)
class Made:
    """A persona that was just created."""

    row: PersonaRow
    training: Mapping[str, Any]
    demo_token: SecretStr | None
    demo_expires_at: str | None


def page(body: Any) -> Page:
    """Read `GET /minds`."""
    listed = mapping(body).get("data")
    if not isinstance(listed, list):
        raise _unreadable("a list of personas")
    rows = [row for item in listed if (row := _row(mapping(item))) is not None]
    return Page(rows, len(listed), whole(mapping(mapping(body).get("pagination")), "total"))


def detail(body: Any) -> PersonaRow:
    """Read `GET /minds/{id}`."""
    row = _row(_data(body))
    if row is None:
        raise _unreadable("a persona")
    return row


def made(body: Any) -> Made:
    """Read `POST /minds`."""
    row, demo = detail(body), mapping(_data(body).get("demo"))
    token = demo.get("token")
    secret = SecretStr(token) if isinstance(token, str) and token else None
    return Made(row, mapping(mapping(body).get("training")), secret, text(demo, "expiresAt"))


def knowledge_states(body: Any) -> list[str] | None:
    """Read `GET /minds/{id}/knowledge`: the state of each item; None where there is no list."""
    items = _data(body).get("items")
    if not isinstance(items, list):
        return None
    # An item without a processing state was never queued: it is simply there.
    return [word(mapping(mapping(item).get("processing")), "status") or "completed" for item in items]


def mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def text(data: Mapping[str, Any], key: str, longest: int = NAME) -> str | None:
    """One line without control characters, cut at `longest`; None for anything else."""
    value = data.get(key)
    if not isinstance(value, str):
        return None
    line = " ".join(_UNPRINTABLE.sub(" ", value[: longest * 4]).split())
    return (line if len(line) <= longest else f"{line[: longest - 1].rstrip()}\u2026") or None


def word(data: Mapping[str, Any], key: str) -> str | None:
    """An identifier-like word; None for anything else."""
    value = data.get(key)
    return value if isinstance(value, str) and _WORD.fullmatch(value) else None


def flag(data: Mapping[str, Any], key: str) -> bool | None:
    value = data.get(key)
    return value if isinstance(value, bool) else None


def whole(data: Mapping[str, Any], key: str) -> int | None:
    value = data.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def number(data: Mapping[str, Any], key: str) -> float | None:
    value = data.get(key)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _data(body: Any) -> Mapping[str, Any]:
    return mapping(mapping(body).get("data"))


def _row(data: Mapping[str, Any]) -> PersonaRow | None:
    identity, name = text(data, "id"), text(data, "name")
    if identity is None or name is None:
        return None
    tags = data.get("tags")
    return PersonaRow(
        id=identity,
        name=name,
        discipline=text(data, "discipline"),
        type=word(data, "type"),
        description=text(data, "description", DESCRIPTION),
        created_at=text(data, "createdAt"),
        tags=_tags(tags) if isinstance(tags, list) else [],
    )


def _tags(tags: Sequence[Any]) -> list[str]:
    return [tag for item in tags[:TAGS] if (tag := text({"tag": item}, "tag")) is not None]


def _unreadable(what: str) -> ServiceUnavailable:
    return ServiceUnavailable(f"The internal API answered without {what}; try again")
