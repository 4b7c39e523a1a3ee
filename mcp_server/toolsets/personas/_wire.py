"""The internal API's answers, read with suspicion: unknown fields are ignored and missing ones are tolerated.

Only what the contract promises outright (a list is a list, a persona has an id) is insisted on; where it is missing,
the internal API is at fault.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import SecretStr

from mcp_server.toolkit.json_coercion import items, mapping, text, unreadable, word
from mcp_server.toolsets.personas._training import Training, read_training
from mcp_server.toolsets.personas.models import PersonaRow

DESCRIPTION = 200
TAGS = 20


@dataclass(frozen=True, slots=True)
class Made:
    """A persona that was just created."""

    row: PersonaRow
    training: Training
    demo_token: SecretStr | None
    demo_expires_at: str | None


def read_row(data: Mapping[str, Any]) -> PersonaRow | None:
    """Read an item of `GET /minds`; one without a name is no persona."""
    identity, name = text(data, "id"), text(data, "name")
    if identity is None or name is None:
        return None
    tags = [text({"tag": tag}, "tag") for tag in items(data, "tags")[:TAGS]]
    return PersonaRow(
        id=identity,
        name=name,
        discipline=text(data, "discipline"),
        type=word(data, "type"),
        description=text(data, "description", DESCRIPTION),
        created_at=text(data, "createdAt"),
        tags=[tag for tag in tags if tag is not None],
    )


def detail(body: Any) -> PersonaRow:
    """Read `GET /minds/{id}`."""
    row = read_row(mapping(mapping(body).get("data")))
    if row is None:
        raise unreadable("a persona")
    return row


def made(body: Any) -> Made:
    """Read `POST /minds`."""
    row, answer = detail(body), mapping(body)
    demo = mapping(answer["data"].get("demo"))
    token = demo.get("token")
    secret = SecretStr(token) if isinstance(token, str) and token else None
    return Made(row, read_training(mapping(answer.get("training"))), secret, text(demo, "expiresAt"))


def training_of(body: Any) -> Mapping[str, Any]:
    """Read the training from `GET /minds/{id}`. Before it had one, a persona with a prompt was trained."""
    data = mapping(mapping(body).get("data"))
    if data.get("trainingStatus") is not None:
        return {"status": data["trainingStatus"], "readyToChat": data.get("readyToChat")}
    if "systemPrompt" not in data:
        return {}
    ready = bool(data["systemPrompt"])
    return {"status": "completed" if ready else "running", "readyToChat": ready}


def knowledge_states(body: Any) -> list[str] | None:
    """Read `GET /minds/{id}/knowledge`: the state of each item; None where there is no list."""
    listed = mapping(mapping(body).get("data")).get("items")
    if not isinstance(listed, list):
        return None
    # An item without a processing state was never queued: it is simply there.
    return [word(mapping(mapping(item).get("processing")), "status") or "completed" for item in listed]
