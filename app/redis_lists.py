"""Lists that all processes of an installation share, in Redis. While it is away they are empty."""

import asyncio
import hashlib
import logging
from collections.abc import Callable, Sequence
from functools import partial
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from app.limits.redis_url import redis_address
from app.settings import Settings
from mcp_server.errors import ServiceUnavailable

if TYPE_CHECKING:
    from app.limits.redis_clients import Command, RedisConnection

SECONDS = 1.0

log = logging.getLogger(__name__)


class RedisLists:
    """`open_one` makes a connection; each operation has its own, as there are few and an answer takes seconds anyway.

    `faults` are what a connection raises.
    """

    def __init__(self, open_one: "Callable[[], RedisConnection]", faults: tuple[type[Exception], ...]) -> None:
        self._open, self._faults = open_one, faults

    async def read(self, key: str) -> Sequence[bytes]:
        replies = await self._run(("LRANGE", _name(key), 0, -1))
        return replies[0] if replies else ()

    async def add(self, key: str, value: bytes, most: int, seconds: float) -> bool:
        name, milliseconds = _name(key), round(seconds * 1000)
        return bool(
            await self._run(("RPUSH", name, value), ("LTRIM", name, -most, -1), ("PEXPIRE", name, milliseconds))
        )

    async def clear(self, key: str) -> None:
        if not await self._run(("DEL", _name(key))):
            raise ServiceUnavailable("What is kept cannot be reached; try again")

    async def _run(self, *commands: "Command") -> list[Any]:
        """The replies; none where one of them is not to be had."""
        connection = self._open()
        try:
            async with asyncio.timeout(SECONDS):
                replies = await connection.run(commands)
            if refusals := [reply for reply in replies if isinstance(reply, Exception)]:
                raise refusals[0]
        except self._faults as fault:
            log.warning("a shared list is not to be had: %s", type(fault).__name__)
            return []
        finally:
            await connection.close()
        return replies


def open_lists(settings: Settings) -> RedisLists | None:
    """None without Redis: each process has its own then."""
    if settings.redis_url is None:
        return None
    redis = resolve_name("app.limits.redis_clients")  # with its driver
    address = redis_address(settings.redis_url.get_secret_value())
    return RedisLists(partial(redis.open_connection, address), redis.FAULTS)


def _name(key: str) -> str:
    """Hashed: whose it is shall not stand there."""
    return f"lists:{hashlib.sha256(key.encode()).hexdigest()[:32]}"
