"""Over HTTP: who subscribes is told what another process has changed, gives its place back, and is told of the end."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
import mcp
import mcp_types as types
import pytest
import uvicorn
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import ResourcesListChanged, ResourceUpdated, Subscription

from app.commands.serve import http_options
from app.composition import Composition, Parts
from app.factory import connect
from app.http.admission import MAX_SUBSCRIPTIONS
from app.process.server import Server
from app.process.shutdown import Drain
from mcp_server.subscriptions import LONGEST_URI, MOST_URIS
from mcp_server.toolkit.changes import Changes
from mcp_server.toolset import Toolset, discover
from tests.edge import LEGACY, MODERN, PATIENCE, free_socket, make_keys, request, settings_for, within
from tests.journeys.clients import typescript_program
from tests.mcp_server.stdio_process import HANDSHAKE
from tests.notes import FIRST, PRIVATE, SECOND, notes, write_elsewhere

__all__ = ["notes"]
pytestmark = pytest.mark.slow


@dataclass
class Gateway:
    """The product's server on a port, with the toolset `notes`."""

    origin: str
    key: str
    server: Server
    changes: Changes
    serving: asyncio.Task[None]

    @asynccontextmanager
    async def client(self, key: str = "", query: str = "") -> AsyncIterator[mcp.Client]:
        headers = {"authorization": f"Bearer {key}"} if key else {}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=PATIENCE, trust_env=False) as web,
            mcp.Client(streamable_http_client(f"{self.origin}/mcp{query}", http_client=web)) as client,
        ):
            yield client

    async def ask(self, method: str, params: Mapping[str, object], era: str) -> httpx2.Response:
        headers, body = request(method, params, era=era)
        async with httpx2.AsyncClient(timeout=PATIENCE, trust_env=False) as web:
            return await web.post(f"{self.origin}/mcp", headers=headers, json=body)


@pytest.fixture
async def gateway(tmp_path: Path, notes: Path) -> AsyncIterator[Gateway]:
    del notes
    sock, drain = free_socket(), Drain()
    origin = f"http://127.0.0.1:{sock.getsockname()[1]}"
    settings = settings_for(tmp_path, site_url=origin)
    key, _ = await make_keys(settings)
    composition = Composition(settings, Parts(toolsets=[*discover(["notes"]), Toolset("maps")], drain=drain))
    options = {"timeout_graceful_shutdown": PATIENCE, **http_options(settings)}
    server = Server(uvicorn.Config(drain.around(connect(composition)), **options))
    serving = asyncio.create_task(server.serve(sockets=[sock]))
    await until(lambda: server.started)
    yield Gateway(origin, key, server, composition.runtime.changes, serving)
    server.should_exit = True
    await within(serving)


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not condition():  # noqa: ASYNC110  nothing says that it has become true
            await asyncio.sleep(0.01)


async def heard(subscription: Subscription, number: int) -> list[object]:
    return [await within(anext(subscription)) for _ in range(number)]


async def test_subscribers_are_told_what_another_process_changed_and_only_what_they_asked_for_and_may_read(
    gateway: Gateway, notes: Path
) -> None:
    asked = {"resources_list_changed": True, "tools_list_changed": True, "prompts_list_changed": True}
    async with gateway.client() as stranger, gateway.client(gateway.key) as ada, AsyncExitStack() as stack:
        capabilities = stranger.server_capabilities
        everything = await stack.enter_async_context(
            stranger.listen(resource_subscriptions=[FIRST, SECOND, PRIVATE], **asked)
        )
        mine = await stack.enter_async_context(ada.listen(resource_subscriptions=[PRIVATE]))
        await write_elsewhere(notes, "first")
        assert await heard(everything, 1) == [ResourceUpdated(FIRST)]
        assert await heard(mine, 1) == [ResourceUpdated(PRIVATE)]
        await write_elsewhere(notes, "second")
        assert await heard(everything, 2) == [ResourcesListChanged(), ResourceUpdated(SECOND)]
        await write_elsewhere(notes, "first")
        assert await heard(mine, 1) == [ResourceUpdated(PRIVATE)], "and not of the second note"

    honoured = types.SubscriptionFilter(resources_list_changed=True, resource_subscriptions=[FIRST, SECOND])
    assert everything.honored == honoured, "what never changes, and what is private, is not promised"
    assert capabilities is not None
    assert capabilities.resources == types.ResourcesCapability(subscribe=True, list_changed=True)
    assert capabilities.tools == types.ToolsCapability(list_changed=False)
    await until(lambda: not gateway.changes._looking)


