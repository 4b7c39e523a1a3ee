"""The real clients, each behind the few calls that a story makes."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import mcp
import mcp_types as types
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from tests import launcher, node
from tests.journeys.gateway import Gateway
from tests.processes import environment

PATIENCE = 90.0
"""Seconds for one answer of a client that is a program of its own."""

ERAS = ("legacy", "auto")
"""As the SDKs call them: 2025-era only, or the newest that both sides speak."""


class PythonClient:
    """The Python SDK's client."""

    def __init__(self, session: mcp.Client) -> None:
        self.session = session

    async def tools(self) -> list[str]:
        return [tool.name for tool in (await self.session.list_tools()).tools]

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        result = await self.result(tool, arguments)
        assert not result.is_error, result.content
        return dict(result.structured_content)

    async def result(self, tool: str, arguments: Mapping[str, Any]) -> types.CallToolResult:
        """The whole result, whether it is an error or not."""
        return await self.session.call_tool(tool, dict(arguments))


@asynccontextmanager
async def python_over_http(url: str, key: str, era: str = "auto", sampling: Any = None) -> AsyncIterator[PythonClient]:
    headers = {"authorization": f"Bearer {key}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=PATIENCE, trust_env=False) as web,
        mcp.Client(
            streamable_http_client(url, http_client=web), mode=_mode(era), sampling_callback=sampling
        ) as session,
    ):
        yield PythonClient(session)


@asynccontextmanager
async def python_over_stdio(
    command: str,
    arguments: Sequence[str],
    variables: Mapping[str, str],
    folder: Path,
    era: str = "auto",
    sampling: Any = None,
) -> AsyncIterator[PythonClient]:
    """A server that the client starts itself. What it writes to standard error is in `folder/stderr.log`."""
    server = StdioServerParameters(command=command, args=list(arguments), env=dict(variables), cwd=folder)
    with (folder / "stderr.log").open("a", encoding="utf-8") as errors:
        transport = stdio_client(server, errlog=errors)
        async with mcp.Client(transport, mode=_mode(era), sampling_callback=sampling) as session:
            yield PythonClient(session)


def _mode(era: str) -> Any:
    return era


def stdio_environment(gateway: Gateway, key: str) -> dict[str, str]:
    """What a desktop client's configuration gives the stdio server."""
    return environment(**{**gateway.settings, "MINDSAI_API_KEY": key})


def stdio_command(*, fresh: bool = False) -> tuple[str, tuple[str, ...]]:
    """Program and arguments; the process is forked, unless it is to be a `fresh` one, which imports all by itself."""
    module = "mcp_server.stdio"
    program, *arguments = (sys.executable, "-m", module) if fresh else launcher.command(module)
    return program, tuple(arguments)


class TypeScriptClient:
    """The TypeScript SDK's client, in a process of its own."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    async def tools(self) -> list[str]:
        return [tool["name"] for tool in (await self.ask("tools/list"))["tools"]]

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        result = await self.ask("tools/call", {"name": tool, "arguments": dict(arguments)})
        assert not result.get("isError"), result
        structured: dict[str, Any] = result["structuredContent"]
        return structured

    async def ask(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """One request; its result, or how the client refused it."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"method": method, "params": params}).encode() + b"\n")
        return await self.line()

    async def line(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        said = await asyncio.wait_for(self.process.stdout.readline(), PATIENCE)
        assert said, "the client ended; its words are on standard error"
        message: dict[str, Any] = json.loads(said)
        return message


@asynccontextmanager
async def typescript(gateway: Gateway, key: str, era: str) -> AsyncIterator[tuple[TypeScriptClient, str]]:
    """The connected client, and the protocol version that it settled on."""
    async with typescript_program("typescript.mjs", gateway.url, key, era) as started:
        yield started


@asynccontextmanager
async def typescript_program(name: str, *arguments: str) -> AsyncIterator[tuple[TypeScriptClient, str]]:
    """A program of `tests/clients` that speaks line by line, and the protocol version that it settled on."""
    process = await asyncio.create_subprocess_exec(
        node.node(), str(node.CLIENTS / name), *arguments,
        env=node.environment(), stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=2**20,
    )  # fmt: skip
    try:
        client = TypeScriptClient(process)
        yield client, (await client.line())["protocolVersion"]
    finally:
        assert process.stdin is not None
        process.stdin.close()
        await _ended(process)


@dataclass(frozen=True)
class Inspector:
    """MCP Inspector's command line: a process for each request."""

    target: Sequence[str]
    era: str
    home: Path

    async def tools(self) -> list[str]:
        return [tool["name"] for tool in (await self.run("--method", "tools/list"))["tools"]]

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        given = ("--method", "tools/call", "--tool-name", tool, "--tool-args-json", json.dumps(arguments))
        result = await self.run(*given)
        assert not result.get("isError"), result
        structured: dict[str, Any] = result["structuredContent"]
        return structured

    async def run(self, *arguments: str) -> dict[str, Any]:
        """The result that it prints."""
        command = [node.program("mcp-inspector"), "--cli", *self.target, "--protocol-era", self.era]
        process = await asyncio.create_subprocess_exec(
            *command, *arguments, "--format", "json", "--quiet",
            env={**node.environment(), "HOME": str(self.home)}, cwd=self.home,
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        out, errors = await asyncio.wait_for(process.communicate(), PATIENCE)
        assert process.returncode == 0, (out[-2000:], errors[-2000:])
        told: dict[str, Any] = json.loads(out)
        result: dict[str, Any] = told.get("result", told)
        return result


def remote_command(gateway: Gateway, key: str, home: Path) -> tuple[str, tuple[str, ...], dict[str, str]]:
    """mcp-remote as a desktop client starts it: command, arguments, environment."""
    header = f"Authorization:Bearer {key}"
    arguments = (gateway.url, "--transport", "http-only", "--allow-http", "--header", header)
    return node.program("mcp-remote"), arguments, {**node.environment(), "HOME": str(home)}


async def _ended(process: asyncio.subprocess.Process) -> None:
    try:
        await asyncio.wait_for(process.wait(), 10)
    except TimeoutError:
        process.kill()
        await process.wait()
