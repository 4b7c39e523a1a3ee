"""Lists that all processes of an installation share, in Redis. While it is away they are empty."""

import asyncio
import hashlib
import logging
from collections.abc import Sequence
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from app.limits.redis_url import redis_address
from app.settings import Settings
from mcp_server.errors import ServiceUnavailable

if TYPE_CHECKING:
    from app.limits.redis_clients import Command

SECONDS = 1.0

log = logging.getLogger(__name__)


class RedisLists:
    """Each operation has a connection of its own: there are few, and what they are for takes seconds anyway."""

    def __init__(self, url: str) -> None:
        self._address, self._redis = redis_address(url), resolve_name("app.limits.redis_clients")  # with its driver

    async def read(self, key: str) -> Sequence[bytes]:
        replies = await self._run(("LRANGE", _name(key), 0, -1))
        return replies[0] if replies else ()

    async def add(self, key: str, value: bytes, most: int, seconds: float) -> bool:
        name = _name(key)
        ends = "PEXPIRE", name, round(seconds * 1000)
        return bool(await self._run(("RPUSH", name, value), ("LTRIM", name, -most, -1), ends))

    async def clear(self, key: str) -> None:
        if not await self._run(("DEL", _name(key))):
            raise ServiceUnavailable("What is kept cannot be reached; try again")

    async def _run(self, *commands: "Command") -> list[Any]:
        """The replies; none where one of them is not to be had."""
        connection, replies = self._redis.open_connection(self._address), list[Any]()
        try:
            async with asyncio.timeout(SECONDS):
                replies = await connection.run(commands)
        except self._redis.FAULTS as fault:
            replies = [fault]
        finally:
            await connection.close()
        if faults := [type(reply).__name__ for reply in replies if isinstance(reply, Exception)]:
            log.warning("a shared list is not to be had: %s", faults[0])
        return [] if faults else replies


def open_lists(settings: Settings) -> RedisLists | None:
    """None without Redis: each process has its own then."""
    return None if settings.redis_url is None else RedisLists(settings.redis_url.get_secret_value())


def _name(key: str) -> str:
    """Hashed: whose it is shall not stand there."""
    return f"lists:{hashlib.sha256(key.encode()).hexdigest()[:32]}"
