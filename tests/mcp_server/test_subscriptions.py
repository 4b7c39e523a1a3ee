"""On stdio: clients of both eras are told what another process has changed, and the process ends with its input."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import mcp
import mcp_types as types
import pytest
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.subscriptions import ResourcesListChanged, ResourceUpdated
from mcp.shared.exceptions import MCPError

from mcp_server.caller import Caller
from mcp_server.factory import create_server
from mcp_server.minds_api.credentials import OwnKey
from mcp_server.runtime import Runtime
from mcp_server.toolset import discover
from tests.edge import ERAS, MODERN, request, within
from tests.mcp_server.stdio_process import started
from tests.mcp_server.toolsets.test_new_toolset import ON_STDIO
from tests.notes import FIRST, PRIVATE, SECOND, notes, write_elsewhere
from tests.processes import environment
from tests.support import ADA, API_URL, Era, FakeApi, FakeFiles, settings, signed_in

__all__ = ["notes"]
pytestmark = pytest.mark.slow

LIST_CHANGED = "notifications/resources/list_changed"


class Told:
    """What a client was told unasked: the URI of what was updated, or the method."""

    def __init__(self) -> None:
        self.queue: asyncio.Queue[str] = asyncio.Queue()

    async def __call__(self, message: object) -> None:
        if isinstance(message, types.ResourceUpdatedNotification):
            self.queue.put_nowait(message.params.uri)
        elif isinstance(message, types.ResourceListChangedNotification):
            self.queue.put_nowait(message.method)


@asynccontextmanager
async def client_of(file: Path, era: Era, told: Told) -> AsyncIterator[mcp.Client]:
    """The SDK's client, of a process that it starts itself."""
    folder = file.parent
    variables = environment(DATA_DIR=str(folder), TOOLSETS="notes", NOTES_FILE=str(file))
    server = StdioServerParameters(command=sys.executable, args=list(ON_STDIO), env=variables, cwd=folder)
    with (folder / "stderr.log").open("w", encoding="utf-8") as errors:
        async with mcp.Client(stdio_client(server, errlog=errors), mode=era, message_handler=told) as client:
            yield client


async def send(client: mcp.Client, request: Any, params: Any) -> None:
    """As the SDK's own methods do, which warn that these requests are of an older era."""
    await client.session.send_request(request(params=params), types.EmptyResult)


async def test_a_client_of_2026_listens(notes: Path) -> None:
    async with (
        client_of(notes, "auto", Told()) as client,
        client.listen(resources_list_changed=True, resource_subscriptions=[FIRST, PRIVATE]) as subscription,
    ):
        assert subscription.honored.resource_subscriptions == [FIRST]
        await write_elsewhere(notes, "first")
        assert await within(anext(subscription)) == ResourceUpdated(FIRST)
        await write_elsewhere(notes, "second")
        assert await within(anext(subscription)) == ResourcesListChanged()


async def test_a_client_of_2025_that_has_the_list_is_told_of_another_and_subscribes_and_leaves(notes: Path) -> None:
    told = Told()
    async with client_of(notes, "legacy", told) as client:
        assert client.server_capabilities is not None
        assert client.server_capabilities.resources == types.ResourcesCapability(subscribe=True, list_changed=True)
        await client.list_resources()
        await write_elsewhere(notes, "second")
        assert await within(told.queue.get()) == LIST_CHANGED
        await send(client, types.SubscribeRequest, types.SubscribeRequestParams(uri=FIRST))
        await send(client, types.SubscribeRequest, types.SubscribeRequestParams(uri=SECOND))
        await write_elsewhere(notes, "first")
        assert await within(told.queue.get()) == FIRST
        await send(client, types.UnsubscribeRequest, types.UnsubscribeRequestParams(uri=FIRST))
        await write_elsewhere(notes, "first")
        await write_elsewhere(notes, "second")
        assert await within(told.queue.get()) == SECOND, "and nothing of the first"
        with pytest.raises(MCPError) as private:
            await send(client, types.SubscribeRequest, types.SubscribeRequestParams(uri=PRIVATE))
        assert private.value.error.data["code"] == "AUTHENTICATION_REQUIRED"


async def test_who_may_not_read_any_more_is_told_nothing_and_the_stream_ends(notes: Path, api: FakeApi) -> None:
    known = [True]

    async def again() -> Caller | None:
        return replace(ADA, again=again) if known[0] else None

    toolsets = discover(["notes"])
    runtime = Runtime(settings(), toolsets, api_url=API_URL, credentials=OwnKey(), files=FakeFiles(), transport=api)
    with signed_in(replace(ADA, again=again)):
        async with (
            mcp.Client(create_server(runtime, toolsets)) as client,
            client.listen(resource_subscriptions=[PRIVATE]) as subscription,
        ):
            await write_elsewhere(notes, "first")
            assert await within(anext(subscription)) == ResourceUpdated(PRIVATE)
            known[0] = False
            await write_elsewhere(notes, "first")
            assert [event async for event in subscription] == []

    assert not runtime.changes._listeners


@pytest.mark.parametrize("era", ERAS)
async def test_the_end_of_the_input_ends_what_is_subscribed_to(notes: Path, era: str) -> None:
    async with started(notes.parent, *ON_STDIO, TOOLSETS="notes", NOTES_FILE=str(notes)) as process:
        if era == MODERN:
            params = {"notifications": {"resourceSubscriptions": [FIRST]}}
            await process.ask("server/discover", {}, era)
            await process.send(request("subscriptions/listen", params, era=era)[1])
            assert (await process.read())["method"] == "notifications/subscriptions/acknowledged"
        else:
            await process.handshake()
            assert "result" in await process.ask("resources/subscribe", {"uri": FIRST})
        _, _, code = await process.end()

    assert code == 0
