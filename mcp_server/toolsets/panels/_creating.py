"""Creates groups and panels of personas that are named by id or as people write their names.

The same call from the same caller within seconds makes one panel.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any
from uuid import UUID

import orjson

from mcp_server.caller import Caller
from mcp_server.errors import InvalidArguments
from mcp_server.minds_api.name_index import Entry as Name
from mcp_server.minds_api.refusals import Missing
from mcp_server.observability.telemetry import CacheLookup, no_op
from mcp_server.toolkit.cache import TtlCache
from mcp_server.toolkit.names import Directory, Kind
from mcp_server.toolsets.panels._aggregation.texts import WORDS
from mcp_server.toolsets.panels._arguments import GroupConfig
from mcp_server.toolsets.panels._minds.studies import Studies
from mcp_server.toolsets.panels._minds.transcript import folded
from mcp_server.toolsets.panels._study import Group, Reply, Study

PERSONA = Kind("AI persona", "list_my_ai_personas", "minds")
GROUP = Kind("group", "list_groups", "audiences")
PANEL = Kind("panel", "list_panels", "studies")
RESPONDENT = Kind("persona of this question", "get_panel_results with questionId", "minds")

SAID: dict[str, str] = WORDS["creating"]
MOST_MEMBERS = 1_000
MOST_NAMED = 2_000
"""Personas by name in one call: a misspelt name is compared with every name there is, which takes its time."""


def as_id(text: str) -> str | None:
    """`text` as a canonical UUID; None when it is a name."""
    try:
        return str(UUID(text.strip()))
    except ValueError:
        return None


def resolve(known: Directory[Name], each: Sequence[Sequence[str]]) -> list[list[Name]]:
    """The personas or groups of each list, once in it and in order: with no name, where it is an unknown id.

    Raises Ambiguous, NotFound: a name means several or none.
    """
    by_id = {one.id: one for one in known.candidates}
    resolved = []
    for wanted in each:
        found: dict[str, Name] = {}
        for text in wanted:
            given = as_id(text)
            one = known.meant(text) if given is None else by_id.get(given, Name(given, ""))
            found.setdefault(one.id, one)
        resolved.append(list(found.values()))
    return resolved


def respondent(replies: Iterable[Reply], wanted: str) -> str:
    """Who of those that were asked is meant by an id or a name: the id or, where none is told, the whole name.

    Raises Ambiguous, NotFound: a name means several or none.
    """
    known = {one.persona_id or one.persona: Name(one.persona_id or one.persona, one.persona) for one in replies}
    found = known.get(as_id(wanted) or wanted)
    return (found or Directory(RESPONDENT, list(known.values())).meant(wanted)).id


class Creator:
    """Makes panels and groups. `ttl`: seconds for which an equal call is the same one."""

    def __init__(self, studies: Studies, *, ttl: float, on_lookup: CacheLookup = no_op) -> None:
        self._studies = studies
        self._made: TtlCache[str, Study] = TtlCache(ttl, on_lookup=on_lookup)

    async def panel(
        self, name: str, new: Sequence[GroupConfig], existing: Sequence[str], caller: Caller
    ) -> tuple[Study, bool]:
        """The panel, and whether an equal call made it seconds ago.

        Raises InvalidArguments: there is nobody in it, or two groups have one name; Ambiguous, NotFound, Missing: a
        persona or group cannot be resolved, or is not the caller's.
        """
        if not new and not existing:
            raise InvalidArguments(SAID["nobody"])
        body, everybody = await self._body(name, new, existing)
        key = hashlib.sha256(orjson.dumps([caller.owner, body])).hexdigest()
        try:
            made, leads = await self._made.once(key, partial(self._studies.create_panel, body))
        except Missing:
            raise Missing(_strangers(everybody)) from None
        return made, not leads

    async def group(self, name: str, personas: Sequence[str], idempotency: str) -> Group:
        """A new group of personas. Raises as `panel` does."""
        (members,) = await self._members([personas])
        try:
            return await self._studies.create_group(name, [one.id for one in members], idempotency)
        except Missing:
            raise Missing(_strangers(members)) from None

    async def _body(
        self, name: str, new: Sequence[GroupConfig], existing: Sequence[str]
    ) -> tuple[dict[str, Any], list[Name]]:
        """The body of the creation, and everybody in it; who is in no list of the caller's is an id there."""
        names = [one.name or f"Group {number}" for number, one in enumerate(new, 1)]
        (attached,) = await self._studies.names.find(GROUP, partial(resolve, each=[existing])) if existing else [[]]
        every = [*names, *(one.name for one in attached if one.name)]
        often = Counter(map(folded, every))
        if twice := sorted({f'"{one}"' for one in every if often[folded(one)] > 1}):
            shown = ", ".join(twice)
            raise InvalidArguments(f"groupConfigs: the name {shown} is given twice; give each group a name of its own")
        chosen = dict(zip(names, await self._members([one.personas for one in new]), strict=True))
        for group, members in chosen.items():
            if not 0 < len(members) <= MOST_MEMBERS:
                many = f"more than {MOST_MEMBERS} personas" if members else SAID["no_personas"]
                raise InvalidArguments(f'groupConfigs: the group "{group}" has {many}')
        configs = [{"name": group, "mindIds": [one.id for one in members]} for group, members in chosen.items()]
        given = {"name": name, "audienceConfigs": configs, "audienceIds": [one.id for one in attached]}
        everybody = [*(one for members in chosen.values() for one in members), *attached]
        return {field: value for field, value in given.items() if value}, everybody

    async def _members(self, each: Sequence[Sequence[str]]) -> list[list[Name]]:
        """The personas of each group."""
        wanted = [text for personas in each for text in personas]
        if sum(as_id(text) is None for text in wanted) > MOST_NAMED:
            raise InvalidArguments(f"more than {MOST_NAMED} personas by name; give the others by sparkIds")
        return await self._studies.names.find(PERSONA, partial(resolve, each=each)) if wanted else [[] for _ in each]


def _strangers(found: Sequence[Name]) -> str:
    """The ids that are in no list of the caller's; where each is in one, it is not known which has gone."""
    unknown = [one.id for one in found if not one.name] or [one.id for one in found]
    shown = ", ".join(unknown[:10]) + (" ..." if len(unknown) > 10 else "")  # noqa: PLR2004  as many as help
    return SAID["strangers"].format(shown)
