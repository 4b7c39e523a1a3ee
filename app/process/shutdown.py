"""Graceful shutdown: told to end, a process is not ready any more, then closes its port and finishes what runs."""

import asyncio
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from types import FrameType

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.process.server import RETIRE


class Drain:
    """Stands before the server's own handler of SIGTERM, and passes the signal on after the notice.

    `notice_seconds` is for load balancers: until then the port is open, and every answer says that its connection ends.
    A worker that goes alone gives no notice: the others are ready, and people are let in by them from now on. A process
    that has no others beside it does not go alone, whatever it is told.
    """

    def __init__(self, notice_seconds: float = 0, *, has_others: bool = True) -> None:
        self._notice, self._has_others = notice_seconds, has_others
        self.begun = False
        self.goes_alone = False

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Until the context ends. Where nobody handles a signal, as in a test, or nobody can, it is left alone."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        with self._before_the_end(), self._before_the_others_stay():
            yield

    @contextmanager
    def _before_the_others_stay(self) -> Iterator[None]:
        server = signal.getsignal(RETIRE) if RETIRE is not None else None
        if RETIRE is None or not callable(server) or not self._has_others:
            yield
            return

        def begin(number: int, frame: FrameType | None) -> None:
            self.goes_alone = True
            server(number, frame)

        signal.signal(RETIRE, begin)
        try:
            yield
        finally:
            signal.signal(RETIRE, server)

    @contextmanager
    def _before_the_end(self) -> Iterator[None]:
        server = signal.getsignal(signal.SIGTERM)
        if not callable(server):
            yield
            return
        loop = asyncio.get_running_loop()

        def begin(number: int, frame: FrameType | None) -> None:
            if self.begun or self._notice == 0:  # told twice, it does not wait any longer
                self.begun = True
                server(number, frame)
                return
            self.begun = True
            # A handler of signals may interrupt the loop anywhere; nothing else of the loop may be called from it.
            loop.call_soon_threadsafe(loop.call_later, self._notice, server, number, None)

        signal.signal(signal.SIGTERM, begin)
        try:
            yield
        finally:
            signal.signal(signal.SIGTERM, server)

    def around(self, app: ASGIApp) -> ASGIApp:
        """`app`, whose answers end their connections once the end has begun: nobody sends another request on one that
        is about to be closed. The signal is heard as long as the lifespan takes, also while `app` is still opening.
        """

        async def serve(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] == "lifespan":
                with self.listening():
                    await app(scope, receive, send)
                return
            ends = (self.begun or self.goes_alone) and scope["type"] == "http"
            await app(scope, receive, self._closing(send) if ends else send)

        return serve

    def _closing(self, send: Send) -> Send:
        async def send_last(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)["connection"] = "close"
            await send(message)

        return send_last


def terminate() -> None:
    """End this process as SIGTERM does."""
    os.kill(os.getpid(), signal.SIGTERM)


def end_with(parent: BaseProcess | None, end: Callable[[], None] = terminate) -> None:
    """Call `end` when `parent` has died, however it died: no worker outlives its supervisor."""
    if parent is None:
        return
    sentinel = parent.sentinel

    def follow() -> None:
        wait([sentinel])
        end()

    threading.Thread(target=follow, name="supervisor", daemon=True).start()
