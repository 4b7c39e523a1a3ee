"""One persona for one wish: an equal creation within some seconds is the same one."""

import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from uuid import uuid4

from mcp_server.caller import Caller
from mcp_server.observability.telemetry import CacheLookup, no_op
from mcp_server.toolkit.cache import TtlCache
from mcp_server.toolsets.personas._bulk import digest
from mcp_server.toolsets.personas._wire import Made

UNSETTLED = 600.0
"""Seconds for which an attempt without an answer is remembered, so that a repeat of it carries the same key."""


class Creations:
    """Creates each persona once: the same call from the same caller within `ttl` seconds makes one persona.

    An anonymous caller is nobody in particular: two strangers who ask for the same demo persona would be handed one
    persona, and the key to it. So anonymous calls never share, neither a result nor a flight, and each has a key of its
    own; what bounds them is the rate limit. `post` sends a body upstream under an idempotency key; `now` is the wall
    clock, which the workers share.
    """

    def __init__(
        self,
        post: Callable[[Mapping[str, Any], str], Awaitable[Made]],
        *,
        ttl: float,
        now: Callable[[], float] = time.time,
        clock: Callable[[], float] = time.monotonic,
        on_lookup: CacheLookup = no_op,
    ) -> None:
        self._post, self._ttl, self._now = post, ttl, now
        self._finished: TtlCache[str, Made] = TtlCache(ttl, clock=clock, on_lookup=on_lookup)
        self._unsettled: TtlCache[str, str] = TtlCache(UNSETTLED, clock=clock)

    async def create(self, body: Mapping[str, Any], caller: Caller) -> tuple[Made, bool]:
        """The persona, and whether an earlier call made it."""
        if caller.owner is None:
            return await self._post(body, uuid4().hex), False
        key = digest(caller.owner, body)

        async def post() -> Made:
            # A repeat of an attempt whose end was never seen carries its key, so that upstream makes no second persona.
            # The key turns with the clock, so that an equal call a minute later is a new persona, as it is meant to
            # be; and until it turns, other workers derive the same one.
            idempotency = self._unsettled.get(key) or digest(key, int(self._now() // self._ttl))
            self._unsettled.put(key, idempotency)
            made = await self._post(body, idempotency)
            self._unsettled.forget(key)
            return made

        made, leads = await self._finished.once(key, post)
        return made, not leads
