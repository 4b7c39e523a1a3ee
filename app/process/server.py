"""uvicorn's server, which loses no connection that was made before the port closed.

uvicorn closes the port and, in the same moment, each idle connection. A client that had connected and was not accepted
yet, or whose request was still on its way, would see a reset; and a proxy sends no POST again then.
"""

import asyncio
import ctypes
import os
import signal
import socket
import struct
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from types import FrameType

import uvicorn

from app.process.shutdown import DRAIN, LINGER_SECONDS, Drain
from mcp_server.observability.gc_tuning import paused
from mcp_server.sparing import sparing

UNDERWAY_SECONDS = 0.1
"""For requests that were sent before the port closed: they are here already, and only have to be read."""

STUCK_SECONDS = 30.0  # without a tick of the event loop, of which there are ten a second

RETIRE = getattr(signal, "SIGHUP", None)
"""Tells one worker to end while the others stay; None on a system without it."""

TICK_SECONDS = 0.1  # between two ticks, as uvicorn has it

LAG = "observe_event_loop_lag"
"""Key of the lifespan state: what is told by how many seconds each tick was late."""

SO_ATTACH_FILTER = 26  # of Linux
DROP_SYN = struct.pack("HBBI" * 4, *(0x30, 0, 0, 13), *(0x45, 1, 0, 2), *(6, 0, 0, 0xFFFF), *(6, 0, 0, 0))
"""Socket filter: load the flags of the TCP header; with SYN among them go to the last line; keep; drop."""

OPEN = "open"
"""Key of the lifespan state: whether an application whose start is deferred serves by now."""


class AcceptTracker:
    """Tracks which workers still accept; EOF on the pipe means that the last has stopped.

    Each process that serves the port holds a write end. The system closes it for those that die.
    """

    def __init__(self) -> None:
        self._all, self._own = get_context("spawn").Pipe(duplex=False)

    def stop(self) -> None:
        """Say that this process does not accept any more."""
        self._own.close()

    def is_last(self) -> bool:
        """Whether no other process accepts. To be asked after `stop` only."""
        return self._all.poll()


class Config(uvicorn.Config):
    """Imports and makes the application with the garbage collector at rest, and no model before it is used."""

    def load(self) -> None:
        with paused(), sparing():
            super().load()


class Server(uvicorn.Server):
    """Accepts the connections that are pending, closes the port, and only then ends as uvicorn does.

    With `accepting`, which others share, it leaves the port to them unless it is the last.
    """

    def __init__(self, config: uvicorn.Config, accepting: AcceptTracker | None = None) -> None:
        super().__init__(config)
        self._accepting = accepting
        self._retires = False
        self._turned: float | None = None

    @property
    def is_open(self) -> bool:
        """Whether it listens, and its application is open; one that says nothing of it is from the beginning."""
        return self.started and bool(self.lifespan.state.get(OPEN, True))

    @property
    def is_stuck(self) -> bool:
        """Whether its event loop does not turn; said by another thread."""
        turned = self._turned
        return turned is not None and not self.should_exit and time.monotonic() - turned > STUCK_SECONDS

    async def on_tick(self, counter: int) -> bool:
        now = time.monotonic()
        observe_lag = self.lifespan.state.get(LAG)
        if observe_lag is not None and self._turned is not None:
            observe_lag(max(0.0, now - self._turned - TICK_SECONDS))
        self._turned = now
        return await super().on_tick(counter)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        with super().capture_signals():
            if RETIRE is None or threading.current_thread() is not threading.main_thread():
                yield
                return
            before = signal.signal(RETIRE, self.handle_exit)
            try:
                yield
            finally:
                signal.signal(RETIRE, before)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End, after the notice of the application where there is one. SIGHUP is for one of several workers."""
        if sig == RETIRE and self._accepting is None:
            sig = signal.SIGTERM  # without other workers it does not go alone
        self._retires = sig == RETIRE
        drain = self._drain
        if drain is not None:
            is_first, drain.begun = not drain.begun, drain.begun or sig == signal.SIGTERM
            drain.goes_alone = drain.goes_alone or self._retires
            if sig == signal.SIGTERM and is_first and drain.notice > 0:  # told twice, it does not wait any longer
                loop = asyncio.get_running_loop()
                # A handler of signals may interrupt the loop anywhere; nothing else of it may be called from here.
                loop.call_soon_threadsafe(loop.call_later, drain.notice, super().handle_exit, sig, None)
                return
        super().handle_exit(sig, frame)

    @property
    def _drain(self) -> Drain | None:
        return self.lifespan.state.get(DRAIN) if hasattr(self, "lifespan") else None

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        loop = asyncio.get_running_loop()
        ports = [socket.socket(fileno=os.dup(port.fileno())) for server in self.servers for port in server.sockets]
        for server in self.servers:
            server.close()
        if await self._is_last():
            # Between the last look at the port and its end nothing else of this process runs.
            for one in [one for port in ports for one in _pending(port)]:
                await loop.connect_accepted_socket(self._protocol, one)
        for port in ports:
            port.close()
        for end in self._drain.ends if self._drain is not None else ():
            end()
        await asyncio.sleep(UNDERWAY_SECONDS)
        if self._retires:
            await self._idle_connections_end()
        await super().shutdown(sockets)

    async def _is_last(self) -> bool:
        """Whether no other process will accept. The supervisor stops when all end, perhaps a moment later."""
        if self._accepting is None:
            return True
        self._accepting.stop()
        until = time.monotonic() + UNDERWAY_SECONDS
        while not self._accepting.is_last():
            if time.monotonic() > until:
                return False
            await asyncio.sleep(UNDERWAY_SECONDS / 20)
        return True

    async def _idle_connections_end(self) -> None:
        """Wait until they end by themselves: a client may be sending a request on one."""
        until = time.monotonic() + min(self.config.timeout_keep_alive, LINGER_SECONDS) + UNDERWAY_SECONDS
        while self.server_state.connections and not self.force_exit:
            if time.monotonic() > until:
                return
            await asyncio.sleep(UNDERWAY_SECONDS)

    def _protocol(self) -> asyncio.Protocol:
        protocol: asyncio.Protocol = self.config.http_protocol_class(  # type: ignore[call-arg]  # as uvicorn
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state, _loop=None
        )
        return protocol


def _pending(listener: socket.socket) -> Iterator[socket.socket]:
    """The connections that are not accepted yet; after them the port refuses new ones.

    None may begin between the last look and the end of the port: it would be reset, its request lost.
    """
    listener.setblocking(False)  # noqa: FBT003  # its one parameter
    if sys.platform == "linux":
        program = ctypes.create_string_buffer(DROP_SYN)
        with suppress(OSError):  # a sandbox without socket filters
            listener.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, struct.pack("HP", 4, ctypes.addressof(program)))
    while True:
        try:
            accepted, _ = listener.accept()
        except OSError:  # there are no more
            break
        accepted.setblocking(False)  # noqa: FBT003  # the same
        yield accepted
    with suppress(OSError):  # another worker was the last, too
        listener.shutdown(socket.SHUT_RDWR)
