"""Watches are asked while somebody listens, and never otherwise; listeners hear of all that changes meanwhile."""

import asyncio
from collections.abc import Callable

import pytest

from mcp_server.errors import ServiceUnavailable
from mcp_server.observability.telemetry import no_op
from mcp_server.toolkit.changes import MOST_LISTENERS, Changed, Changes
from tests.edge import within

OFTEN = 0.001  # seconds


class Table:
    """What a toolset's watch looks at: the URI written at each revision. Each look that `fails` raises."""

    def __init__(self) -> None:
        self.written: list[str] = []
        self.looks: list[int | None] = []
        self.fails = 0

    async def look(self, since: int | None) -> Changed:
        self.looks.append(since)
        if self.fails > 0:
            self.fails -= 1
            raise OSError("the database is away")
        begin = len(self.written) if since is None else since
        return Changed(len(self.written), frozenset(self.written[begin:]))


class Ear:
    """A listener, and what it was told."""

    def __init__(self) -> None:
        self.heard: asyncio.Queue[frozenset[str]] = asyncio.Queue()
        self.ended = 0

    async def listen(self, changed: Changed) -> None:
        self.heard.put_nowait(changed.uris)

    def end(self) -> None:
        self.ended += 1


def watched(table: Table) -> Changes:
    changes = Changes(OFTEN)
    changes.watch(table.look)
    return changes


async def rest(changes: Changes) -> None:
    """Until nobody is asked any more."""
    async with asyncio.timeout(20):
        while changes.is_looking:  # noqa: ASYNC110  nothing says that it is at rest
            await asyncio.sleep(OFTEN)


async def stopped(changes: Changes, *stops: Callable[[], None]) -> None:
    for stop in stops:
        stop()
    await rest(changes)


async def test_who_listens_hears_what_changes_from_then_on_and_nobody_is_asked_before_or_afterwards() -> None:
    table, ear, other = Table(), Ear(), Ear()
    table.written.append("a")
    changes = watched(table)
    assert table.looks == []

    stop = await changes.tell(ear.listen, ear.end)
    assert table.looks == [None]
    table.written += ["b", "c"]
    assert await within(ear.heard.get()) == {"b", "c"}
    stop_other = await changes.tell(other.listen, other.end)
    stop()
    table.written.append("d")
    assert await within(other.heard.get()) == {"d"}
    await stopped(changes, stop_other, stop)

    assert (ear.heard.empty(), changes.listeners, table.looks.count(None)) == (True, 0, 1)
    looks = len(table.looks)
    table.written.append("e")
    stop = await changes.tell(ear.listen, ear.end)
    assert table.looks[looks:] == [None], "what changed while nobody listened is told to nobody"
    await changes.aclose()
    assert (changes.is_looking, ear.ended, other.ended) == (False, 1, 0)


async def test_what_changes_while_the_looks_fail_is_told_by_the_first_that_does_not() -> None:
    table, other, ear = Table(), Table(), Ear()
    changes = watched(table)
    changes.watch(other.look)
    stop = await changes.tell(ear.listen, ear.end)

    table.fails = 3
    table.written.append("a")
    other.written.append("b")

    assert [await within(ear.heard.get()), await within(ear.heard.get())] == [{"b"}, {"a"}]
    await stopped(changes, stop)


async def test_a_subscription_is_refused_while_nobody_knows_what_changes_and_taken_afterwards() -> None:
    table, ear = Table(), Ear()
    changes = watched(table)
    table.fails = 1

    with pytest.raises(ServiceUnavailable):
        await changes.tell(ear.listen, ear.end)
    assert (changes.listeners, changes.is_looking) == (0, False)

    await stopped(changes, await changes.tell(ear.listen, ear.end))


async def test_listeners_have_a_limit_and_none_comes_when_serving_ends() -> None:
    table, ear = Table(), Ear()
    changes = watched(table)
    stops = [await changes.tell(ear.listen, ear.end) for _ in range(MOST_LISTENERS)]

    with pytest.raises(ServiceUnavailable):
        await changes.tell(ear.listen, ear.end)
    stops.pop()()
    stops.append(await changes.tell(ear.listen, ear.end))
    changes.end()
    assert ear.ended == MOST_LISTENERS
    for stop in stops:
        stop()
    with pytest.raises(ServiceUnavailable):
        await changes.tell(ear.listen, no_op)
    await changes.aclose()
