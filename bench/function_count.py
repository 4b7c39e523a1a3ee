"""How many functions of this project a talk passes on its way from the socket to the persona.

`python -m bench.function_count` starts the whole application on a loopback port, with the embedded API, makes a
persona and, after calls that warm it up, counts `tools/call talk_to_ai_persona` of 2025: the distinct functions of
ours that are entered after the first byte of the request was read, (a) until the first byte is written to the
internal API, or its own code begins where it is reached in process, and (b) until its handler of the completion is
entered. A function counts once, however often it runs; comprehensions and class bodies belong to the function that
they stand in. Of several calls the quietest is told, because tasks in the background run meanwhile.
"""

import argparse
import asyncio
import re
import sys
import tempfile
import threading
import time
from fnmatch import fnmatch
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import httpx2

from app.factory import create_app
from mcp_server.observability import logging
from tests.edge import free_socket, lifespan, listening, make_keys, request, settings_for
from tests.processes import ROOT

OWN = ("app/", "mcp_server/", "oauth/")
INTERNAL_API = "app/internal_api/"
HANDLER = "app/internal_api/*completion*:*"
SCOPES = frozenset({"sparks:read", "sparks:write", "sparks:chat"})
ABOUT = "I have baked bread by the harbour for twenty years. My dough rests for eighteen hours. " * 3
WARM_UPS, COUNTED, PATIENCE = 2, 5, 60.0


class Function(NamedTuple):
    """A function of this project: its file from the root, its first line, and its qualified name."""

    file: str
    line: int
    name: str


class Counter:
    """A profile function for all threads, which looks from `arm` until the handler is entered."""

    def __init__(self, handler: str) -> None:
        self._file, _, self._name = handler.partition(":")
        self._armed = self._begun = False
        self.entered: dict[Function, None] = {}
        self.at_first_byte: int | None = None
        self.at_handler: int | None = None

    def arm(self) -> None:
        """Begin anew at the next bytes that a connection receives."""
        self.entered, self.at_first_byte, self.at_handler = {}, None, None
        self._begun, self._armed = False, True

    def __call__(self, frame: FrameType, event: str, _argument: Any) -> None:
        if not self._armed or event != "call":
            return
        code = frame.f_code
        if not self._begun:
            self._begun = code.co_name == "data_received"
        if self._begun:
            self._see(code.co_filename, Function("", code.co_firstlineno, code.co_qualname))

    def _see(self, filename: str, function: Function) -> None:
        if self.at_first_byte is None and filename.endswith("asyncio/selector_events.py"):
            if function.name.endswith(".write"):
                self.at_first_byte = len(self.entered)
            return
        file = filename.removeprefix(f"{ROOT}/")
        if not file.startswith(OWN) or function.name.endswith(">"):
            return
        if self.at_first_byte is None and file.startswith(INTERNAL_API):
            self.at_first_byte = len(self.entered)
        self.entered.setdefault(function._replace(file=file))
        if fnmatch(file, self._file) and fnmatch(function.name, self._name or "*"):
            self._armed, self.at_handler = False, len(self.entered)


class Client:
    """A blocking client, for a thread of its own: what it runs is not counted."""

    def __init__(self, port: int, key: str, site: str) -> None:
        self._key, self._http = key, httpx2.Client(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE)
        self._host = site.partition("://")[2]

    def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """The structured content of a call that succeeds."""
        headers, body = request("tools/call", {"name": tool, "arguments": arguments}, key=self._key)
        answer = self._http.post("/mcp", headers={**headers, "host": self._host}, json=body)
        result = answer.json().get("result", {})
        if answer.status_code != httpx2.codes.OK or result.get("isError"):
            raise RuntimeError(f"{tool}: {answer.text}")
        content: dict[str, Any] = result["structuredContent"]
        return content

    def counted(self, counter: Counter) -> tuple[int, int, list[Function]]:
        """The quietest of several talks, after a persona was made and some calls were made in vain."""
        persona = {"name": "Ada Baker", "mode": "clone", "personaContext": ABOUT, "discipline": "Baking"}
        spark = {"sparkId": self.call("create_ai_persona_or_digital_twin", persona)["sparkId"]}
        deadline = time.monotonic() + PATIENCE
        while not self.call("check_ai_persona_training_progress", spark)["readyToChat"]:
            if time.monotonic() > deadline:
                raise RuntimeError("the training does not end")
            time.sleep(0.1)
        talk = {**spark, "message": "How long does your dough rest?"}
        for _ in range(WARM_UPS):
            self.call("talk_to_ai_persona", talk)
        counts = []
        for _ in range(COUNTED):
            counter.arm()
            self.call("talk_to_ai_persona", talk)
            if counter.at_first_byte is None or counter.at_handler is None:
                raise RuntimeError("the handler was not seen: name it with --handler FILE:FUNCTION")
            counts.append((counter.at_handler, counter.at_first_byte, list(counter.entered)))
        at_handler, at_first_byte, entered = min(counts)
        return at_first_byte, at_handler, entered[:at_handler]


async def measure(folder: Path, counter: Counter) -> tuple[int, int, list[Function]]:
    """Serve, and count in this thread and in those that it starts."""
    with free_socket() as sock:
        port = sock.getsockname()[1]
        settings = settings_for(folder, port=port)
        key, _ = await make_keys(settings, SCOPES)
        app = create_app(settings)
        async with lifespan(app), listening(app, settings, sock):
            client = Client(port, key, settings.site_url)
            return await asyncio.to_thread(client.counted, counter)


def table(at_first_byte: int, at_handler: int, entered: list[Function]) -> str:
    """The functions in the order in which they are entered, and the two counts."""
    lines = [f"{number:>4}  {each.file}:{each.line}  {each.name}" for number, each in enumerate(entered, 1)]
    lines.insert(at_first_byte, f"      {'-' * 20} first byte to the internal API {'-' * 20}")
    for where, count in (("first byte to the internal API", at_first_byte), ("handler of the completion", at_handler)):
        files = len({each.file for each in entered[:count]})
        lines.append(f"{where}: {count} functions in {files} files")
    return "\n".join(lines)


def main() -> int:
    """Count once, and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.function_count", description=re.split("\n\n", __doc__)[0])
    parser.add_argument("--handler", default=HANDLER, metavar="FILE:FUNCTION", help=f"glob of the handler ({HANDLER})")
    counter = Counter(parser.parse_args().handler)
    logging.configure(level="CRITICAL")
    threading.setprofile(counter)
    sys.setprofile(counter)
    try:
        with tempfile.TemporaryDirectory(prefix="bench-") as folder:
            found = asyncio.run(measure(Path(folder), counter))
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    print(table(*found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
