"""uvicorn's server, which loses nobody who was let in before the port closed.

uvicorn closes the port and, in the same moment, each connection on which nothing is asked. Whoever had connected and
was not accepted yet, or whose request was still on its way, would see a reset; and a proxy sends no POST again then.
"""

import asyncio
import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from types import FrameType

import uvicorn

from app.process.gc_tuning import growing

UNDERWAY_SECONDS = 0.1
"""For requests that were sent before the port closed: they are here already, and only have to be read."""

STUCK_SECONDS = 30.0
"""Without a turn of the event loop. It turns ten times a second; a machine that is short of time does so in seconds."""

RETIRE = getattr(signal, "SIGHUP", None)
"""To one worker: go, the others stay. A system without this signal has no way to say so."""


OPEN = "open"
"""In the state of the lifespan, whether an application that may begin before it can serve does serve."""


class Door:
    """Who lets people in at a port that several processes share: each that does holds one end of a pipe.

    The system lets go for those that die. So when everybody has, whoever was the last reads the end of the pipe.
    """

    def __init__(self) -> None:
        self._everybody, self._own = get_context("spawn").Pipe(duplex=False)

    def leave(self) -> None:
        """Let nobody in any more."""
        self._own.close()

    def is_left(self) -> bool:
        """Whether nobody lets anyone in. Only who has left may ask."""
        return self._everybody.poll()


class Config(uvicorn.Config):
    """Imports and makes the application as quickly as it can, in each process that serves it."""

    def load(self) -> None:
        with growing():
            super().load()


class Server(uvicorn.Server):
    """Takes in who waits at the port, closes it, and only then ends as uvicorn does.

    Behind a `door` that others share it leaves the port to them, unless it is the last.
    """

    def __init__(self, config: uvicorn.Config, door: Door | None = None) -> None:
        super().__init__(config)
        self._door = door
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
        self._turned = time.monotonic()
        return await super().on_tick(counter)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        with super().capture_signals():
            if RETIRE is None or threading.current_thread() is not threading.main_thread():
                yield
                return
            before = signal.signal(RETIRE, self.handle_exit if self._door is not None else _end_in_order)
            try:
                yield
            finally:
                signal.signal(RETIRE, before)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._retires = sig == RETIRE
        super().handle_exit(sig, frame)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        loop = asyncio.get_running_loop()
        ports = [socket.socket(fileno=os.dup(port.fileno())) for server in self.servers for port in server.sockets]
        for server in self.servers:
            server.close()
        if await self._is_last():
            # Between the last look at the port and its end nothing else of this process runs.
            for one in [one for port in ports for one in _last_of(port)]:
                await loop.connect_accepted_socket(self._protocol, one)
        for port in ports:
            port.close()
        await asyncio.sleep(UNDERWAY_SECONDS)
        if self._retires:
            await self._let_go()
        await super().shutdown(sockets)

    async def _is_last(self) -> bool:
        """Whether nobody else will take in who waits. The supervisor says so when all end, perhaps a moment later."""
        if self._door is None:
            return True
        self._door.leave()
        until = time.monotonic() + UNDERWAY_SECONDS
        while not self._door.is_left():
            if time.monotonic() > until:
                return False
            await asyncio.sleep(UNDERWAY_SECONDS / 20)
        return True

    async def _let_go(self) -> None:
        """Until idle connections have ended by themselves: whoever keeps one may be sending a request on it."""
        until = time.monotonic() + self.config.timeout_keep_alive + UNDERWAY_SECONDS
        while self.server_state.connections and not self.force_exit:
            if time.monotonic() > until:
                return
            await asyncio.sleep(UNDERWAY_SECONDS)

    def _protocol(self) -> asyncio.Protocol:
        protocol: asyncio.Protocol = self.config.http_protocol_class(  # type: ignore[call-arg]  # as uvicorn
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state, _loop=None
        )
        return protocol


def _end_in_order(_number: int, _frame: FrameType | None) -> None:
    """A process that is told to go and has no others that stay ends, as it does when its terminal is closed; but as
    for SIGTERM, with its calls answered and its log written.
    """
    os.kill(os.getpid(), signal.SIGTERM)


def _last_of(listener: socket.socket) -> Iterator[socket.socket]:
    """The connections that nobody has accepted yet; then nobody can connect any more."""
    listener.setblocking(False)  # noqa: FBT003  # its one parameter
    while True:
        try:
            accepted, _ = listener.accept()
        except OSError:  # there are no more
            break
        accepted.setblocking(False)  # noqa: FBT003  # the same
        yield accepted
    with suppress(OSError):  # another worker was the last, too
        listener.shutdown(socket.SHUT_RDWR)
