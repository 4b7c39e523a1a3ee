"""What has changed in the resources of toolsets, told to all who listen in this process.

A toolset whose resources change has a watch, which is asked what is new once a second while anybody listens, and never
otherwise. So it does not matter who made a change: this worker, another one, a command, or another machine.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextvars import Context
from functools import partial
from typing import Any, NamedTuple

import structlog

from mcp_server.errors import ServiceUnavailable

INTERVAL = 1.0  # seconds between two looks
PATIENCE = 10.0
"""Seconds that one look may take; a frozen database must not freeze the looks at other toolsets for long."""

MOST_LISTENERS = 1_000
"""In one process. Each over HTTP holds a connection that cannot be taken from it."""

log = structlog.get_logger(__name__)


class Changed(NamedTuple):
    """What a watch has seen. `mark` is how far it has looked, and is handed to the next look.

    The resources at `uris` have another content, or none any more. With `is_list_changed`, there are others, or they
    have other names or descriptions.
    """

    mark: int
    uris: frozenset[str] = frozenset()
    is_list_changed: bool = False


Watch = Callable[[Any, int | None], Awaitable[Changed]]
"""`async def watch(service, since)`: what has changed after the mark `since`; for None the mark of this moment."""

Look = Callable[[int | None], Awaitable[Changed]]
"""A watch with its service."""

Listener = Callable[[Changed], Awaitable[None]]
"""Told of each change. It does not raise, and does not wait for a client over the network."""


class Changes:
    """The changes of all toolsets that have a watch. One per runtime; `interval` is in seconds."""

    def __init__(self, interval: float = INTERVAL) -> None:
        self._interval = interval
        self._marks: dict[Look, int] = {}
        self._watches: list[Look] = []
        self._listeners: dict[object, tuple[Listener, Callable[[], None]]] = {}
        self._looking: asyncio.Task[None] | None = None
        self._beginning = asyncio.Lock()
        self._is_ended = False

    def watch(self, look: Look) -> None:
        """Ask `look`, too."""
        self._watches.append(look)

    async def tell(self, listener: Listener, end: Callable[[], None]) -> Callable[[], object]:
        """Tell `listener` of all that changes from now on, until what is returned is called. `end` is called when
        serving ends.

        Raises `ServiceUnavailable`: serving ends, there are as many as there may be, or a watch fails.
        """
        token = object()
        async with self._beginning:
            if self._is_ended or len(self._listeners) >= MOST_LISTENERS:
                raise ServiceUnavailable("No subscription can be taken at the moment; try again", retry_after=5)
            if self._looking is None:
                await self._begin()
            self._listeners[token] = listener, end
        return partial(self._listeners.pop, token, None)

    def end(self) -> None:
        """Call the `end` of every listener, and take no other."""
        self._is_ended = True
        for _, end in list(self._listeners.values()):
            end()

    async def aclose(self) -> None:
        """Look no more."""
        self.end()
        looking, self._looking = self._looking, None
        if looking is not None:
            looking.cancel()
            await asyncio.wait([looking])

    async def _begin(self) -> None:
        for look in self._watches:
            if (now := await _looked(look, None)) is None:
                raise ServiceUnavailable("What has changed cannot be known at the moment; try again", retry_after=5)
            self._marks[look] = now.mark
        # It outlives the request that began it, and is nobody's in particular.
        self._looking = asyncio.create_task(self._look(), context=Context())

    async def _look(self) -> None:
        try:
            await asyncio.sleep(self._interval)
            while self._listeners:
                for look in self._watches:
                    if (changed := await _looked(look, self._marks[look])) is None:
                        continue
                    self._marks[look] = changed.mark
                    if changed.uris or changed.is_list_changed:
                        await self._tell(changed)
                await asyncio.sleep(self._interval)
        finally:
            self._looking = None

    async def _tell(self, changed: Changed) -> None:
        told = (listener(changed) for listener, _ in self._listeners.values())
        for fault in await asyncio.gather(*told, return_exceptions=True):
            if isinstance(fault, Exception):  # a bug, which the other listeners do not suffer from
                log.error("listener_crashed", exc_info=fault)


async def _looked(look: Look, since: int | None) -> Changed | None:
    """What a look has seen; None where it failed, which the next one makes good."""
    try:
        async with asyncio.timeout(PATIENCE):
            return await look(since)
    except Exception as fault:  # noqa: BLE001  a database that is away, as a rule; listeners outlive that
        log.warning("changes_unknown", fault=type(fault).__name__)
        return None
