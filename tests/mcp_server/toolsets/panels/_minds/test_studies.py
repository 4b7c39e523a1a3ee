"""The endpoints are asked as the contract has them."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from mcp_server.errors import Refused, ServiceUnavailable
from tests.mcp_server.toolsets.panels._ask.test_job import ID, PANEL, READ, studies
from tests.mcp_server.toolsets.panels.world import answer, asked, audience, id_of, output, told
from tests.support import FakeApi, Reply


async def test_a_new_group_carries_its_idempotency_key(api: FakeApi) -> None:
    api.answers["POST /audiences"] = Reply({"data": audience("Owners", "Mia")}, 201)

    async with studies(api) as endpoints:
        await endpoints.create_group("Owners", [id_of("Mia")], "the key")

    assert api.asked[-1].headers["x-minds-idempotency-key"] == "the key"


@pytest.mark.parametrize("body", [None, {}, {"data": []}, {"data": {"id": "1"}}])
async def test_a_panel_that_is_none_is_the_internal_apis_fault(api: FakeApi, body: object) -> None:
    api.answers[READ] = Reply(body)

    async with studies(api) as endpoints:
        with pytest.raises(ServiceUnavailable):
            await endpoints.panel(ID)


async def test_an_internal_api_without_panels_says_so(api: FakeApi) -> None:
    api.answers |= {route: Reply({}, 404) for route in ("GET /studies", "GET /audiences")}

    async with studies(api) as endpoints:
        for listing_of in (endpoints.panels, endpoints.groups):
            with pytest.raises(Refused):
                await listing_of()


@pytest.mark.parametrize("status", [400, 404, 405, 500, 503])
async def test_what_the_transcript_holds_is_better_than_nothing(api: FakeApi, status: int) -> None:
    shortened = told("Why?", output("Why?", {"Owners": [answer("Mia", "8")], "Guests": []}))
    api.answers[READ] = Reply({"data": {**PANEL, "messages": [asked("Why?"), shortened]}})
    api.answers[f"{READ}/messages/{shortened['id']}/answers"] = Reply({}, status)

    async with studies(api) as endpoints:
        panel = await endpoints.panel(ID)
        entry = await endpoints.complete(panel, panel.entries[0])

    assert ([reply.persona for reply in entry.asked.replies], len(entry.asked.notes)) == (["Mia"], 1)


class Counted(ThreadPoolExecutor):
    """Threads that know how much they were given to do."""

    given = 0

    def submit(self, *args: Any, **kwargs: Any) -> Any:
        self.given += 1
        return super().submit(*args, **kwargs)


async def test_a_transcript_is_read_beside_the_event_loop(api: FakeApi) -> None:
    api.answers[READ] = Reply({"data": {**PANEL, "messages": [asked("Why?")]}})

    async with studies(api) as endpoints:
        asyncio.get_running_loop().set_default_executor(threads := Counted())
        await endpoints.panel(ID)

    assert threads.given == 1
