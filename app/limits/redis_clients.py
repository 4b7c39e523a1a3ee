"""The connection to Redis in its three forms: one server, a primary that sentinels name, a cluster."""

import asyncio
from collections.abc import Sequence
from typing import Any, Protocol

from redis.asyncio import ConnectionPool, Redis, RedisCluster, Sentinel
from redis.asyncio.cluster import ClusterNode
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisClusterException, RedisError

from app.limits.redis_url import RedisAddress

Command = tuple[str | bytes | int, ...]

CONNECT_SECONDS, SOCKET_SECONDS = 5.0, 60.0
"""By the clock, for a connection and for the last word of a socket. Whoever waits for an answer stops long before, when
its patience ends. A process that was stopped for seconds finds the answer in the socket, and must not have thrown it
away by then."""
SIDE_BY_SIDE = 8
"""Commands at once to a cluster, each on a connection of its own."""


class RedisConnection(Protocol):
    """Sends commands."""

    async def run(self, commands: Sequence[Command]) -> list[Any]:
        """The reply to each, in one round trip; a refusal of the server is a reply, too.

        Raises:
            RedisError, OSError: there was no answer.

        """
        ...

    async def close(self) -> None: ...


def open_connection(address: RedisAddress) -> RedisConnection:
    """Nothing is connected before the first command."""
    options: dict[str, Any] = {
        "socket_timeout": SOCKET_SECONDS,
        "socket_connect_timeout": CONNECT_SECONDS,
        "retry": Retry(NoBackoff(), 1, supported_errors=(RedisConnectionError,)),
    }
    if address.kind == "single":
        # No answer is asked for twice: a lost connection is, which a server that was restarted leaves behind.
        pool = ConnectionPool.from_url(address.url, max_connections=2, **options)
        return SingleConnection(Redis(connection_pool=pool))
    plain = dict(options)  # sentinels have no TLS and no credentials of the primary's
    options.update(ssl=address.tls, username=address.username, password=address.password)
    if address.kind == "cluster":
        nodes = [ClusterNode(host, port) for host, port in address.hosts]
        return ClusterConnections(RedisCluster(startup_nodes=nodes, **options))
    sentinel = Sentinel(  # type: ignore[no-untyped-call]  # redis-py leaves this one untyped
        address.hosts, sentinel_kwargs=plain, db=address.database, **options
    )
    return SingleConnection(sentinel.master_for(address.service), sentinel.sentinels)


class SingleConnection:
    """One connection, on which all commands of a batch travel together."""

    def __init__(self, client: Redis, asked: Sequence[Redis] = ()) -> None:
        self._client, self._asked = client, asked

    async def run(self, commands: Sequence[Command]) -> list[Any]:
        async with self._client.pipeline(transaction=False) as pipeline:
            for command in commands:
                pipeline.execute_command(*command)
            return await pipeline.execute(raise_on_error=False)

    async def close(self) -> None:
        for client in (self._client, *self._asked):  # the sentinels that said where it is, too
            await client.aclose(close_connection_pool=True)


class ClusterConnections:
    """A few connections to each node: the commands of a batch belong to different ones."""

    def __init__(self, client: RedisCluster) -> None:
        self._client, self._turn = client, asyncio.Semaphore(SIDE_BY_SIDE)

    async def run(self, commands: Sequence[Command]) -> list[Any]:
        replies = await asyncio.gather(*map(self._one, commands), return_exceptions=True)
        for reply in replies:
            is_refusal = isinstance(reply, RedisError) and not isinstance(reply, RedisConnectionError)
            if isinstance(reply, BaseException) and not is_refusal:
                raise reply
        return list(replies)

    async def close(self) -> None:
        await self._client.aclose()

    async def _one(self, command: Command) -> Any:
        async with self._turn:
            try:
                return await self._client.execute_command(*command)
            except RedisClusterException as error:  # which is no RedisError
                raise RedisConnectionError(type(error).__name__) from error
