"""On stdio there is no HTTP server to ask, so the embedded API runs as a child process of this one.

The child is treated like the real API: it is started by name, reached over loopback HTTP, and never imported.
"""

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Self

import httpx2
import structlog
from pydantic import BaseModel, ConfigDict, SecretStr, ValidationError

from mcp_server.caller import Caller
from mcp_server.errors import ServiceUnavailable
from mcp_server.minds_api.credentials import EmbeddedCredentials
from mcp_server.observability.telemetry import no_op

PROJECT = Path(__file__).resolve().parents[2]
COMMAND = (sys.executable, "-P", "-m", "app", "internal-api")
"""`-P`, because a client starts us in a folder of its user's: a package named `app` there must not be run for ours."""

PLACEHOLDER = "http://embedded.invalid"
"""Where requests are addressed until the child has said where it listens."""

MISTAKE = 2  # the exit code of a child that has said in one line which setting is wrong
START_SECONDS = 60.0
STOP_SECONDS = 15.0

log = structlog.get_logger(__name__)


class Announcement(BaseModel):
    """The child's first words, which only this process hears.

    Attributes:
        url: where it listens.
        secret: what it recognises service tokens by.

    """

    model_config = ConfigDict(frozen=True)

    url: str
    secret: SecretStr


class EmbeddedProcess(httpx2.AsyncBaseTransport):
    """A transport whose far end is the child, and the credentials for it. The child starts at once; the first
    request waits for it.

    It ends with this process, however that ends: its standard input is our end of a pipe. `on_mistake` is called where
    it will never serve, and has said which setting is wrong.
    """

    def __init__(self, command: tuple[str, ...] = COMMAND, *, on_mistake: Callable[[], object] = no_op) -> None:
        self._command, self._on_mistake = command, on_mistake
        self._inner = httpx2.AsyncHTTPTransport(verify=False, trust_env=False)  # plain HTTP: no certificates to read
        self._process: asyncio.subprocess.Process | None = None
        self._ready: asyncio.Task[Announcement] | None = None
        self._draining: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        if self._ready is None:  # an HTTP client enters its transport again, and there is one child
            self._ready = asyncio.create_task(self._start())
            self._ready.add_done_callback(self._note_failure)
        return self

    async def started(self) -> None:
        """Wait until the child listens. If it never will, the first request says so."""
        if self._ready is not None:
            await asyncio.wait([self._ready])

    def bearer(self, caller: Caller) -> str:
        """The caller's own key, or a token for the demo account. Raises ServiceUnavailable: no secret is known yet."""
        if caller.credential is not None:
            return caller.credential.get_secret_value()
        if self._ready is None or not self._ready.done() or self._ready.cancelled() or self._ready.exception():
            raise ServiceUnavailable
        return EmbeddedCredentials(self._ready.result().secret).bearer(caller)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send `request` to the child. Raises httpx2.ConnectError: the child did not start, or is gone."""
        if self._ready is None:
            raise httpx2.ConnectError("the embedded API was not started")
        try:
            url = httpx2.URL((await asyncio.shield(self._ready)).url)
        except (OSError, TimeoutError, ValueError) as error:
            raise httpx2.ConnectError("the embedded API did not start; its log is on standard error") from error
        request.url = request.url.copy_with(scheme=url.scheme, host=url.host, port=url.port)
        request.headers["Host"] = request.url.netloc.decode()
        return await self._inner.handle_async_request(request)

    async def _start(self) -> Announcement:
        self._process = await asyncio.create_subprocess_exec(
            *self._command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            cwd=PROJECT,  # its `.env` is the project's, not one that lies where the client happens to start us
            # A client that ends us ends our whole group, and soon kills it. The child ends when our end of its input
            # closes, however we end, but not before the answers that are on their way have landed.
            start_new_session=True,
        )
        output = self._process.stdout
        assert output is not None  # noqa: S101  it was just asked for
        async with asyncio.timeout(START_SECONDS):
            try:
                announcement = await _announced(output)
            except ValueError:
                await self._process.wait()
                raise
        # What is printed later nobody wants, and a full pipe would stop the child.
        self._draining = asyncio.create_task(_drain(output))
        return announcement

    def _note_failure(self, ready: "asyncio.Task[Announcement]") -> None:
        if ready.cancelled() or (error := ready.exception()) is None:
            return
        if self._process is not None and self._process.returncode == MISTAKE:
            self._on_mistake()
        else:
            log.error("embedded_api_did_not_start", reason=type(error).__name__)

    async def aclose(self) -> None:
        await self._inner.aclose()
        for task in (self._ready, self._draining):
            if task is not None:
                task.cancel()
        process = self._process
        if process is None or process.returncode is not None:
            return
        assert process.stdin is not None  # noqa: S101  it was asked for
        process.stdin.close()
        try:
            await asyncio.wait_for(process.wait(), STOP_SECONDS)
        except TimeoutError:
            process.kill()
            await process.wait()


async def _announced(output: asyncio.StreamReader) -> Announcement:
    """What the child says of itself, past what a library of it printed. Raises ValueError: it ended before."""
    while line := await output.readline():
        try:
            return Announcement.model_validate_json(line)
        except ValidationError:
            log.warning("embedded_api_printed", length=len(line))
    raise ValueError("the embedded API ended without saying where it listens")


async def _drain(output: asyncio.StreamReader) -> None:
    while await output.read(65_536):
        pass
