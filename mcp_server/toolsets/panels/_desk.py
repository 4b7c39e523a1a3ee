"""Asking a panel: the wish of a caller becomes an ask, or finds the one that is being answered already."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import orjson

from mcp_server.errors import InvalidArguments, NotFound
from mcp_server.toolkit.names import meant
from mcp_server.toolsets.panels._asking import Asking
from mcp_server.toolsets.panels._askings import Askings
from mcp_server.toolsets.panels._people import GROUP, identity
from mcp_server.toolsets.panels._studies import Panel
from mcp_server.toolsets.panels._study import AskedQuestion, Group, QuestionType
from mcp_server.toolsets.panels._transcript import Entry, folded
from mcp_server.toolsets.panels._wire import Classification
from mcp_server.toolsets.panels._words import EMPTY

Material = Mapping[str, str]
"""Something that every persona is given along with the question: its `url`, and perhaps its `name` and `type`."""


@dataclass(frozen=True, slots=True)
class Wish:
    """A question as the caller put it; what is None is for the internal API to find out."""

    question: str
    groups: tuple[str, ...] = ()
    attachments: tuple[Material, ...] = ()
    links: tuple[Material, ...] = ()
    type: QuestionType | None = None
    scale: tuple[int, int] | None = None
    options: tuple[str, ...] = ()

    def check(self) -> None:
        """What overrides the understanding of the question fits together.

        Raises:
            InvalidArguments: it does not.

        """
        if self.scale is not None and self.type not in {None, "scale"}:
            raise InvalidArguments("scale goes with questionType scale only")
        if self.options and self.type not in {None, "categorical", "multiselect"}:
            raise InvalidArguments("options go with questionType categorical or multiselect only")
        if self.scale is not None and self.options:
            raise InvalidArguments("give a scale or options, not both")

    def classification(self) -> dict[str, Any] | None:
        """How the caller wants the question to be understood; None to leave it to its words."""
        kind = self.type or ("scale" if self.scale else "categorical" if self.options else None)
        if kind is None:
            return None
        told: dict[str, Any] = {"type": kind}
        if self.scale is not None:
            told["scaleRange"] = list(self.scale)
        if self.options:
            told["options"] = list(self.options)
        return told

    def suits(self, asked: AskedQuestion) -> bool:
        """Whether `asked`, a question of the same words, is understood as is wished; what is left out fits anything."""
        kind = (self.classification() or {}).get("type", asked.type)
        options = not self.options or sorted(map(folded, self.options)) == sorted(map(folded, asked.options))
        return kind == asked.type and self.scale in {None, asked.scale} and options

    def is_of(self, asking: Asking) -> bool:
        """Whether `asking`, of the same words and groups, is what is wished; what is left out fits anything."""
        told = self.classification()
        if told != asking.body.get("classification") and not self.suits(asking.question()):
            return False
        material = {"attachments": self.attachments, "links": self.links}
        return all(not mine or _plain(mine) == asking.body.get(name) for name, mine in material.items())

    def body(self, groups: Sequence[Group], request_id: str, *, everyone: bool) -> dict[str, Any]:
        """The body of the ask (minds-api.md section 4.9)."""
        told: dict[str, Any] = {
            "question": self.question,
            "audienceIds": None if everyone else [group.id for group in groups],
            "attachments": _plain(self.attachments),
            "links": _plain(self.links),
            "classification": self.classification(),
        }
        return {key: value for key, value in told.items() if value} | {"clientRequestId": request_id}


def groups_of(panel: Panel, wanted: Sequence[str]) -> list[Group]:
    """The groups of `panel` that are to be asked: those that are `wanted`, or all.

    Raises:
        InvalidArguments: there is nobody in them.
        Ambiguous, NotFound: one of `wanted` is no group of the panel.

    """
    known = panel.study.groups
    groups = list(dict.fromkeys(_group(text, known) for text in wanted)) if wanted else list(known)
    if not any(group.members for group in groups):
        raise InvalidArguments(EMPTY)
    return groups


def _group(wanted: str, known: Sequence[Group]) -> Group:
    given = identity(wanted)
    if given is None:
        return meant(GROUP, wanted, known, name=attrgetter("name"), id=attrgetter("id"))
    for group in known:
        if group.id == given:
            return group
    raise NotFound("group of this panel", given, closest=[group.name for group in known[:3]])


def put(askings: Askings, owner: str | None, panel: Panel, wish: Wish) -> tuple[Asking, bool]:
    """The ask of `wish`, and whether it was under way already: then nobody is asked twice.

    Raises:
        InvalidArguments, Ambiguous, NotFound, AlreadyRunning: it cannot be asked.

    """
    wish.check()
    groups = groups_of(panel, wish.groups)
    running = askings.find(owner, panel.study.id, wish.question, groups, wish.is_of)
    if running is not None:
        return running, True
    before = frozenset(name for entry in panel.entries for name in entry.names)
    everyone = len(groups) == len(panel.study.groups)
    unfinished = _unfinished(askings, owner, panel, wish, groups)
    if unfinished is not None and not askings.gave_up(owner, panel.study.id, wish.question, groups):
        return askings.begin(owner, _taken_up(unfinished, panel, wish, groups, everyone=everyone)), True
    body = wish.body(groups, _request_id(panel, wish, groups), everyone=everyone)
    return askings.begin(owner, Asking(panel.study.id, body, groups, before)), False


def _unfinished(askings: Askings, owner: str | None, panel: Panel, wish: Wish, groups: Sequence[Group]) -> Entry | None:
    """The same question, begun by another process, or by this one before a restart."""
    names = {group.name for group in groups}
    for entry in reversed(panel.entries):
        same = folded(entry.asked.text) == folded(wish.question) and set(entry.asked.groups) == names
        ours = any(askings.find_by_id(owner, panel.study.id, name) for name in entry.names)
        if same and entry.asked.status == "processing" and not ours and wish.suits(entry.asked):
            return entry
    return None


def _taken_up(entry: Entry, panel: Panel, wish: Wish, groups: Sequence[Group], *, everyone: bool) -> Asking:
    """Its own id, where it is told, takes it up; where it is not, it can only be waited for."""
    told = entry.request_id
    wish = replace(wish, question=entry.asked.text)
    rest = frozenset(name for each in panel.entries for name in each.names) - entry.names
    return Asking(
        panel.study.id,
        wish.body(groups, told or entry.asked.id, everyone=everyone),
        groups,
        rest,
        asks=told is not None,
        understood=Classification(entry.asked.type, entry.asked.scale, entry.asked.options),
    )


def _request_id(panel: Panel, wish: Wish, groups: Sequence[Group]) -> str:
    """The same for the same wish on the same panel, so that two processes asked in one moment ask nobody twice.

    How often this was asked before is a part of it: asked again later, it is a fresh measurement.
    """
    times = sum(folded(entry.asked.text) == folded(wish.question) for entry in panel.entries)
    body = wish.body(groups, "", everyone=False)
    told = orjson.dumps([panel.study.id, body, times], option=orjson.OPT_SORT_KEYS)
    return str(uuid5(NAMESPACE_URL, told.decode()))


def _plain(material: Sequence[Material]) -> list[dict[str, str]]:
    return [dict(one) for one in material]
