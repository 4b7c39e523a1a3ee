"""Creates groups and panels; the same call from the same caller within seconds makes one panel."""

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import orjson

from mcp_server.caller import Caller
from mcp_server.errors import InvalidArguments
from mcp_server.minds_api.refusals import Missing
from mcp_server.observability.telemetry import CacheLookup, no_op
from mcp_server.toolkit.cache import TtlCache
from mcp_server.toolsets.panels._arguments import GroupConfig
from mcp_server.toolsets.panels._minds.studies import Studies
from mcp_server.toolsets.panels._resolve_members import (
    GROUP,
    PERSONA,
    Resolver,
    check_distinct_names,
    check_number_of_names,
    ids,
)
from mcp_server.toolsets.panels._study import Group, Member, Study

NOBODY = "a panel needs at least one group: give groupConfigs with personas in them, or groupIds"
MOST_MEMBERS = 1_000


class Creator:
    """Makes panels and groups. `ttl`: seconds for which an equal call is the same one."""

    def __init__(
        self, studies: Studies, *, ttl: float, clock: Callable[[], float], on_lookup: CacheLookup = no_op
    ) -> None:
        self._studies = studies
        self._made: TtlCache[str, Study] = TtlCache(ttl, clock=clock, on_lookup=on_lookup)

    async def panel(
        self, name: str, new: Sequence[GroupConfig], existing: Sequence[str], caller: Caller
    ) -> tuple[Study, bool]:
        """The panel, and whether an equal call made it seconds ago.

        Raises:
            InvalidArguments: there is nobody in it, or two groups have one name.
            Ambiguous, NotFound, Missing: a persona or group cannot be resolved, or is not the caller's.

        """
        if not new and not existing:
            raise InvalidArguments(NOBODY)
        body, everybody = await self._body(name, new, existing)
        key = hashlib.sha256(orjson.dumps([caller.owner, body])).hexdigest()
        leads = False

        async def make() -> Study:
            nonlocal leads
            leads = True
            return await self._studies.create_panel(body)

        try:
            made = await self._made.once(key, make)
        except Missing:
            raise Missing(_strangers(everybody)) from None
        return made, not leads

    async def group(self, name: str, personas: Sequence[str], idempotency: str) -> Group:
        """A new group of personas. Raises as `panel` does."""
        (members,) = await self._members([personas])
        try:
            return await self._studies.create_group(name, ids(members), idempotency)
        except Missing:
            raise Missing(_strangers(members)) from None

    async def _body(
        self, name: str, new: Sequence[GroupConfig], existing: Sequence[str]
    ) -> tuple[dict[str, Any], list[Member | Group | str]]:
        """The body of the creation, and everybody in it; who is in no list of the caller's is an id there."""
        names = [group.name or f"Group {number}" for number, group in enumerate(new, 1)]
        known = await self._studies.groups() if existing else []
        attached = await asyncio.to_thread(Resolver(GROUP, known).resolve, existing)
        check_distinct_names([*names, *(group.name for group in attached if isinstance(group, Group))])
        chosen = await self._members([group.personas for group in new])
        body: dict[str, Any] = {"name": name}
        if new:
            body["audienceConfigs"] = [
                {"name": name, "mindIds": _own(name, members)} for name, members in zip(names, chosen, strict=True)
            ]
        if attached:
            body["audienceIds"] = ids(attached)
        return body, [*(one for members in chosen for one in members), *attached]

    async def _members(self, each: Sequence[Sequence[str]]) -> list[list[Member | str]]:
        """The personas of each group, resolved in a thread: misspelt names take their time."""
        wanted = [text for personas in each for text in personas]
        check_number_of_names(wanted)
        known = await self._studies.personas() if wanted else []

        def resolve() -> list[list[Member | str]]:
            resolver = Resolver(PERSONA, known)
            return [resolver.resolve(personas) for personas in each]

        return await asyncio.to_thread(resolve)


def _own(name: str, members: Sequence[Member | str]) -> list[str]:
    if not members:
        raise InvalidArguments(f'groupConfigs: the group "{name}" has no personas; name them by sparkIds or sparkNames')
    if len(members) > MOST_MEMBERS:
        raise InvalidArguments(f'groupConfigs: the group "{name}" has more than {MOST_MEMBERS} personas')
    return ids(members)


def _strangers(found: Sequence[Member | Group | str]) -> str:
    """The ids that are in no list of the caller's; where each is in one, it is not known which has gone."""
    unknown = [one for one in found if isinstance(one, str)] or ids(found)
    shown = ", ".join(unknown[:10]) + (" ..." if len(unknown) > 10 else "")  # noqa: PLR2004  as many as help
    return (
        f"at least one of these ids is no persona or group of yours: {shown}. "
        "Call list_my_ai_personas and list_groups to see the ids."
    )
