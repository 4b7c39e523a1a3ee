"""uvicorn's server, which loses nobody who was let in before the port closed.

uvicorn closes the port and, in the same moment, each connection on which nothing is asked. Whoever had connected and
was not accepted yet, or whose request was still on its way, would see a reset; and a proxy sends no POST again then.
"""

import asyncio
import os
import socket
from collections.abc import Iterator

import uvicorn

from app.memory import growing

UNDERWAY_SECONDS = 0.1
"""For requests that were sent before the port closed: they are here already, and only have to be read."""


class Config(uvicorn.Config):
    """Imports and makes the application as quickly as it can, in each process that serves it."""

    def load(self) -> None:
        with growing():
            super().load()


class Server(uvicorn.Server):
    """Takes in who waits at the port, closes it, and only then ends as uvicorn does."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        loop = asyncio.get_running_loop()
        # Between the last look at the port and its end nothing else of this process runs.
        late = [one for server in self.servers for port in server.sockets for one in _last_of(port.fileno())]
        for server in self.servers:
            server.close()
        for one in late:
            await loop.connect_accepted_socket(self._protocol, one)
        await asyncio.sleep(UNDERWAY_SECONDS)
        await super().shutdown(sockets)

    def _protocol(self) -> asyncio.Protocol:
        protocol: asyncio.Protocol = self.config.http_protocol_class(  # type: ignore[call-arg]  # as uvicorn
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state, _loop=None
        )
        return protocol


def _last_of(port: int) -> Iterator[socket.socket]:
    """The connections that nobody has accepted yet; then nobody can connect any more."""
    with socket.socket(fileno=os.dup(port)) as listener:
        listener.setblocking(False)  # noqa: FBT003  # its one parameter
        while True:
            try:
                accepted, _ = listener.accept()
            except OSError:  # there are no more
                break
            accepted.setblocking(False)  # noqa: FBT003  # the same
            yield accepted
        listener.shutdown(socket.SHUT_RDWR)
