"""The replies to a question in a fixed order, by group, and each persona once. Pure."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, cast, get_args

from mcp_server.errors import InvalidArguments
from mcp_server.toolsets.panels._aggregation.reading import options_of, settled
from mcp_server.toolsets.panels._study import AskedQuestion, Reply

State = Literal["usable", "uncoded", "declined", "pending", "failed"]
SURER: tuple[State, ...] = get_args(State)
STATES: dict[str, State] = {"answered": "usable", "timeout": "failed"}
Who = tuple[str, ...]
NOT_TOLD = "not told"  # of whom an attribute is not known: no segment that is compared


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
    """All replies, those of each group, and everyone once. The order in which replies came does not matter.

    `options` are what may be chosen, or the themes of an open question; `labels` are the original ones of each theme.
    """

    asked: AskedQuestion
    options: tuple[str, ...]
    entries: tuple[Entry, ...]
    groups: dict[str, tuple[Entry, ...]]
    everyone: tuple[Entry, ...]
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def is_early(self) -> bool:
        """Whether fewer have answered than are still to: what the first few say is no finding about the panel."""
        states = Counter(entry.state for entry in self.everyone)
        return states["pending"] > states["usable"] + states["uncoded"] + states["declined"]

    def answered(self) -> dict[str, tuple[Entry, ...]]:
        found = {name: usable(entries) for name, entries in self.groups.items()}
        return {name: entries for name, entries in found.items() if entries}


def usable(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Those that the figures stand on."""
    return tuple(entry for entry in entries if entry.state == "usable")


def gather(asked: AskedQuestion) -> Gathered:
    names, replies = _distinct_groups(asked)
    order = {name: place for place, name in enumerate(names)}
    replies.sort(key=lambda one: (order[one.group], one.persona, one.persona_id or "", one.status, repr(one)))
    options = options_of(asked, replies)
    entries = []
    for reply, who in zip(replies, _identities(replies), strict=True):
        said, reading = settled(asked, options, reply)
        state = STATES.get(said.status) or cast("State", said.status)
        entries.append(Entry(said, who, state, reading.number, reading.choices, reading.others))
    return arrange(asked, options.labels, names, entries)


def coded(asked: AskedQuestion) -> AskedQuestion:
    """The question with the status that each reply has by its words, as everything that shows replies has to."""
    options = options_of(asked, asked.replies)
    return replace(asked, replies=tuple(settled(asked, options, reply)[0] for reply in asked.replies))


def codable(asked: AskedQuestion, who: str) -> Reply:
    """The reply of a respondent, by id, or by name where none is told. Raises InvalidArguments: it has no words."""
    found = next(reply for reply in asked.replies if (reply.persona_id or reply.persona) == who)
    if found.status not in {"answered", "uncoded", "declined"} or not (found.message or found.value):
        raise InvalidArguments(f"an answer that is {found.status} has no words that could be coded")
    return found


def arrange(asked: AskedQuestion, options: tuple[str, ...], groups: Iterable[str], entries: list[Entry]) -> Gathered:
    """Sort out who is in which group; `groups` and `entries` are in their order."""
    members: dict[str, list[Entry]] = {name: [] for name in groups}
    for entry in entries:
        members[entry.reply.group].append(entry)
    each = {name: _once(found) for name, found in members.items()}
    return Gathered(asked, options, tuple(entries), each, _once(entries))


def _distinct_groups(asked: AskedQuestion) -> tuple[list[str], list[Reply]]:
    """The names of the groups, as asked and then any others, and the replies under these names.

    Two groups of one name become "Teens (1)" and "Teens (2)": figures of both together would be nobody's.
    """
    ids: dict[str, set[str]] = {}
    for reply in asked.replies:
        ids.setdefault(reply.group, set()).update({reply.group_id} if reply.group_id else ())
    numbered = {
        (name, each): f"{name} ({number})"
        for name in sorted(ids)
        for number, each in enumerate(sorted(ids[name]), start=1)
        if len(ids[name]) > 1
    }
    shared = {name for name, _ in numbered}
    replies = [replace(one, group=numbered.get((one.group, one.group_id or ""), one.group)) for one in asked.replies]
    held = {reply.group for reply in replies}
    names = [
        name
        for group in dict.fromkeys((*asked.groups, *sorted(ids)))
        for name in (group, *(new for (old, _), new in numbered.items() if old == group))
        if name in held or name not in shared
    ]
    return list(dict.fromkeys(names)), replies


def _identities(replies: list[Reply]) -> list[Who]:
    """Who each reply is from: the id; without one the name and the message.

    Two of one name who said the same in one group are two people; across groups they are one.
    """
    seen: Counter[tuple[str, Who]] = Counter()
    found: list[Who] = []
    for reply in replies:
        if reply.persona_id:
            found.append(("id", reply.persona_id))
            continue
        said = ("name", reply.persona, reply.message.strip() or (reply.value or "").strip())
        seen[reply.group, said] += 1
        found.append((*said, str(seen[reply.group, said])))
    return found


def _once(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Of each persona the entry that says most; of equal ones the first, which is that of the first group."""
    best: dict[Who, Entry] = {}
    for entry in entries:
        known = best.get(entry.who)
        if known is None or SURER.index(entry.state) < SURER.index(known.state):
            best[entry.who] = entry
    return tuple(best.values())
