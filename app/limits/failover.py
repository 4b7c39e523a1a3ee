"""What happens when Redis is away: each process counts its part by itself, at once, and notices when it is back."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

import structlog

from app.limits.redis_windows import RedisWindows, StoreDown
from mcp_server.limits.decisions import Decision, Rule
from mcp_server.limits.windows import InMemorySlidingWindow

RETRY_SECONDS = 1.0
"""Between two looks whether Redis is back. No call waits for them."""
PROBE_SECONDS = 1.0
"""For a look: connecting may take a name server, a sentinel and a TLS handshake."""

Changed = Callable[[bool], None]
"""Told whether Redis counts, at the start and at each change."""

log = structlog.get_logger(__name__)


def unobserved(_is_up: bool) -> None:  # noqa: FBT001  the one thing that is told
    """For a process that nobody watches."""


class FailoverLimiter:
    """A `Limiter` that never fails: `shared` while Redis answers, `workers` local parts while it does not.

    Calls that Redis has allowed are counted locally too, so that who used up the limit here stays refused when it goes.

    `patient` is the same Redis with a longer timeout, for what must not be counted locally: on a connection of its own,
    because one that `shared` gives up takes along what is asked on it.
    """

    def __init__(
        self,
        shared: RedisWindows,
        local: InMemorySlidingWindow,
        *,
        patient: RedisWindows,
        workers: int = 1,
        changed: Changed = unobserved,
        retry: float = RETRY_SECONDS,
    ) -> None:
        self._shared, self._local, self._patient, self._workers = shared, local, patient, workers
        self._changed, self._retry = changed, retry
        self._is_lost, self._is_in_doubt = True, asyncio.Event()
        self._is_in_doubt.set()
        self.has_answered = False
        self._was_sought_in_vain = False
        self._told: bool | None = None

    @property
    def is_up(self) -> bool:
        """Whether Redis counts at this moment."""
        return not self._is_lost

    async def hit(self, identity: str, rules: tuple[Rule, ...], cost: int = 1) -> Decision:
        """Charge all windows or none; this process's part of each while Redis is away."""
        if self._is_lost:
            return self._local_hit(identity, rules, cost)
        try:
            charge = await self._shared.hit(identity, rules, cost)
        except StoreDown as down:
            self._lose(down)
            return self._local_hit(identity, rules, cost)
        if charge.allowed:
            self._local_hit(identity, rules, cost)
        return charge

    async def strict_hit(self, identity: str, rules: tuple[Rule, ...], cost: int = 1) -> Decision:
        """The same by Redis alone, for what must not be let in uncounted.

        A Redis that `hit` takes for lost is asked all the same, until a look for it has failed: a pause that is longer
        than the patience of a call is not yet a reason to refuse somebody the token of their sign-in. Nor is a fault
        of this connection, which may only have been quiet for too long, a reason to give up that of the calls.

        Raises:
            StoreDown: Redis is not to be had, or was not when it was looked for last.

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
        watching = asyncio.create_task(self._watch())
        try:
            yield
        finally:
            watching.cancel()
            with suppress(asyncio.CancelledError):
                await watching
            await self._shared.close()
            await self._patient.close()

    def _local_hit(self, identity: str, rules: tuple[Rule, ...], cost: int) -> Decision:
        parts = tuple(rule.share(self._workers) for rule in rules) if self._workers > 1 else rules
        return self._local.take(identity, parts, min(cost, *(part.amount for part in parts)))

    def _lose(self, down: StoreDown) -> None:
        self._is_in_doubt.set()
        if not self._is_lost:
            self._is_lost = True
            log.warning("limit_store_lost", reason=str(down))
            self._tell(is_up=False)

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
            if not self.has_answered:
                log.warning("limit_store_not_found", reason=str(down))
            self._was_sought_in_vain = True
            self._lose(down)
            self._tell(is_up=False)
            return
        self._was_sought_in_vain = False
        self._is_in_doubt.clear()
        if self._is_lost:
            self.has_answered, self._is_lost = True, False
            log.info("limit_store_answers")
            self._tell(is_up=True)

    def _tell(self, *, is_up: bool) -> None:
        """A look that finds what was found before is no news."""
        if is_up is not self._told:
            self._told = is_up
            self._changed(is_up)
