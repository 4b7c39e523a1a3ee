"""Tells every process of an installation, through Redis, to look for revocations now and not only twice a second."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pkgutil import resolve_name
from typing import TYPE_CHECKING

from sqlalchemy.ext.asyncio import AsyncEngine

from app.limits.redis_url import redis_address
from app.settings import Settings
from oauth.stores.base import on_announcement

if TYPE_CHECKING:
    from app.limits.redis_clients import RedisConnection

CHANNEL = "oauth:revocations"
PUBLISH_SECONDS, RETRY_SECONDS = 1.0, 5.0

log = logging.getLogger(__name__)


@asynccontextmanager
async def connected(
    settings: Settings, engine: AsyncEngine, heard: Callable[[], None] | None = None
) -> AsyncIterator[None]:
    """Publish what `engine` commits of revocations; call `heard` for those of all, and when one may be missed."""
    if settings.redis_url is None:
        yield
        return
    redis = resolve_name("app.limits.redis_clients")  # with its driver, which is needed nowhere else
    open_one = partial(redis.open_connection, redis_address(settings.redis_url.get_secret_value()))
    publishing: set[asyncio.Task[None]] = set()

    def announced() -> None:
        publishing.add(task := asyncio.create_task(_publish(open_one(), redis.FAULTS)))
        task.add_done_callback(publishing.discard)

    on_announcement(engine, announced)
    listening = None if heard is None else asyncio.create_task(_listen(open_one, heard, redis.FAULTS))
    try:
        yield
    finally:
        await asyncio.gather(*publishing)
        if listening is not None:
            listening.cancel()
            await asyncio.wait([listening])


async def _publish(connection: "RedisConnection", faults: tuple[type[Exception], ...]) -> None:
    try:
        async with asyncio.timeout(PUBLISH_SECONDS):
            (reply,) = await connection.run([("PUBLISH", CHANNEL, "")])
        if isinstance(reply, Exception):
            raise reply
    except faults as fault:
        log.warning("a revocation was not published, and is seen half a second later: %s", type(fault).__name__)
    finally:
        await connection.close()


async def _listen(
    open_one: Callable[[], "RedisConnection"], heard: Callable[[], None], faults: tuple[type[Exception], ...]
) -> None:
    while True:
        connection = open_one()
        try:
            async for _ in connection.listen(CHANNEL):
                heard()
        except faults as fault:
            log.warning("revocations are seen half a second later: %s", type(fault).__name__)
        finally:
            await connection.close()
        await asyncio.sleep(RETRY_SECONDS)
