"""A client of the panel tools."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from mcp import Client

from mcp_server.caller import Caller
from mcp_server.toolset import discover
from mcp_server.toolsets.panels.service import PanelService
from tests.support import ADA, Era, FakeApi, FakeFiles, serve


async def no_pause(_seconds: float) -> None:
    """Tests do not wait."""


@asynccontextmanager
async def opened(api: FakeApi, caller: Caller = ADA, era: Era = "auto") -> AsyncIterator[tuple[Client, FakeFiles]]:
    """A client of a gateway with the panel tools, and what that gateway publishes."""
    async with serve(api, discover(["panels"])) as gateway, gateway.connect(caller, era) as client:
        gateway.runtime.services[PanelService]._calls.jobs._pause = no_pause
        yield client, gateway.files


@asynccontextmanager
async def client_of(api: FakeApi, caller: Caller = ADA, era: Era = "auto") -> AsyncIterator[Client]:
    """A client of a gateway with the panel tools."""
    async with opened(api, caller, era) as (client, _):
        yield client


async def called(api: FakeApi, tool: str, **arguments: Any) -> Any:
    """The result of one call."""
    async with client_of(api) as client:
        return await client.call_tool(tool, arguments)
