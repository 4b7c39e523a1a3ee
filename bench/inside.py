"""The whole gateway in a process of its own, called without a network on either side: what is left is its own work.

`python -m bench.inside --calls N --without NAME=VALUE …` opens the application twice, once as it is and once with these
settings, and answers each line on stdin with a line of JSON: what a call of each costs in processor time, with all that
is done for it later, and the yardstick meanwhile. Both are in one process, because where a process happens to lie in
memory makes it some 50 µs faster or slower for good, and what is looked for is no more than that. What the first does
by itself each second, whether it is called or not, is no part of a call and is measured with both.
"""

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import IO, NamedTuple

import httpx2
import uvloop
from starlette.applications import Starlette
from starlette.types import Message, Scope

from app.factory import Parts, create_app
from app.settings import Settings
from bench.contestants import PLENTY, cores
from bench.upstream import BODIES, MARK
from bench.wire import ERAS, KEY, call
from mcp_server.audit.recorder import Recorder
from mcp_server.observability import logging
from mcp_server.observability.gc_tuning import freeze
from tests.processes import HOST, DidNotStart, environment

PORT = 8000
SETTLED_SECONDS = 1.2
"""After the warm-up: rows of the audit log are at most a second late, and belong to nobody then."""
WARM_UP = 50
CALLS_A_YARDSTICK, YARDS = 5, 40
YARD = {"name": MARK.decode(), "numbers": list(range(20)), "more": [{"id": str(each)} for each in range(10)]}
UPSTREAM = "https://api.bench.test"


class Measured(NamedTuple):
    """Processor time of one call with everything and of one without, in yardsticks, and of a yardstick, in µs."""

    call: float
    without: float
    yardstick: float


def yardstick() -> float:
    """Seconds of processor time for something that is always the same: how fast the processor is at this moment.

    One that is shared with others is twice as slow for a second, and fast again in the next.
    """
    begun = time.thread_time()
    for _ in range(YARDS):
        json.loads(json.dumps(YARD))
    return time.thread_time() - begun


class Answers(httpx2.AsyncBaseTransport):
    """The internal API without its network."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        body = BODIES.get(request.url.path.encode())
        status, said = (200, body) if body is not None else (404, b"{}")
        return httpx2.Response(status, headers={"content-type": "application/json"}, stream=httpx2.ByteStream(said))


class Inside:
    """One application that is open, and the one call that it is asked for again and again."""

    def __init__(self, app: Starlette, era: str, log_level: str) -> None:
        head, _, self._body = call(era, PORT, KEY).partition(b"\r\n\r\n")
        lines = (line.split(b":", 1) for line in head.split(b"\r\n")[1:])
        self._headers = [(name.strip().lower(), value.strip()) for name, value in lines]
        self._app, self._log_level = app, log_level
        self._writers = [
            writer
            for middleware in app.user_middleware
            if isinstance(recorder := middleware.kwargs.get("recorder"), Recorder)
            for writer in recorder.writers
        ]

    async def measured(self, calls: int) -> tuple[float, float]:
        """Microseconds of processor time for each of so many calls, and for the yardstick in between."""
        logging.configure(level=self._log_level, form="json")
        begun, yardsticks = time.process_time(), []
        for number in range(calls):
            if number % CALLS_A_YARDSTICK == 0:
                yardsticks.append(yardstick())
            await self.call()
        for writer in self._writers:  # rows are written up to a second later, and belong to these calls all the same
            await writer.settle()
        used = time.process_time() - begun - sum(yardsticks)
        return used / calls * 1e6, statistics.mean(yardsticks) * 1e6

    async def call(self) -> None:
        """One call. Raises RuntimeError where the answer is not the upstream's."""
        sent: list[Message] = []
        asked = iter([{"type": "http.request", "body": self._body, "more_body": False}])

        async def receive() -> Message:
            if (message := next(asked, None)) is not None:
                return message
            await asyncio.Event().wait()
            raise AssertionError

        async def send(message: Message) -> None:
            sent.append(message)

        await self._app(self._scope(), receive, send)
        if sent[0]["status"] != httpx2.codes.OK or not any(MARK in message.get("body", b"") for message in sent):
            raise RuntimeError(f"another answer: {sent}")

    def _scope(self) -> Scope:
        return {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": "POST",
            "scheme": "http",
            "path": "/mcp",
            "raw_path": b"/mcp",
            "query_string": b"",
            "root_path": "",
            "headers": list(self._headers),
            "client": (HOST, 50_000),
            "server": (HOST, PORT),
            "state": {},
        }


