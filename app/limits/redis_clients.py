"""The connection to Redis in its three forms: one server, a primary that sentinels name, a cluster."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from typing import Any

from redis.asyncio import ConnectionPool, Redis, RedisCluster, Sentinel
from redis.asyncio.cluster import ClusterNode
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisClusterException, RedisError

from app.limits.redis_url import RedisAddress

FAULTS = (RedisError, RedisClusterException, OSError)

Command = tuple[str | bytes | int, ...]

CONNECT_SECONDS, SOCKET_SECONDS = 5.0, 60.0
"""By the clock, for a connection and for the last word of a socket. Whoever waits for an answer stops long before, when
its patience ends. A process that was stopped for seconds finds the answer in the socket, and must not have thrown it
away by then."""


class RedisConnection:
    """Sends commands, those of a batch together: on one connection, or on one to each node of a cluster.

    Of a primary that `sentinels` name, these are connected as well.
    """

    def __init__(self, client: Redis | RedisCluster, sentinels: Sequence[Redis] = ()) -> None:
        self._client, self._sentinels = client, sentinels

    async def run(self, commands: Sequence[Command]) -> list[Any]:
        """The reply to each, in one round trip; a refusal of the server is a reply, too.

        Raises `RedisError, OSError`: there was no answer.
        """
        try:
            async with self._client.pipeline(transaction=False) as pipeline:
                for command in commands:
                    pipeline.execute_command(*command)
                replies: list[Any] = await pipeline.execute(raise_on_error=False)
        except RedisClusterException as error:  # which is no RedisError
            raise RedisConnectionError(type(error).__name__) from error
        for reply in replies:  # of a cluster's node that is gone
            if isinstance(reply, RedisConnectionError):
                raise reply
        return replies

    async def listen(self, channel: str) -> AsyncIterator[None]:
        """Yields when it listens, and for each message; of a cluster every node passes all of them on.

        Raises `RedisError, RedisClusterException, OSError`: the connection ended.
        """
        async with AsyncExitStack() as stack:
            client = self._client
            if isinstance(client, RedisCluster):
                node = (await client.initialize()).get_random_node()
                pool = ConnectionPool(node.connection_class, max_connections=1, **node.connection_kwargs)
                client = await stack.enter_async_context(Redis.from_pool(pool))
            messages = await stack.enter_async_context(client.pubsub())
            await messages.subscribe(channel)
            while True:
                if await messages.get_message(timeout=SOCKET_SECONDS / 2) is not None:
                    yield

    async def close(self) -> None:
        for client in (self._client, *self._sentinels):
            await client.aclose()


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
        return RedisConnection(Redis.from_pool(pool))
    plain = dict(options)  # sentinels have no TLS and no credentials of the primary's
    options.update(ssl=address.tls, username=address.username, password=address.password)
    if address.kind == "cluster":
        nodes = [ClusterNode(host, port) for host, port in address.hosts]
        return RedisConnection(RedisCluster(startup_nodes=nodes, **options))
    sentinel = Sentinel(  # type: ignore[no-untyped-call]  # redis-py leaves this one untyped
        address.hosts, sentinel_kwargs=plain, db=address.database, **options
    )
    return RedisConnection(sentinel.master_for(address.service), sentinel.sentinels)
