"""Listings are read to their end, and end whatever the internal API answers."""

from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from mcp_server.caller import current_caller
from mcp_server.errors import ServiceUnavailable
from mcp_server.minds_api.pagination import MAX_PAGES, everything
from tests.mcp_server.toolsets.personas.world import listing, summary
from tests.support import ADA, FakeApi, Reply, serve


@pytest.fixture(autouse=True)
def _signed_in() -> Iterator[None]:
    token = current_caller.set(ADA)
    yield
    current_caller.reset(token)


async def test_a_listing_without_totals_ends_with_its_last_page(api: FakeApi) -> None:
    def page(request: httpx2.Request) -> Reply:
        offset = int(request.url.params["offset"])
        return Reply({"data": [summary(f"P{number}") for number in range(offset, min(offset + 100, 150))]})

    api.answers["GET /minds"] = page

    async with serve(api) as gateway:
        rows = await everything(gateway.runtime.api, "minds")

    assert len(rows) == 150
    assert len(api.asked) == 2


async def test_a_listing_that_ignores_the_offset_does_not_go_round_for_ever(api: FakeApi) -> None:
    api.answers["GET /minds"] = Reply({"data": [summary(f"P{number}") for number in range(100)]})

    async with serve(api) as gateway:
        rows = await everything(gateway.runtime.api, "minds")

    assert len(rows) == 100
    assert len(api.asked) == 2


async def test_a_listing_that_never_ends_is_ended(api: FakeApi) -> None:
    def page(request: httpx2.Request) -> Reply:
        offset = int(request.url.params["offset"])
        return listing([summary(f"P{number}") for number in range(offset, offset + 100)], total=10**9)

    api.answers["GET /minds"] = page

    async with serve(api) as gateway:
        await everything(gateway.runtime.api, "minds")

    assert len(api.asked) == MAX_PAGES


@pytest.mark.parametrize("body", [None, [], {}, {"data": None}, {"data": "x"}])
async def test_a_listing_that_is_none_is_refused(api: FakeApi, body: Any) -> None:
    api.answers["GET /minds"] = Reply(body)

    async with serve(api) as gateway:
        with pytest.raises(ServiceUnavailable):
            await everything(gateway.runtime.api, "minds")


async def test_what_has_no_id_is_left_out(api: FakeApi) -> None:
    api.answers["GET /minds"] = Reply({"data": [summary("Ada"), {"name": "nobody"}, 7, {"id": 1}]})

    async with serve(api) as gateway:
        rows = await everything(gateway.runtime.api, "minds")

    assert [row["name"] for row in rows] == ["Ada"]