async def compared(usual: Inside, without: Inside, calls: int) -> Measured:
    """Both in turn, and again the other way round: what changes steadily meanwhile is then the same for both."""
    told = [(inside, *await inside.measured(calls)) for inside in (usual, without, without, usual)]

    def of(wanted: Inside) -> float:
        return statistics.mean(call / yards for inside, call, yards in told if inside is wanted)

    return Measured(of(usual), of(without), min(yards for _inside, _call, yards in told))


class Asked:
    """Such a process, seen from the one that measures."""

    def __init__(self, process: subprocess.Popen[str], log: Path) -> None:
        self._process, self._log = process, log

    def measured(self) -> Measured:
        """A round of calls. Raises DidNotStart where the process ended instead of answering."""
        ask, answers = self._ends()
        with suppress(BrokenPipeError):  # it has ended, which the answer says
            ask.write("\n")
            ask.flush()
        if not (line := answers.readline()):
            raise DidNotStart(f"it ended with {self._process.wait(30)}:\n{self._log.read_text()[-2000:]}")
        return Measured(*json.loads(line))

    def _ends(self) -> tuple[IO[str], IO[str]]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        return self._process.stdin, self._process.stdout


@contextmanager
def asked(name: str, without: Mapping[str, str], folder: Path, calls: int, *, is_first: bool) -> Iterator[Asked]:
    """A process that compares the usual settings with those `without`, until the context ends; it writes into `folder`.

    `is_first` says which of the two applications is made first, and gets the better place in memory.
    """
    plenty = {"RATE_LIMIT_ANONYMOUS": PLENTY, "RATE_LIMIT_AUTHENTICATED": PLENTY, "RATE_LIMIT_TOOLS": f"*={PLENTY}"}
    own = {"SITE_URL": f"http://{HOST}:{PORT}", "DATA_DIR": str(folder / name), "MINDSAI_API_URL": UPSTREAM}
    log = folder / f"{name}.log"
    command = [sys.executable, "-m", "bench.inside", "--calls", str(calls), *(["--first"] if is_first else [])]
    command += [f"--without={each}={value}" for each, value in without.items()]
    with (
        log.open("wb") as sink,
        subprocess.Popen(
            command,
            cwd=folder,
            env=environment(PYTHONHASHSEED="0", **plenty, **own),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=sink,
            text=True,
        ) as process,
    ):
        try:
            yield Asked(process, log)
        finally:
            assert process.stdin is not None
            with suppress(BrokenPipeError):
                process.stdin.close()  # which ends it
            process.wait(30)


async def _serve(calls: int, without: Mapping[str, str], *, is_first: bool) -> None:
    async with AsyncExitStack() as stack:
        opened: dict[str, Inside] = {}
        for name in ("without", "usual") if is_first else ("usual", "without"):
            opened[name] = await stack.enter_async_context(_opened(name, without if name == "without" else {}))
        freeze()
        for inside in opened.values():
            await inside.measured(WARM_UP)
        await asyncio.sleep(SETTLED_SECONDS)
        while await asyncio.to_thread(sys.stdin.readline):
            print(json.dumps(await compared(opened["usual"], opened["without"], calls)), flush=True)


@asynccontextmanager
async def _opened(name: str, changed: Mapping[str, str]) -> AsyncIterator[Inside]:
    folder = {"DATA_DIR": str(Path(os.environ["DATA_DIR"]) / name)}
    settings = Settings(_env_file=None, **{each.lower(): value for each, value in {**folder, **changed}.items()})
    logging.configure(level=settings.log_level, form="json")
    app = create_app(settings, Parts(transport=Answers()))
    async with app.router.lifespan_context(app):
        yield Inside(app, ERAS[-1], settings.log_level)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, required=True)
    parser.add_argument("--without", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--first", action="store_true", help="the application without them is made first")
    told = parser.parse_args()
    if (pair := cores()) is not None:
        os.sched_setaffinity(0, {pair[0]})
    without = dict(each.split("=", 1) for each in told.without)
    uvloop.run(_serve(told.calls, without, is_first=told.first))


if __name__ == "__main__":
    main()
