"""The documents are followed: their commands are run in order, and each client's configuration starts its server.

A block after `<!-- run -->` is executed; one after `<!-- run until: TEXT -->` is repeated until it prints the text.
"""

import asyncio
import json
import os
import re
import shlex
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from app.connect.recipes import NAME
from mcp_server.toolset import discover
from tests import documents, processes
from tests.journeys.gateway import new_user
from tests.journeys.person import PASSWORD

ROOT = Path(__file__).resolve().parent.parent
PYTHON = ROOT / ".venv" / "bin" / "python"
README = (ROOT / "README.md").read_text(encoding="utf-8")

SERVED = "http://127.0.0.1:8000"
FOLDER = "/path/to/minds-gateway"
PAGES = "/path/to/your/docs"
KEY = "minds_your_api_key_here"
TOOLS = {tool.name for toolset in discover() for tool in toolset.tools}


@dataclass(frozen=True)
class Installation:
    """A data directory of its own, a free port, and nothing else of this machine's configuration."""

    data: Path
    port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def environment(self) -> dict[str, str]:
        return processes.environment(HOME=str(self.data), **self.settings)

    @property
    def settings(self) -> dict[str, str]:
        return {"DATA_DIR": str(self.data), "PORT": str(self.port)}


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """What `make run` starts, until it is ready and for as long as the tests last."""
    here = Installation(tmp_path_factory.mktemp("installation"), processes.free_port())
    with processes.serving(["-m", "app", "serve"], here.port, here.data, here.settings, ready="/readyz"):
        yield here


@pytest.fixture(scope="module")
def key(installation: Installation) -> str:
    return new_user("client@example.com", installation.settings)


def script(markdown: str) -> str:
    """The blocks that are to be run, as one program that prints a line before each."""
    parts = ["set -euo pipefail"]
    for block in documents.blocks(markdown):
        if block.directive.startswith("run"):
            parts += ["echo '=== block'", once_or_until(block)]
    return "\n".join(parts)


def once_or_until(block: documents.Block) -> str:
    wanted = block.directive.partition("run until:")[2].strip()
    if not wanted:
        return block.body
    found = f'grep -qF {shlex.quote(wanted)} <<< "$out"'
    body = f"out=$(\n{block.body}\n)\nif {found}; then break; fi\nsleep 0.2"
    return f'for attempt in $(seq 150); do\n{body}\ndone\necho "$out"\n{found}'


async def follow(program: str, environment: dict[str, str]) -> list[str]:
    """What each block printed. It runs at a terminal of its own, where passwords are typed when they are asked for."""
    keyboard, terminal = os.openpty()
    shell = await asyncio.create_subprocess_exec(
        *("bash", "-c", program),
        cwd=ROOT,
        env=environment,
        stdin=terminal,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,  # so that bash takes this terminal for its own, and no other one is asked
    )
    asyncio.get_running_loop().add_reader(keyboard, type_password, keyboard, bytearray())
    try:
        async with asyncio.timeout(120):
            output, complaints = await shell.communicate()
    finally:
        if shell.returncode is None:
            os.killpg(shell.pid, signal.SIGKILL)
            await shell.wait()
        asyncio.get_running_loop().remove_reader(keyboard)
        os.close(keyboard)
        os.close(terminal)
    assert shell.returncode == 0, (output + complaints).decode()
    return output.decode().split("=== block\n")[1:]


def type_password(keyboard: int, shown: bytearray) -> None:
    shown += os.read(keyboard, 1024)
    if re.search(rb"(password|confirmation): $", shown, re.IGNORECASE):
        os.write(keyboard, f"{PASSWORD}\n".encode())


def result(output: str) -> Any:
    return json.loads(output)["result"]


@pytest.mark.requirement(
    "seed:gateway:external-clients",
    "seed:gateway:creates-personas",
    "seed:gateway:chats-with-personas",
    "seed:gateway:create-keywords",
    "seed:gateway:http-endpoint",
    "seed:gateway:http-endpoint-stateless",
    "seed:gateway:http-json-rpc-post",
    "seed:gateway:http-bearer-api-key",
    "seed:gateway:api-key-header",
    "seed:gateway:health-status",
    "seed:gateway:health-breakers",
    "seed:gateway:health-metrics",
    "seed:gateway:debug-health",
    "seed:gateway:monitor-breakers",
)
async def test_the_sixty_seconds_of_the_readme_work(installation: Installation) -> None:
    outputs = await follow(script(README).replace(SERVED, installation.url), installation.environment)

    _, listed, created, answered, health = outputs
    assert {tool["name"] for tool in result(listed)["tools"]} == TOOLS
    assert not result(created).get("isError")
    assert not result(answered).get("isError")
    said = result(answered)["structuredContent"]
    assert "weaves algebraical patterns just as the Jacquard-loom weaves flowers and leaves" in said["message"]
    assert not said["provenance"]["unsupported"]
    assert said["citations"]
    breakers = json.loads(health)["components"]["internalApi"]["breakers"]
    assert {breaker["state"] for breaker in breakers.values()} == {"closed"}
    assert json.loads(health)["status"] == "ok"
    assert json.loads(health)["metrics"]["toolCalls"] >= 2


