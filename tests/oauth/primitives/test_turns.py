"""Turns at checking a password: a flood waits behind itself."""

import asyncio
from collections.abc import Sequence

import pytest

from oauth.errors import TooManyRequests
from oauth.primitives import turns as turns_module
from oauth.primitives.turns import MAX_NAMES, MAX_WAITING, Turns

ATTACKER, OFFICE, HOME = "198.51.100.7", "192.0.2.1", "203.0.113.9"


@pytest.fixture(autouse=True)
def no_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns_module, "GAP", 0)


class Door:
    """Turns that last until `open` is set, and who had one."""

    def __init__(self) -> None:
        self.turns, self.open = Turns(), asyncio.Event()
        self.had: list[tuple[str, ...]] = []
        self.at_once = self.most_at_once = 0

    async def come(self, *names: str) -> None:
        async with self.turns.turn(*names):
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
            await self.open.wait()
            self.had.append(names)
            self.at_once -= 1

    async def queue(self, comers: Sequence[tuple[str, ...]]) -> list[asyncio.Task[None]]:
        """They have come, in this order; who finds no place has been told so."""
        tasks = [asyncio.create_task(self.come(*names)) for names in comers]
        for _ in range(3 * len(comers) + 5):
            await asyncio.sleep(0)
        return tasks


def refused(tasks: Sequence[asyncio.Task[None]]) -> int:
    return sum(task.done() and isinstance(task.exception(), TooManyRequests) for task in tasks)


async def test_one_has_a_turn_at_a_time_and_equals_have_theirs_as_they_came() -> None:
    door = Door()
    comers = [(f"192.0.2.{number}", "") for number in range(MAX_WAITING)]

    tasks = await door.queue(comers)
    door.open.set()
    await asyncio.gather(*tasks)

    assert (door.most_at_once, door.had) == (1, comers)


@pytest.mark.parametrize("addresses", [1, 50])
async def test_who_comes_from_elsewhere_is_next_however_many_wait_and_the_rest_hears_so_at_once(addresses: int) -> None:
    door = Door()
    flood = await door.queue([(f"attacker {number % addresses}", f"guess {number}") for number in range(200)])
    told_at_once = refused(flood)

    (person,) = await door.queue([(HOME, "bob")])
    door.open.set()
    await asyncio.gather(person, *flood, return_exceptions=True)

    assert told_at_once == 200 - 1 - MAX_WAITING
    assert door.had[1] == (HOME, "bob"), "the first was there before"
    assert refused(flood) == told_at_once + 1, "one gave its place up"


async def test_many_come_one_a_turn_of_the_event_loop_so_that_others_are_served_between_them() -> None:
    door = Door()
    flood = [asyncio.create_task(door.come(ATTACKER, "bob")) for _ in range(100)]

    for _ in range(50):
        await asyncio.sleep(0)
    told = refused(flood)
    door.open.set()
    await asyncio.gather(*flood, return_exceptions=True)

    assert 0 < told < 50


async def test_who_came_often_is_told_to_come_back_later() -> None:
    door = Door()
    flood = await door.queue([(ATTACKER, f"guess {number}") for number in range(200)])

    waits = [refusal.retry_after for task in flood if task.done() and (refusal := task.exception())]  # type: ignore[attr-defined]  # it is a TooManyRequests
    door.open.set()
    await asyncio.gather(*flood, return_exceptions=True)

    assert waits == sorted(waits)
    assert (waits[0], waits[-1]) == (4 + MAX_WAITING + 2, 60)


async def test_of_one_address_the_account_that_is_asked_for_least_is_next() -> None:
    door = Door()
    flood = await door.queue([(OFFICE, "bob")] * 5)

    (colleague,) = await door.queue([(OFFICE, "ada")])
    door.open.set()
    await asyncio.gather(colleague, *flood)

    assert door.had[1] == (OFFICE, "ada")


async def test_a_turn_that_does_not_come_in_time_is_refused_and_leaves_no_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    door = Door()
    (holder,) = await door.queue([(OFFICE, "bob")])
    monkeypatch.setattr(turns_module, "PATIENCE", 0.01)
    (waiting,) = await door.queue([(HOME, "ada")])
    with pytest.raises(TooManyRequests):
        await waiting
    monkeypatch.undo()
    door.open.set()
    await holder
    await door.come(HOME, "ada")

    assert door.had == [(OFFICE, "bob"), (HOME, "ada")]


async def test_who_goes_away_before_or_in_its_turn_passes_it_on() -> None:
    door = Door()
    holder, second, third = await door.queue([(OFFICE, "1"), (HOME, "2"), (ATTACKER, "3")])

    second.cancel()
    holder.cancel()
    door.open.set()
    await asyncio.gather(holder, second, third, return_exceptions=True)

    assert door.had == [(ATTACKER, "3")]


async def test_a_flood_of_names_takes_no_memory() -> None:
    turns = Turns()

    for number in range(MAX_NAMES + 9):
        async with turns.turn(f"address {number}"):
            pass

    assert len(turns._came) < MAX_NAMES
