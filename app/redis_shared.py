"""What the processes of an installation share through Redis beside their limits: lists, and word of revocations.

While it is away lists are empty, and revocations are seen when each process looks, twice a second.
"""

import asyncio
import hashlib
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from sqlalchemy.ext.asyncio import AsyncEngine

from app.limits.redis_url import redis_address
from app.settings import Settings
from mcp_server.errors import ServiceUnavailable
from oauth.stores.base import on_announcement

if TYPE_CHECKING:
    from app.limits.redis_clients import Command, RedisConnection

SECONDS, RETRY_SECONDS = 1.0, 5.0
CHANNEL = "oauth:revocations"
LIST_LOST = "a shared list is not to be had"
SEEN_LATE = "a revocation was not published, and is seen half a second later"

log = logging.getLogger(__name__)


class SharedRedis:
    """Each use has a connection of its own: there are few, and what they are for takes seconds anyway."""

    def __init__(self, url: str) -> None:
        clients = resolve_name("app.limits.redis_clients")  # with its driver, which is needed nowhere else
        self._address, self._open, self.faults = redis_address(url), clients.open_connection, clients.FAULTS

    def open(self) -> "RedisConnection":
        connection: RedisConnection = self._open(self._address)
        return connection

    async def run(self, lost: str, *commands: "Command") -> list[Any]:
        """The replies; none where one of them is not to be had, which is logged as `lost`."""
        connection, replies = self.open(), list[Any]()
        try:
            async with asyncio.timeout(SECONDS):
                replies = await connection.run(commands)
        except self.faults as fault:
            replies = [fault]
        finally:
            await connection.close()
        if faults := [type(reply).__name__ for reply in replies if isinstance(reply, Exception)]:
            log.warning("%s: %s", lost, faults[0])
        return [] if faults else replies


class RedisLists(SharedRedis):
    async def read(self, key: str) -> Sequence[bytes]:
        replies = await self.run(LIST_LOST, ("LRANGE", _name(key), 0, -1))
        return replies[0] if replies else ()

    async def add(self, key: str, value: bytes, most: int, seconds: float) -> bool:
        name = _name(key)
        ends = "PEXPIRE", name, round(seconds * 1000)
        return bool(await self.run(LIST_LOST, ("RPUSH", name, value), ("LTRIM", name, -most, -1), ends))

    async def clear(self, key: str) -> None:
        if not await self.run(LIST_LOST, ("DEL", _name(key))):
            raise ServiceUnavailable("What is kept cannot be reached; try again")


def open_lists(settings: Settings) -> RedisLists | None:
    """None without Redis: each process has its own then."""
    return None if settings.redis_url is None else RedisLists(settings.redis_url.get_secret_value())


def _name(key: str) -> str:
    """Hashed: whose it is shall not stand there."""
    return f"lists:{hashlib.sha256(key.encode()).hexdigest()[:32]}"


@asynccontextmanager
async def connected(
    settings: Settings, engine: AsyncEngine, heard: Callable[[], None] | None = None
) -> AsyncIterator[None]:
    """Publish what `engine` commits of revocations; call `heard` for those of all, and when one may be missed."""
    if settings.redis_url is None:
        yield
        return
    redis = SharedRedis(settings.redis_url.get_secret_value())
    publishing: set[asyncio.Task[list[Any]]] = set()

    def announced() -> None:
        publishing.add(task := asyncio.create_task(redis.run(SEEN_LATE, ("PUBLISH", CHANNEL, ""))))
        task.add_done_callback(publishing.discard)

    on_announcement(engine, announced)
    listening = None if heard is None else asyncio.create_task(_listen(redis, heard))
    try:
        yield
    finally:
        await asyncio.gather(*publishing)
        if listening is not None:
            listening.cancel()
            await asyncio.wait([listening])


async def _listen(redis: SharedRedis, heard: Callable[[], None]) -> None:
    while True:
        connection = redis.open()
        try:
            async for _ in connection.listen(CHANNEL):
                heard()
        except redis.faults as fault:
            log.warning("revocations are seen half a second later: %s", type(fault).__name__)
        finally:
            await connection.close()
        await asyncio.sleep(RETRY_SECONDS)
