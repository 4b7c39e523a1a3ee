"""What happens when Redis is away: each process counts its part by itself, at once, and notices when it is back."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import structlog

from app.limits.redis_windows import RedisWindows
from mcp_server.limits.decisions import Decision, Rule, StoreDown
from mcp_server.limits.windows import InMemorySlidingWindow
from mcp_server.observability.telemetry import no_op
from mcp_server.toolkit.tasks import beside

RETRY_SECONDS = 1.0  # between two looks whether Redis is back. No call waits for them.
PROBE_SECONDS = 1.0  # for a look: connecting may take a name server, a sentinel and a TLS handshake

log = structlog.get_logger(__name__)


class FailoverLimiter:
    """Windows that never fail: `shared` while Redis answers, `workers` local parts while it does not.

    Calls that Redis has allowed are counted locally too, so that who used up the limit here stays refused when it goes.

    `patient` is the same Redis with a longer timeout, for what must not be counted locally: on a connection of its own,
    because one that `shared` gives up takes along what is asked on it. `changed` is called with whether Redis
    counts, at the start and at each change.
    """

    def __init__(
        self,
        shared: RedisWindows,
        local: InMemorySlidingWindow,
        *,
        patient: RedisWindows,
        workers: int = 1,
        changed: Callable[[bool], None] = no_op,
        retry: float = RETRY_SECONDS,
    ) -> None:
        self._shared, self._local, self._patient, self._workers = shared, local, patient, workers
        self._changed, self._retry = changed, retry
        self._is_in_doubt = asyncio.Event()
        self._is_in_doubt.set()
        self.is_up, self.has_answered = False, False
        """Whether Redis counts at this moment, and whether it ever did."""
        self._was_sought_in_vain = False

    async def hit(self, identity: str, rules: tuple[Rule, ...], cost: int = 1) -> Decision:
        """Charge all windows or none; this process's part of each while Redis is away."""
        if not self.is_up:
            return await self._local_hit(identity, rules, cost)
        try:
            charge = await self._shared.hit(identity, rules, cost)
        except StoreDown as down:
            self._lose(down)
            return await self._local_hit(identity, rules, cost)
        if charge.allowed:
            await self._local_hit(identity, rules, cost)
        return charge

    async def strict_hit(self, identity: str, rules: tuple[Rule, ...], cost: int = 1) -> Decision:
        """The same by Redis alone, for what must not be let in uncounted.

        A Redis that `hit` takes for lost is asked all the same, until a look for it has failed: a pause that is longer
        than the patience of a call is not yet a reason to refuse somebody the token of their sign-in. Nor is a fault
        of this connection, which may only have been quiet for too long, a reason to give up that of the calls.

        Raises `StoreDown`: Redis is not to be had, or was not when it was looked for last.
        """
        if self._was_sought_in_vain:
            raise StoreDown("away")
        try:
            return await self._patient.hit(identity, rules, cost)
        except StoreDown:
            self._is_in_doubt.set()
            raise

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Look for Redis, and go on looking whenever it is away."""
        await self._look()
        try:
            async with beside(self._watch()):
                yield
        finally:
            await self._shared.close()
            await self._patient.close()

    async def _local_hit(self, identity: str, rules: tuple[Rule, ...], cost: int) -> Decision:
        parts = tuple(rule.share(self._workers) for rule in rules) if self._workers > 1 else rules
        return await self._local.hit(identity, parts, min(cost, *(part.amount for part in parts)))

    def _lose(self, down: StoreDown) -> None:
        self._is_in_doubt.set()
        if self.is_up:
            self.is_up = False
            log.warning("limit_store_lost", reason=str(down))
            self._changed(False)  # noqa: FBT003  a callback

    async def _watch(self) -> None:
        while True:
            await self._is_in_doubt.wait()
            await asyncio.sleep(self._retry)
            try:
                await self._look()
            except Exception:  # whatever it was: who stops looking counts alone for good
                log.exception("limit_store_look_failed")

    async def _look(self) -> None:
        try:
            for connection in (self._shared, self._patient):
                await connection.probe(PROBE_SECONDS)
        except StoreDown as down:
            if not (self.has_answered or self._was_sought_in_vain):
                log.warning("limit_store_not_found", reason=str(down))
                self._changed(False)  # noqa: FBT003  a callback
            self._was_sought_in_vain = True
            self._lose(down)
            return
        self._was_sought_in_vain = False
        self._is_in_doubt.clear()
        if not self.is_up:
            self.has_answered = self.is_up = True
            log.info("limit_store_answers")
            self._changed(True)  # noqa: FBT003  a callback
