"""A name costs a listing once: for its caller alone, and only as long as nothing is known to have changed."""

from collections.abc import Awaitable, Callable, Sequence

import pytest

from mcp_server.caller import ANONYMOUS, Caller
from mcp_server.errors import Ambiguous, NotFound
from mcp_server.minds_api.refusals import Missing
from mcp_server.runtime import Runtime
from mcp_server.toolkit.names import Kind
from tests.mcp_server.toolsets.personas.world import listing, refused, summary
from tests.support import ADA, BOB, FakeApi, Reply, serve, signed_in

KIND = Kind("AI persona", "list_my_ai_personas", "minds")


async def found(runtime: Runtime, name: str, caller: Caller = ADA) -> str:
    with signed_in(caller):
        return (await runtime.names.find(KIND, lambda known: known.meant(name))).name


def named(*names: str) -> Reply:
    return listing([summary(name, id=str(number)) for number, name in enumerate(names)])


@pytest.mark.parametrize(("callers", "listings"), [((ADA, ADA), 1), ((ADA, BOB), 2), ((ANONYMOUS, ANONYMOUS), 2)])
async def test_names_are_remembered_for_the_caller_whose_they_are_and_for_nobody_else(
    api: FakeApi, callers: Sequence[Caller], listings: int
) -> None:
    api.answers["GET /minds"] = named("Ada")

    async with serve(api) as gateway:
        for caller in callers:
            await found(gateway.runtime, "ada", caller)

    assert len(api.sent("GET /minds")) == listings


@pytest.mark.parametrize("then", [("Ada", "Grace"), ("Grace",)], ids=["made", "renamed"])
async def test_a_name_that_is_not_remembered_is_looked_for_anew(api: FakeApi, then: Sequence[str]) -> None:
    api.answers["GET /minds"] = [named("Ada", "Ada"), named(*then)]

    async with serve(api) as gateway:
        with pytest.raises(Ambiguous):
            await found(gateway.runtime, "Ada")
        assert await found(gateway.runtime, "Grace") == "Grace"
        with pytest.raises(NotFound):
            await found(gateway.runtime, "Nobody")


async def create(runtime: Runtime) -> None:
    await runtime.api.call("POST", "minds", json={})


async def look(runtime: Runtime) -> None:
    with pytest.raises(Missing):
        await runtime.api.call("GET", "minds", "gone")


@pytest.mark.parametrize("do", [create, look], ids=["created", "gone"])
async def test_names_are_forgotten_when_there_are_more_or_fewer(
    api: FakeApi, do: Callable[[Runtime], Awaitable[None]]
) -> None:
    api.answers |= {"GET /minds": [named("Ada"), named("Ada", "ada")], "POST /minds": Reply({}, 201)}
    api.answers["GET /minds/gone"] = refused(404)

    async with serve(api) as gateway:
        await found(gateway.runtime, "Ada")
        with signed_in(ADA):
            await do(gateway.runtime)
        with pytest.raises(Ambiguous):
            await found(gateway.runtime, "ADA")
