"""What known clients say about themselves, and stand-ins for the network and the store that they need."""

import asyncio
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from oauth.primitives.fetching import Fetched, TooLarge
from oauth.settings import OAuthSettings
from oauth.stores.grants import GrantStore

NOW = datetime(2026, 11, 20, 9, 0, 0, 123_000, tzinfo=UTC)
SITE = "https://gw.example.com"
SCOPES = frozenset({"sparks:read", "sparks:write", "docs:read"})
SETTINGS = OAuthSettings(SITE, SCOPES)

KNOWN = json.loads(Path(__file__).with_name("known_clients.json").read_text("utf-8"))
REGISTRATIONS: dict[str, dict[str, Any]] = KNOWN["registrations"]
"""By name of the client; the last one says null, as its older releases did."""
DOCUMENTS: dict[str, dict[str, Any]] = KNOWN["documents"]
"""By address."""
CHATGPT = "https://chatgpt.com/oauth/client.json"


def body(words: object) -> bytes:
    return json.dumps(words).encode()


@dataclass
class Web:
    """The network's edge: answers by address, and a note of what was asked. An exception is raised."""

    answers: dict[str, Fetched | Exception] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    gate: asyncio.Event | None = None

    async def __call__(self, url: str, *, max_bytes: int, seconds: float) -> Fetched:
        self.asked.append(url)
        if self.gate is not None:
            await self.gate.wait()
        answer = self.answers.get(url, Fetched(404, {}, b""))
        if isinstance(answer, Exception):
            raise answer
        if len(answer.body) > max_bytes:
            raise TooLarge
        return answer


def page(words: object, cache_control: str = "max-age=600") -> Fetched:
    """A JSON answer."""
    return Fetched(200, {"content-type": "application/json", "cache-control": cache_control}, body(words))


class Spent(GrantStore):
    """Remembers what was used, and until when."""

    def __init__(self) -> None:
        self.until: dict[str, datetime] = {}

    async def spend(self, handle: str, until: datetime) -> bool:
        return self.until.setdefault(handle, until) is until

    async def is_spent(self, handle: str) -> bool:
        return handle in self.until


class _Unrecorded:
    def note(self, *_args: object, **_named: object) -> None:
        """Forget it."""


UNRECORDED = _Unrecorded()
