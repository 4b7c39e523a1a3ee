"""The embedded API as a child process: started at once, waited for by the first request, and never left behind."""

import asyncio
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2
import jwt
import psutil
import pytest
from structlog.testing import capture_logs

from mcp_server.caller import ANONYMOUS
from mcp_server.errors import ServiceUnavailable
from mcp_server.minds_api import child_process as embedded_process
from mcp_server.minds_api.child_process import PLACEHOLDER, EmbeddedProcess
from mcp_server.minds_api.credentials import INTERNAL_AUDIENCE
from tests.edge import PATIENCE, within
from tests.support import ADA, SECRET

SERVER = """
import http.server, json, os, sys, threading

class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"] or 0)).decode()
        seen = {"path": self.path, "headers": dict(self.headers), "body": body, "pid": os.getpid()}
        answer = json.dumps(seen).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *args):
        pass

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
"""
ANNOUNCE = (
    'print(json.dumps({"url": f"http://127.0.0.1:{server.server_port}", '
    f'"secret": "{SECRET.get_secret_value()}"}}), flush=True)\n'
)
UNTIL_EOF = "sys.stdin.buffer.read()\n"


@asynccontextmanager
async def child(script: str) -> AsyncIterator[tuple[EmbeddedProcess, httpx2.AsyncClient]]:
    async with EmbeddedProcess((sys.executable, "-c", script)) as process:
        yield process, httpx2.AsyncClient(transport=process, base_url=PLACEHOLDER, timeout=PATIENCE)


async def test_a_request_waits_for_the_child_and_arrives_as_it_was_sent() -> None:
    async with child(SERVER + "import time; time.sleep(0.3)\n" + ANNOUNCE + UNTIL_EOF) as (process, client):
        response = await client.post("/api/v1/minds?limit=2", headers={"authorization": "Bearer k"}, content=b"body")
        token = process.bearer(ANONYMOUS)

    seen = response.json()
    assert (seen["path"], seen["body"]) == ("/api/v1/minds?limit=2", "body")
    assert seen["headers"]["authorization"] == "Bearer k"
    assert seen["headers"]["Host"].startswith("127.0.0.1:")
    claims = jwt.decode(token, SECRET.get_secret_value(), algorithms=["HS256"], audience=INTERNAL_AUDIENCE)
    assert (claims["sub"], claims["scope"]) == ("demo", "")  # who has no key; any other is shown by their own
    assert EmbeddedProcess().bearer(ADA) == "minds_ada"


async def test_what_is_printed_later_does_not_stop_the_child() -> None:
    chatter = "for _ in range(200): print('x' * 10_000, flush=True)\n"
    script = SERVER + ANNOUNCE + chatter + "server.ready = True\n" + UNTIL_EOF
    script = script.replace('"pid": os.getpid()', '"ready": getattr(server, "ready", False)')

    async with child(script) as (_, client):
        async with asyncio.timeout(PATIENCE):
            while not (await client.post("/")).json()["ready"]:  # noqa: ASYNC110  another process cannot set an event
                await asyncio.sleep(0.02)


SILENT = "import sys\n" + UNTIL_EOF
BROKEN = [
    "raise SystemExit(3)",
    "print('nonsense')",
    "print('{\"url\": 7}')",
    'print(\'{"url": "http://x"}\')',
    "",
    SILENT,
]


@pytest.mark.parametrize(
    "command", [("/nowhere/python",), *[(sys.executable, "-c", script) for script in BROKEN]], ids=str
)
async def test_a_child_that_does_not_start_is_a_connection_fault_and_a_line_in_the_log(
    command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded_process, "START_SECONDS", 0.5)
    process = EmbeddedProcess(command)
    with pytest.raises(httpx2.ConnectError):  # nobody has started it
        await process.handle_async_request(httpx2.Request("POST", PLACEHOLDER))

    with capture_logs() as lines:
        async with process:
            with pytest.raises(httpx2.ConnectError):
                await process.handle_async_request(httpx2.Request("POST", PLACEHOLDER))

    assert "embedded_api_did_not_start" in {line["event"] for line in lines}


@pytest.mark.parametrize("until", [UNTIL_EOF, "threading.Event().wait()\n"])
async def test_the_child_ends_with_the_context_and_is_killed_if_it_does_not_want_to(
    until: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded_process, "STOP_SECONDS", 0.1 if until != UNTIL_EOF else 15)

    async with child(SERVER + ANNOUNCE + until) as (_, client):
        pid = (await client.post("/")).json()["pid"]

    assert not psutil.pid_exists(pid)


async def test_a_child_that_dies_later_is_a_connection_fault() -> None:
    async with child(SERVER + ANNOUNCE + UNTIL_EOF) as (process, client):
        await client.post("/")
        assert process._process is not None
        process._process.kill()
        await within(process._process.wait())

        with pytest.raises(httpx2.TransportError):
            await client.post("/")


@pytest.mark.parametrize("script", ["raise SystemExit(3)", "import sys\n" + UNTIL_EOF])
async def test_without_the_childs_secret_there_is_no_token(script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded_process, "START_SECONDS", 0.3)
    process = EmbeddedProcess((sys.executable, "-c", script))

    with pytest.raises(ServiceUnavailable):
        process.bearer(ANONYMOUS)
    async with process:
        with pytest.raises(ServiceUnavailable):
            process.bearer(ANONYMOUS)
        await within(process.started())
        with pytest.raises(ServiceUnavailable):
            process.bearer(ANONYMOUS)


async def test_the_secret_is_in_no_log() -> None:
    broken = "print('loading…'); print('[1]')\n"  # what a library prints first does not matter
    broken += f'print(\'{{"secret": "{SECRET.get_secret_value()}"}}\')\n'
    with capture_logs() as lines:
        async with child(broken + SERVER + ANNOUNCE + UNTIL_EOF) as (process, client):
            await client.post("/")
            shown = repr(process._ready)

    assert {line["event"] for line in lines} == {"embedded_api_printed"}
    assert SECRET.get_secret_value() not in str(lines) + shown


PARENT = """
import asyncio, sys
import httpx2
from mcp_server.minds_api.child_process import PLACEHOLDER, EmbeddedProcess

async def main():
    async with EmbeddedProcess((sys.executable, "-c", {script!r})) as process:
        client = httpx2.AsyncClient(transport=process, base_url=PLACEHOLDER)
        print((await client.post("/")).json()["pid"], flush=True)
        await asyncio.Event().wait()

asyncio.run(main())
"""


async def test_the_child_ends_when_its_parent_is_killed() -> None:
    script = PARENT.format(script=SERVER + ANNOUNCE + UNTIL_EOF)
    parent = await asyncio.create_subprocess_exec(sys.executable, "-c", script, stdout=asyncio.subprocess.PIPE)
    assert parent.stdout is not None
    orphan = psutil.Process(int(await within(parent.stdout.readline())))

    parent.send_signal(signal.SIGKILL)
    await parent.wait()

    gone, _ = await asyncio.to_thread(psutil.wait_procs, [orphan], PATIENCE)
    assert gone == [orphan]
