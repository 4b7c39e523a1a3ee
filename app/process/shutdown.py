"""Graceful shutdown: told to end, a process is not ready any more, then closes its port and finishes what runs."""

import os
import signal
import threading
from collections.abc import Callable
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

DRAIN = "drain"
"""Key of the lifespan state: the `Drain` of the application, which the server tells of signals."""

LINGER_SECONDS = 5
"""For clients of idle connections to give these up when the process ends. A proxy that does so sooner never sends a
request on one that is just being closed; `KEEP_ALIVE_SECONDS` would be too long to wait for."""


class Drain:
    """How far the end of this process is.

    Attributes:
        notice: seconds for load balancers: until then the port is open, and every answer says that its connection ends.
        begun: the process was told to end.
        goes_alone: it was told to leave the port to other workers. It gives no notice: the others are ready.
        ends: called when the port is closed, for what would go on until its client leaves.

    """

    def __init__(self, notice: float = 0) -> None:
        self.notice = notice
        self.begun = self.goes_alone = False
        self.ends: list[Callable[[], None]] = []

    def around(self, app: ASGIApp) -> ASGIApp:
        """`app`, whose answers end their connections once the end has begun: nobody sends another request on one that
        is about to be closed. Signals are heard from the first moment of the lifespan, also while `app` is opening.
        """

        async def serve(scope: Scope, receive: Receive, send: Send) -> None:
            async def send_last(message: Message) -> None:
                if message["type"] == "http.response.start":
                    MutableHeaders(scope=message)["connection"] = "close"
                await send(message)

            if scope["type"] == "lifespan":
                scope.setdefault("state", {})[DRAIN] = self
            ends = (self.begun or self.goes_alone) and scope["type"] == "http"
            await app(scope, receive, send_last if ends else send)

        return serve


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
