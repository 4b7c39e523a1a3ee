"""Creating each persona once: the same call from the same caller within seconds makes one persona.

Who is the same caller? Whoever signed in. An anonymous caller is nobody in particular: two strangers who ask for the
same demo persona would be handed one persona, and the key to it. So anonymous calls never share, neither a result nor
a flight, and each has a key of its own; what bounds them is the rate limit.
"""

import hashlib
import time
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from typing import Any, Literal
from uuid import uuid4

import orjson

from mcp_server.caller import Caller
from mcp_server.errors import InvalidArguments
from mcp_server.observability.telemetry import CacheLookup, no_op
from mcp_server.toolkit.cache import TtlCache
from mcp_server.toolsets.personas._wire import Made

Mode = Literal["keywords", "clone", "link", "manual"]
Type = Literal["creative", "expert", "user"]

UNSETTLED = 600.0
"""Seconds for which an attempt without an answer is remembered, so that a repeat of it carries the same key."""

MISSING: dict[str, str] = {
    "keywords": "keywords is required when mode is keywords: 1 to 20 words or short phrases",
    "clone": "personaContext is required when mode is clone: who the person is, in a few sentences",
    "link": "contextLink is required when mode is link: the http or https address of a public page",
}


@dataclass(frozen=True, slots=True)
class NewPersona:
    """The persona that a caller wants."""

    name: str
    mode: Mode
    type: Type
    discipline: str | None = None
    keywords: tuple[str, ...] = ()
    persona_context: str | None = None
    context_link: str | None = None
    description: str | None = None

    def check(self) -> None:
        """What the mode asks for is there.

        Raises:
            InvalidArguments: it is not.

        """
        given = {"keywords": self.keywords, "clone": self.persona_context, "link": self.context_link, "manual": True}
        if not given[self.mode]:
            raise InvalidArguments(MISSING[self.mode])

    def body(self) -> dict[str, Any]:
        """The body of `POST /minds`, which wants a discipline even where the caller has none to give."""
        said = {
            "name": self.name,
            "discipline": self.discipline or (self.keywords[0] if self.keywords else self.name),
            "mode": self.mode,
            "type": self.type,
            "keywords": list(self.keywords),
            "personaContext": self.persona_context,
            "contextLink": self.context_link,
            "description": self.description,
        }
        return {name: value for name, value in said.items() if value}


Post = Callable[[NewPersona, str], Awaitable[Made]]
"""Creates the persona upstream, under an idempotency key."""


class Creations:
    """Creates personas, each once. `ttl` is in seconds; `now` is the wall clock, which the workers share."""

    def __init__(
        self,
        post: Post,
        *,
        ttl: float,
        now: Callable[[], float] = time.time,
        clock: Callable[[], float] = time.monotonic,
        on_lookup: CacheLookup = no_op,
    ) -> None:
        self._post, self._ttl, self._now = post, ttl, now
        self._finished: TtlCache[str, Made] = TtlCache(ttl, clock=clock, on_lookup=on_lookup)
        self._unsettled: TtlCache[str, str] = TtlCache(UNSETTLED, clock=clock)

    async def create(self, wanted: NewPersona, caller: Caller) -> tuple[Made, bool]:
        """The persona, and whether an earlier call made it."""
        owner = caller.owner
        if owner is None:
            return await self._post(wanted, uuid4().hex), False
        key = _digest(owner, asdict(wanted))
        leads = False

        async def post() -> Made:
            nonlocal leads
            leads = True
            return await self._once_upstream(key, wanted)

        made = await self._finished.once(key, post)
        return made, not leads

    async def _once_upstream(self, key: str, wanted: NewPersona) -> Made:
        """A repeat of an attempt whose end was never seen carries its key, so that upstream makes no second persona.

        The key turns with the clock, so that the same wanted a minute later is a new persona, as it is meant to be; and
        until it turns, other workers derive the same one.
        """
        idempotency = self._unsettled.get(key) or _digest(key, int(self._now() // self._ttl))
        self._unsettled.put(key, idempotency)
        made = await self._post(wanted, idempotency)
        self._unsettled.forget(key)
        return made


def _digest(*parts: Any) -> str:
    return hashlib.sha256(orjson.dumps(parts, option=orjson.OPT_SORT_KEYS)).hexdigest()
