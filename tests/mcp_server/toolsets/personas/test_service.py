"""The service, asked without MCP: names, looks at a training, and whose object it is."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

import mcp_server.toolsets.personas._wire as wire
from mcp_server.minds_api.refusals import Missing
from mcp_server.toolsets.personas._wire import Made
from mcp_server.toolsets.personas.service import PersonaService
from tests.mcp_server.toolsets.personas.world import (
    completion,
    detail,
    id_of,
    listing,
    listing_of,
    refused,
    summary,
    training,
)
from tests.support import ADA, FakeApi, Reply, serve, signed_in

ID = id_of("Ada")
MADE = wire.made({"data": summary("Ada"), "training": training("queued")})


class Time:
    """A clock that only pauses move."""

    def __init__(self) -> None:
        self.now = 0.0
        self.pauses: list[float] = []

    def __call__(self) -> float:
        return self.now

    async def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds


@asynccontextmanager
async def service(api: FakeApi, time: Time | None = None) -> AsyncIterator[PersonaService]:
    ticking = time or Time()
    with signed_in(ADA):
        async with serve(api) as gateway:
            runtime = gateway.runtime
            yield PersonaService(runtime.api, runtime.names, dedup_seconds=10, pause=ticking.pause, clock=ticking)


async def seen(personas: PersonaService, made: Made, seconds: float = 20) -> list[tuple[float, str]]:
    return [(done, state.status) async for done, state in personas.watch(made, made.training, seconds)]


async def test_watching_tells_each_change_once_and_ends_with_the_training(api: FakeApi) -> None:
    api.answers[f"GET /minds/{ID}/training"] = [
        Reply(training("queued")),
        Reply(training("running", stage="collect", progress=40)),
        Reply(training("running", stage="collect", progress=40)),
        Reply(training("running", stage="index", progress=40)),
        Reply(training("completed")),
    ]
    time = Time()

    async with service(api, time) as personas:
        told = await seen(personas, MADE)

    assert [state for _, state in told] == ["queued", "running", "running", "completed"]
    figures = [done for done, _ in told]
    assert figures == sorted(set(figures))
    assert figures[-1] == 100
    assert time.pauses == [0.25, 0.5, 1.0, 2.0, 2.0]


async def test_watching_ends_when_its_time_is_up(api: FakeApi) -> None:
    api.answers[f"GET /minds/{ID}/training"] = Reply(training("running"))
    time = Time()

    async with service(api, time) as personas:
        told = await seen(personas, MADE, seconds=5)

    assert [state for _, state in told] == ["queued", "running"]
    assert 5 <= time.now < 8


async def test_a_name_is_found_among_all_that_are_listed_which_are_asked_for_once(api: FakeApi) -> None:
    api.answers["GET /minds"] = listing_of("Ada Lovelace", "Ada", "José", "Jo")

    async with service(api) as personas:
        exact, near = await personas.meant(None, "  Ada "), await personas.meant(None, "jose")

    assert (exact.name, near.name) == ("Ada", "José")
    assert len(api.asked) == 1


@pytest.mark.requirement("seed:gateway:breaker-around-api")
async def test_each_call_has_its_own_breaker(api: FakeApi, monkeypatch: pytest.MonkeyPatch) -> None:
    api.answers |= {
        f"POST /minds/{ID}/completion": completion("Hello"),
        "POST /minds": Reply({"data": summary("Ada")}, 201),
        f"GET /minds/{ID}/training": Reply(training("queued")),
        f"GET /minds/{ID}": detail("Ada"),
        "GET /minds": listing([]),
    }
    observed: list[str] = []

    async with serve(api) as gateway:
        monkeypatch.setattr(gateway.runtime.telemetry, "upstream", lambda operation, *_: observed.append(operation))
        personas = gateway.runtime.services[PersonaService]
        with signed_in(ADA):
            await personas.talk(MADE.row, [{"role": "user", "content": "Hi"}])
            await personas.creations.create({"name": "Ada"}, ADA)
            await personas.look(ID, MADE.training)
            await personas.read(ID)
            await personas.listing(None)

    assert observed == ["chat", "create", "polling", "polling", "default"]


async def test_where_a_training_has_no_address_the_persona_tells_it_if_there_is_one(api: FakeApi) -> None:
    api.answers[f"GET /minds/{ID}/training"] = refused(404)
    api.answers[f"GET /minds/{ID}"] = Reply({"data": {**summary("Ada"), "trainingStatus": "running"}})

    async with service(api) as personas:
        assert (await personas.look(ID, MADE.training)).status == "running"
        api.answers[f"GET /minds/{ID}"] = refused(404)
        with pytest.raises(Missing):
            await personas.progress(ID)
