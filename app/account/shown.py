"""What the account page shows, worked out of what is known. Pure."""

import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from oauth.activity import Happening
from oauth.models import OwnedKey
from oauth.primitives.parameters import Parameters
from oauth.primitives.scopes import IN_SHORT, IN_WORDS, SCOPES

TITLES = tomllib.loads(Path(__file__).with_name("events.toml").read_text("utf-8"))
TOOL, API = "tool:", "api:"


def key_values(owned: Sequence[OwnedKey], now: datetime) -> list[dict[str, Any]]:
    """What is true of each key now, and what may be done with it: a key is rotated once."""
    replaced, told = {each.key.rotated_from for each in owned}, []
    for each in owned:
        state = each.state(now)
        shown = "replaced" if state == "active" and each.key.id in replaced else state
        told.append({"key": each.key, "state": shown, "rotates": shown == "active", "revokes": state == "active"})
    return told


@dataclass(slots=True)
class Line:
    """Equal calls that came one after the other, or one event; `last` is the newest."""

    last: Happening
    first: datetime
    count: int = 1

    def takes(self, event: Happening) -> bool:
        """Whether the older `event` stands on this line too. What changes who may do what has a line of its own."""
        last = self.last
        same = (event.event, event.client_id, event.outcome) == (last.event, last.client_id, last.outcome)
        return same and event.event.startswith((TOOL, API))

    def add(self, event: Happening) -> None:
        self.first, self.count = event.at, self.count + 1


def shown_line(line: Line, names: Mapping[str, str]) -> dict[str, Any]:
    """`names` are those of apps and keys by id."""
    event = line.last
    kind, colon, name = event.event.partition(":")
    if not colon:
        what = TITLES["events"].get(kind, kind)
    else:
        what = f"Used {name}" if f"{kind}:" == TOOL else TITLES["operations"].get(name, name)
    return {
        "first": line.first,
        "last": event.at,
        "what": what,
        "count": line.count,
        "by": event.client_name or names.get(event.client_id or "", event.client_id),
        "outcome": None if event.outcome == "ok" else event.outcome,
    }


def choices(served: Collection[str]) -> list[dict[str, str]]:
    """What a key may be made for: scopes that a tool of this server asks for."""
    return [{"field": scope_field(scope), "words": IN_WORDS[scope]} for scope in SCOPES if scope in served]


def new_key_values(sent: Parameters | None, lifetimes: Sequence[str]) -> dict[str, Any]:
    """What the form for a new key is filled in with: what was `sent` with it and refused, or else the usual."""
    fields = [scope_field(scope) for scope in SCOPES]
    if sent is None or sent.get("once") is None:
        return {"name": "", "ticked": fields, "lifetime": lifetimes[1]}
    chosen = sent.get("lifetime")
    return {
        "name": sent.get("name") or "",
        "ticked": [field for field in fields if sent.get(field) is not None],
        "lifetime": chosen if chosen in lifetimes else lifetimes[1],
    }


def badges(scopes: frozenset[str]) -> list[dict[str, str]]:
    return [{"name": IN_SHORT[scope], "words": IN_WORDS[scope]} for scope in SCOPES if scope in scopes]


def scope_field(scope: str) -> str:
    return f"scope {scope}"