def test_make_run_starts_what_the_tests_start() -> None:
    # The suite itself is run by `make`, and a make within a make also says which folder it enters and leaves.
    asked = ["make", "--no-print-directory", "-n", "run"]
    shown = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True, timeout=30)

    assert shown.stdout.splitlines()[-1] == ".venv/bin/python -m app serve"


def configurations(name: str) -> list[Any]:
    blocks = documents.blocks((ROOT / name).read_text(encoding="utf-8"))
    parsed = [json.loads(block.body) for block in blocks if block.language == "json"]
    return [block for block in parsed if "mcpServers" in block or "servers" in block]


def entry_of(configuration: Any) -> Any:
    """The one server in it, under either client's word for servers, with the key where the client asks for it."""
    (server,) = (configuration.get("mcpServers") or configuration["servers"]).values()
    text = json.dumps({name: value for name, value in server.items() if name != "type"})
    for asked in configuration.get("inputs", []):
        text = text.replace(f"${{input:{asked['id']}}}", KEY)
    return json.loads(text)


def test_the_server_has_one_name_wherever_somebody_types_it() -> None:
    blocks = [block for page in ("README.md", "docs/connect.md") for block in configurations(page)]

    assert {name for block in blocks for name in block.get("mcpServers") or block["servers"]} == {NAME}


SERVERS = [entry_of(block) for name in ("README.md", "docs/connect.md") for block in configurations(name)]
DISTINCT = list({json.dumps(server): server for server in SERVERS}.values())
"""Most clients start the same program: it is started once."""


def test_the_documents_configure_every_client_over_stdio_and_http() -> None:
    assert len([server for server in SERVERS if "command" in server]) >= 4
    assert len([server for server in SERVERS if "url" in server]) >= 2


@pytest.mark.parametrize("configuration", DISTINCT, ids=lambda server: "stdio" if "command" in server else "http")
@pytest.mark.requirement(
    "seed:gateway:claude-desktop-over-stdio",
    "seed:gateway:cursor-over-stdio",
    "seed:gateway:stdio-configuration",
    "seed:gateway:stdio-key-in-environment",
    "seed:gateway:env-mindsai-api-key",
    "seed:gateway:stdio-standalone",
    "seed:gateway:same-tools-on-stdio",
)
async def test_the_configuration_of_a_client_works_from_any_folder(
    configuration: Any, installation: Installation, key: str, tmp_path: Path
) -> None:
    server = filled_in(configuration, installation, key)

    async with asyncio.timeout(60):
        if "command" in server:
            # The tree under test, also where several trees share an environment; what is installed is asked below.
            environment = {"DATA_DIR": str(installation.data), **server.get("env", {}), "PYTHONPATH": str(ROOT)}
            command, arguments = server["command"], server["args"]
            client = Client(StdioServerParameters(command=command, args=arguments, env=environment, cwd=tmp_path))
            await (use_documentation(client) if "docs" in arguments else use(client))
        else:
            async with httpx2.AsyncClient(headers=server["headers"], timeout=30) as http:
                await use(Client(streamable_http_client(server["url"], http_client=http)))


def test_the_project_is_installed_so_that_no_working_directory_is_needed(tmp_path: Path) -> None:
    found = subprocess.run(
        [PYTHON, "-c", "import app, mcp_server.stdio"],
        cwd=tmp_path,
        env={},
        capture_output=True,
        timeout=60,
        check=False,
    )

    assert found.returncode == 0, found.stderr.decode()


def filled_in(configuration: Any, installation: Installation, key: str) -> Any:
    """With this installation in the places that a reader fills in."""
    text = json.dumps(configuration)
    data, url = installation.data, installation.url
    filled = {f"{FOLDER}/var": data, FOLDER: ROOT, PAGES: ROOT / "docs", KEY: key, SERVED: url}
    for place, value in filled.items():
        text = text.replace(place, str(value))
    return json.loads(text)


async def use(client: Client) -> None:
    async with client:
        listed = await client.list_tools()
        answer = await client.call_tool("list_my_ai_personas", {})

    assert {tool.name for tool in listed.tools} == TOOLS
    assert not answer.is_error


async def use_documentation(client: Client) -> None:
    async with client:
        listed = await client.list_tools()
        answer = await client.call_tool("search_docs", {"query": "circuit breaker"})

    assert {tool.name for tool in listed.tools} == {"search_docs", "get_doc_page", "list_doc_pages"}
    assert answer.structured_content["results"]