async def test_a_client_that_names_other_toolsets_hears_nothing_of_these(gateway: Gateway, notes: Path) -> None:
    async with (
        gateway.client(query="?toolsets=maps") as narrowed,
        gateway.client(query="?toolsets=maps,notes") as wider,
        narrowed.listen(resources_list_changed=True, resource_subscriptions=[FIRST]) as silent,
        wider.listen(resources_list_changed=True, resource_subscriptions=[FIRST]) as hears,
    ):
        await write_elsewhere(notes, "first")
        assert await heard(hears, 1) == [ResourceUpdated(FIRST)]

    assert not silent.honored.resources_list_changed
    assert not silent.honored.resource_subscriptions
    assert hears.honored.resources_list_changed


async def test_the_typescript_client_listens(gateway: Gateway, notes: Path) -> None:
    asked = {"resourcesListChanged": True, "resourceSubscriptions": [PRIVATE, SECOND]}
    async with typescript_program("typescript.mjs", f"{gateway.origin}/mcp", gateway.key, "auto") as (client, version):
        assert version == MODERN
        assert (await client.ask("subscriptions/listen", asked))["honored"] == asked
        await write_elsewhere(notes, "first")
        assert await client.line() == {"updated": PRIVATE}
        await write_elsewhere(notes, "second")
        assert [await client.line(), await client.line()] == [{"listChanged": True}, {"updated": SECOND}]
    await until(lambda: len(gateway.changes._listeners) == 0)


async def test_one_caller_has_a_few_streams_and_whoever_goes_away_frees_a_place(gateway: Gateway) -> None:
    async with gateway.client() as client:
        async with AsyncExitStack() as stack:
            for _ in range(MAX_SUBSCRIPTIONS):
                await stack.enter_async_context(client.listen(resource_subscriptions=[FIRST]))
            refused = await gateway.ask("subscriptions/listen", {"notifications": {}}, MODERN)
            async with gateway.client(gateway.key) as ada, ada.listen(resource_subscriptions=[FIRST]):
                assert len(gateway.changes._listeners) == MAX_SUBSCRIPTIONS + 1, "somebody else has places of their own"
        await until(lambda: len(gateway.changes._listeners) == 0)
        async with client.listen(resource_subscriptions=[FIRST]):
            assert len(gateway.changes._listeners) == 1
    await until(lambda: len(gateway.changes._listeners) == 0 and not gateway.changes._looking)

    assert (refused.status_code, refused.json()["error"]["data"]["code"]) == (429, "RATE_LIMIT_EXCEEDED")


async def test_open_streams_end_with_the_server_and_do_not_hold_it_up(gateway: Gateway) -> None:
    async with gateway.client() as client, client.listen(resource_subscriptions=[FIRST]) as subscription:
        gateway.server.should_exit = True
        assert [event async for event in subscription] == [], "it ended, and was not lost"
        await within(gateway.serving)

    assert len(gateway.changes._listeners) == 0


@pytest.mark.parametrize("uris", [[f"note://open/{n}" for n in range(MOST_URIS + 1)], ["x" * (LONGEST_URI + 1)]])
async def test_a_subscription_is_to_a_bounded_number_of_bounded_uris(gateway: Gateway, uris: list[str]) -> None:
    refused = await gateway.ask("subscriptions/listen", {"notifications": {"resourceSubscriptions": uris}}, MODERN)

    assert refused.status_code == 400
    assert refused.json()["error"]["code"] == types.INVALID_PARAMS


async def test_where_nobody_knows_what_changes_the_client_is_asked_to_try_again(gateway: Gateway, notes: Path) -> None:
    await asyncio.to_thread(notes.write_bytes, b"this is no database")

    refused = await gateway.ask("subscriptions/listen", {"notifications": {}}, MODERN)

    assert (refused.status_code, refused.json()["error"]["data"]["code"]) == (503, "SERVICE_UNAVAILABLE")


async def test_a_client_of_2025_is_promised_no_subscription_where_it_has_no_connection(gateway: Gateway) -> None:
    hello = (await gateway.ask("initialize", HANDSHAKE, LEGACY)).json()["result"]["capabilities"]
    subscribe = (await gateway.ask("resources/subscribe", {"uri": FIRST}, LEGACY)).json()

    assert hello["resources"] == {"subscribe": False, "listChanged": False}
    assert subscribe["error"]["code"] == types.METHOD_NOT_FOUND


async def test_there_is_no_subscription_where_nothing_changes(tmp_path: Path) -> None:
    server = Composition(settings_for(tmp_path), Parts(toolsets=discover(["personas"]))).server

    assert server.get_request_handler("subscriptions/listen") is None
