"""Watches are asked while somebody listens, and never otherwise; listeners hear of all that changes meanwhile."""

import asyncio

import pytest

from mcp_server.errors import ServiceUnavailable
from mcp_server.observability.telemetry import no_op
from mcp_server.toolkit.changes import MOST_LISTENERS, Changed, Changes
from tests.edge import within

OFTEN = 0.001  # seconds


class Table:
    """What a watch looks at: the URI written at each revision. So many of the next looks fail as `fails` says."""

    def __init__(self) -> None:
        self.written: list[str] = []
        self.looks: list[int | None] = []
        self.fails = 0
        self.heard: asyncio.Queue[frozenset[str]] = asyncio.Queue()

    async def look(self, since: int | None) -> Changed:
        self.looks.append(since)
        if self.fails > 0:
            self.fails -= 1
            raise OSError("the database is away")
        begin = len(self.written) if since is None else since
        return Changed(len(self.written), frozenset(self.written[begin:]))

    async def hear(self, changed: Changed) -> None:
        self.heard.put_nowait(changed.uris)


def watched(*tables: Table) -> Changes:
    changes = Changes(OFTEN)
    for table in tables:
        changes.watch(table.look)
    return changes


async def test_who_listens_hears_what_changes_from_then_on_and_nobody_is_asked_before_or_afterwards() -> None:
    table, other = Table(), Table()
    table.written.append("a")
    changes = watched(table)

    stop = await changes.tell(table.hear, no_op)
    assert table.looks == [None]
    table.written += ["b", "c"]
    assert await within(table.heard.get()) == {"b", "c"}
    stop_other = await changes.tell(other.hear, no_op)
    stop()
    table.written.append("d")
    assert await within(other.heard.get()) == {"d"}
    stop_other()
    async with asyncio.timeout(20):
        while changes._looking:  # noqa: ASYNC110  nothing says that it is at rest
            await asyncio.sleep(OFTEN)

    assert (table.heard.empty(), len(changes._listeners), table.looks.count(None)) == (True, 0, 1)
    del table.looks[:]
    table.written.append("e")
    await changes.tell(table.hear, no_op)
    assert table.looks == [None], "what changed while nobody listened is told to nobody"
    await changes.aclose()
    assert not changes._looking


async def test_a_watch_that_fails_makes_good_later_and_until_it_is_known_nobody_is_taken_on() -> None:
    table, other = Table(), Table()
    changes = watched(table, other)
    table.fails = 1
    with pytest.raises(ServiceUnavailable):
        await changes.tell(table.hear, no_op)
    assert (len(changes._listeners), changes._looking) == (0, None)
    await changes.tell(table.hear, no_op)

    table.fails = 3
    table.written.append("a")
    other.written.append("b")

    assert [await within(table.heard.get()), await within(table.heard.get())] == [{"b"}, {"a"}]
    await changes.aclose()


async def test_listeners_have_a_limit_and_none_comes_when_serving_ends() -> None:
    changes, ended = watched(Table()), list[bool]()
    for _ in range(MOST_LISTENERS):
        stop = await changes.tell(Table().hear, lambda: ended.append(True))

    with pytest.raises(ServiceUnavailable):
        await changes.tell(Table().hear, no_op)
    stop()
    changes.end()
    assert len(ended) == MOST_LISTENERS - 1
    with pytest.raises(ServiceUnavailable):
        await changes.tell(Table().hear, no_op)
    await changes.aclose()
