"""Clients that ask a server all the time, each in its own way, and remember what became of every request."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

import httpx2

from tests.processes import HOST

PATIENCE = 60.0
PAUSE = 0.02
"""Between two requests of one client: new workers need the processor, too."""

OK = 200


@dataclass
class Askers:
    """Requests to `port`: GET `path`, or POST `body` where there is one.

    Attributes:
        answers: how often each text was answered with 200, by new connections and by kept ones.
        refused: connections that were not made, because nobody listened.
        lost: what went wrong on a connection that was made.

    """

    port: int
    path: str = "/"
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str | None = None
    answers: Counter[str] = field(default_factory=Counter)
    refused: int = 0
    lost: list[str] = field(default_factory=list)
    _over: bool = False

    @asynccontextmanager
    async def asking(self, fresh: int = 3, kept: int = 3) -> AsyncIterator[None]:
        """So many of each way at once, until the context ends; then each finishes its last."""
        tasks = [asyncio.create_task(self._on_new_connections()) for _ in range(fresh)]
        tasks += [asyncio.create_task(self._on_one_connection()) for _ in range(kept)]
        try:
            yield
        finally:
            self._over = True
            await asyncio.wait_for(asyncio.gather(*tasks), PATIENCE)

    async def answered(self, more: int = 100) -> None:
        """Until so many more have been answered."""
        enough = self.answers.total() + more
        async with asyncio.timeout(PATIENCE):
            while self.answers.total() < enough:  # noqa: ASYNC110  the answers come by themselves
                await asyncio.sleep(PAUSE)

    async def _on_new_connections(self) -> None:
        while not self._over:
            try:
                reader, writer = await asyncio.open_connection(HOST, self.port)
            except ConnectionRefusedError:
                self.refused += 1
                await asyncio.sleep(PAUSE)
                continue
            await self._ask_on(reader, writer)
            await asyncio.sleep(PAUSE)

    async def _ask_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            writer.write(self._request())
            head, ended, text = (await reader.read()).partition(b"\r\n\r\n")
            self._note(int(head.split()[1]) if ended and _is_whole(head, text) else 0, text.decode())
        except OSError as fault:
            self.lost.append(f"new: {fault!r}")
        finally:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    async def _on_one_connection(self) -> None:
        async with httpx2.AsyncClient(base_url=f"http://{HOST}:{self.port}", timeout=PATIENCE, trust_env=False) as web:
            while not self._over:
                method = "GET" if self.body is None else "POST"
                try:
                    answer = await web.request(method, self.path, headers=dict(self.headers), content=self.body)
                    self._note(answer.status_code, answer.text)
                    await asyncio.sleep(PAUSE)
                except httpx2.ConnectError:
                    self.refused += 1
                    await asyncio.sleep(PAUSE)
                except httpx2.HTTPError as fault:
                    self.lost.append(f"kept: {fault!r}")

    def _request(self) -> bytes:
        body = (self.body or "").encode()
        headers = {"host": f"{HOST}:{self.port}", "connection": "close", **self.headers}
        if self.body is not None:
            headers["content-length"] = str(len(body))
        lines = [f"{'GET' if self.body is None else 'POST'} {self.path} HTTP/1.1"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        return "\r\n".join([*lines, "", ""]).encode() + body

    def _note(self, status: int, text: str) -> None:
        if status == OK:
            self.answers[text] += 1
        else:
            self.lost.append(f"{status}: {text[:200]}")


def _is_whole(head: bytes, text: bytes) -> bool:
    """Whether the body came to its end: the length that was promised, or the last of its pieces."""
    headers = dict(line.split(b": ", 1) for line in head.lower().split(b"\r\n")[1:])
    if headers.get(b"transfer-encoding") == b"chunked":
        return text.endswith(b"0\r\n\r\n")
    return len(text) == int(headers.get(b"content-length", 0))
