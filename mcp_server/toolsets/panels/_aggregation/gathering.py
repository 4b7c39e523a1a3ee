"""The replies to a question in a fixed order, by group, and each persona once. Pure."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from mcp_server.toolsets.panels._aggregation.grouping import told_apart
from mcp_server.toolsets.panels._aggregation.reading import Reader, reader
from mcp_server.toolsets.panels._study import AskedQuestion, Reply

State = Literal["usable", "unclear", "pending", "failed"]
SURER: tuple[State, ...] = ("usable", "unclear", "pending", "failed")
Who = tuple[str, ...]
NO_KNOWLEDGE = frozenset({"mind_personality", "unsupported"})


@dataclass(frozen=True, slots=True)
class Entry:
    """A reply and what it counts as. `choices` are options or themes; `others` was named but never offered."""

    reply: Reply
    who: Who
    state: State
    number: float | None = None
    choices: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Gathered:
    """All replies, those of each group, and everyone once. The order of the replies as told does not matter."""

    asked: AskedQuestion
    options: tuple[str, ...]
    entries: tuple[Entry, ...]
    groups: dict[str, tuple[Entry, ...]]
    everyone: tuple[Entry, ...]

    def answered(self) -> dict[str, tuple[Entry, ...]]:
        """The usable answers of each group that has any."""
        found = {name: usable(entries) for name, entries in self.groups.items()}
        return {name: entries for name, entries in found.items() if entries}


def usable(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Those that the figures stand on."""
    return tuple(entry for entry in entries if entry.state == "usable")


def is_offline(engine: str | None) -> bool:
    """Whether the answers were put together without a language model."""
    return engine is not None and "offline" in engine.casefold()


def unfounded(gathered: Gathered) -> list[Entry]:
    """The usable answers that rest on nothing that the persona knows, by the internal API's word (4.10)."""
    return [entry for entry in usable(gathered.everyone) if entry.reply.origin in NO_KNOWLEDGE]


def is_guessed(gathered: Gathered) -> bool:
    """Whether half of the answers or more are what an engine without a model says of what it knows nothing of.

    That finds nothing. A model speaks for a character even where it knows nothing; its answers are counted as such.
    """
    bare = len(unfounded(gathered))
    return is_offline(gathered.asked.engine) and bare > 0 and 2 * bare >= len(usable(gathered.everyone))


def gather(asked: AskedQuestion) -> Gathered:
    """Read every reply by the question's type."""
    names, told = told_apart(asked)
    order = {name: place for place, name in enumerate(names)}
    replies = sorted(told, key=lambda reply: (order[reply.group], *_order(reply)))
    options, read = reader(asked, replies)
    entries = [_entry(reply, who, read) for reply, who in zip(replies, _identities(replies), strict=True)]
    return arrange(asked, options, names, entries)


def arrange(asked: AskedQuestion, options: tuple[str, ...], groups: Iterable[str], entries: list[Entry]) -> Gathered:
    """Sort out who is in which group; `groups` and `entries` are in their order."""
    members: dict[str, list[Entry]] = {name: [] for name in groups}
    for entry in entries:
        members[entry.reply.group].append(entry)
    each = {name: _once(found) for name, found in members.items()}
    return Gathered(asked, options, tuple(entries), each, _once(entries))


def _order(reply: Reply) -> tuple[str, ...]:
    told = (reply.persona_id or "", reply.status, reply.value or "", reply.message)
    return (reply.persona, *told, repr(reply))


def _identities(replies: list[Reply]) -> list[Who]:
    """Who each reply is from: the id; without one the name and the message.

    Two of one name who said the same in one group are two people; across groups they are one.
    """
    seen: Counter[tuple[str, Who]] = Counter()
    return [_identity(reply, seen) for reply in replies]


def _identity(reply: Reply, seen: Counter[tuple[str, Who]]) -> Who:
    if reply.persona_id:
        return ("id", reply.persona_id)
    said = ("name", reply.persona, reply.message.strip() or (reply.value or "").strip())
    seen[reply.group, said] += 1
    return (*said, str(seen[reply.group, said]))


def _once(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Of each persona the entry that says most; of equal ones the first, which is that of the first group."""
    best: dict[Who, Entry] = {}
    for entry in entries:
        known = best.get(entry.who)
        if known is None or SURER.index(entry.state) < SURER.index(known.state):
            best[entry.who] = entry
    return tuple(best.values())


def _entry(reply: Reply, who: Who, read: Reader) -> Entry:
    if reply.status != "answered":
        return Entry(reply, who, "pending" if reply.status == "pending" else "failed")
    reading = read(reply)
    state: State = "usable" if reading.usable else "unclear"
    return Entry(reply, who, state, reading.number, reading.choices, reading.others)
