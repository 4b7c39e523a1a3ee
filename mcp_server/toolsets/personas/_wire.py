"""The internal API's answers, read with suspicion: unknown fields are ignored and missing ones are tolerated.

Only what the contract promises outright (a list is a list, a persona has an id) is insisted on; where it is missing,
the internal API is at fault.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import SecretStr

from mcp_server.toolkit.json_coercion import mapping, text, unreadable, word
from mcp_server.toolsets.personas.models import PersonaRow

DESCRIPTION = 200
TAGS = 20


@dataclass(frozen=True, slots=True)
class Made:
    """A persona that was just created."""

    row: PersonaRow
    training: Mapping[str, Any]
    demo_token: SecretStr | None
    demo_expires_at: str | None


def rows(listed: Sequence[Mapping[str, Any]]) -> list[PersonaRow]:
    """Read the items of `GET /minds`; one without a name is no persona."""
    return [row for item in listed if (row := _row(item)) is not None]


def detail(body: Any) -> PersonaRow:
    """Read `GET /minds/{id}`."""
    row = _row(_data(body))
    if row is None:
        raise unreadable("a persona")
    return row


def made(body: Any) -> Made:
    """Read `POST /minds`."""
    row, demo = detail(body), mapping(_data(body).get("demo"))
    token = demo.get("token")
    secret = SecretStr(token) if isinstance(token, str) and token else None
    return Made(row, mapping(mapping(body).get("training")), secret, text(demo, "expiresAt"))


def training_of(body: Any) -> dict[str, Any]:
    """Read the training from `GET /minds/{id}`. Before it had one, a persona with a prompt was trained."""
    data = _data(body)
    if data.get("trainingStatus") is not None:
        return {"status": data["trainingStatus"], "readyToChat": data.get("readyToChat")}
    if "systemPrompt" not in data:
        return {}
    ready = bool(data["systemPrompt"])
    return {"status": "completed" if ready else "running", "readyToChat": ready}


def knowledge_states(body: Any) -> list[str] | None:
    """Read `GET /minds/{id}/knowledge`: the state of each item; None where there is no list."""
    items = _data(body).get("items")
    if not isinstance(items, list):
        return None
    # An item without a processing state was never queued: it is simply there.
    return [word(mapping(mapping(item).get("processing")), "status") or "completed" for item in items]


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
