"""Clients are told of articles that another process has changed."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import mcp
import mcp_types as types
import pytest
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.subscriptions import ResourcesListChanged, ResourceUpdated

from mcp_server.toolsets.articles.models import ArticleNotFound
from tests import launcher
from tests.edge import within
from tests.mcp_server.test_subscriptions import Told, send
from tests.mcp_server.toolsets.articles.articles import STARTED, gateway, given
from tests.processes import environment
from tests.support import Era

URI = "kb://article/getting-started"
LIST_CHANGED = "notifications/resources/list_changed"


async def elsewhere(folder: Path, *arguments: str) -> None:
    """A command of another process, on the same database."""
    command = launcher.command("app", "articles", *arguments)
    process = await asyncio.create_subprocess_exec(
        *command, env=environment(DATA_DIR=str(folder)), cwd=folder, stdout=asyncio.subprocess.DEVNULL
    )
    assert await within(process.wait()) == 0


@asynccontextmanager
async def client_of(folder: Path, era: Era, told: Told) -> AsyncIterator[mcp.Client]:
    async with gateway(folder, STARTED):
        pass
    variables = environment(DATA_DIR=str(folder), TOOLSETS="articles")
    program, *arguments = launcher.command("mcp_server.stdio")
    server = StdioServerParameters(command=program, args=arguments, env=variables, cwd=folder)
    with (folder / "stderr.log").open("w", encoding="utf-8") as errors:
        async with mcp.Client(stdio_client(server, errlog=errors), mode=era, message_handler=told) as client:
            yield client


@pytest.mark.slow
async def test_a_client_of_2026_listens_to_an_article_and_the_list(tmp_path: Path) -> None:
    async with (
        client_of(tmp_path, "auto", Told()) as client,
        client.listen(resources_list_changed=True, resource_subscriptions=[URI]) as subscription,
    ):
        await elsewhere(tmp_path, "unpublish", "getting-started")

        assert {type(await within(anext(subscription))) for _ in range(2)} == {ResourceUpdated, ResourcesListChanged}


@pytest.mark.slow
async def test_a_client_of_2025_subscribes_and_is_told(tmp_path: Path) -> None:
    told = Told()
    async with client_of(tmp_path, "legacy", told) as client:
        await client.list_resources()
        await send(client, types.SubscribeRequest, types.SubscribeRequestParams(uri=URI))
        await elsewhere(tmp_path, "delete", "getting-started")

        assert {await within(told.queue.get()) for _ in range(2)} == {URI, LIST_CHANGED}


async def test_a_watch_reports_each_change_once_by_its_revision(tmp_path: Path) -> None:
    async with gateway(tmp_path, STARTED) as (_, articles):
        mark, nothing = await articles.changes(None)
        assert (await articles.changes(mark)) == (mark, [])
        await articles.create(given(title="Another one"))
        await articles.mark("getting-started", "unpublish")
        after, slugs = await articles.changes(mark)
        again = await articles.changes(after)

    assert nothing == []
    assert slugs == ["another-one", "getting-started"]
    assert again == (after, [])


async def test_a_change_that_is_rolled_back_is_no_change(tmp_path: Path) -> None:
    async with gateway(tmp_path, STARTED) as (_, articles):
        mark, _ = await articles.changes(None)
        with pytest.raises(ArticleNotFound):
            await articles.mark("no-such", "publish")

        assert await articles.changes(mark) == (mark, [])
