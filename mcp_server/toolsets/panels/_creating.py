"""A new panel, made once: the same call from the same caller within seconds makes one panel."""

import asyncio
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from mcp_server.caller import Caller
from mcp_server.errors import InvalidArguments
from mcp_server.minds_api.refusals import Missing
from mcp_server.observability.telemetry import Told, untold
from mcp_server.toolkit.cache import TtlCache
from mcp_server.toolsets.panels._people import GROUP, PERSONA, Register, chosen, distinct_names, identity, ids
from mcp_server.toolsets.panels._studies import Studies
from mcp_server.toolsets.panels._study import Group, Member, Study

NOBODY = "a panel needs at least one group: give groupConfigs with personas in them, or groupIds"
MOST_MEMBERS = 1_000

MOST_NAMED = 2_000
"""Personas by name in one call."""


@dataclass(frozen=True, slots=True)
class NewGroup:
    """A group to be made along with a panel. `personas` are ids or names."""

    name: str | None
    personas: tuple[str, ...]


class Creator:
    """Makes panels and groups. `ttl`: seconds for which an equal call is the same one."""

    def __init__(self, studies: Studies, *, ttl: float, clock: Callable[[], float], told: Told = untold) -> None:
        self._studies = studies
        self._made: TtlCache[str, Study] = TtlCache(ttl, clock=clock, told=told)

    async def panel(
        self, name: str, new: Sequence[NewGroup], existing: Sequence[str], caller: Caller
    ) -> tuple[Study, bool]:
        """The panel, and whether an equal call made it seconds ago.

        Raises:
            InvalidArguments: there is nobody in it, or two groups have one name.
            Ambiguous, NotFound, Missing: who is meant cannot be told, or is not the caller's.

        """
        if not new and not existing:
            raise InvalidArguments(NOBODY)
        body, unknown = await self._body(name, new, existing)
        key = hashlib.sha256(orjson.dumps([caller.owner, body])).hexdigest()
        leads = False

        async def make() -> Study:
            nonlocal leads
            leads = True
            return await self._studies.create_panel(body)

        try:
            made = await self._made.once(key, make)
        except Missing:
            raise Missing(_strangers(unknown or _everybody(body))) from None
        return made, not leads

    async def group(self, name: str, personas: Sequence[str], idempotency: str) -> Group:
        """A new group of personas. Raises as `panel` does."""
        _few_names(personas)
        everyone = await self._everyone(personas)
        members = await asyncio.to_thread(chosen, PERSONA, personas, everyone)
        try:
            return await self._studies.create_group(name, ids(members), idempotency)
        except Missing:
            raise Missing(_strangers(_unknown(members) or ids(members))) from None

    async def _body(
        self, name: str, new: Sequence[NewGroup], existing: Sequence[str]
    ) -> tuple[dict[str, Any], list[str]]:
        """The body of the creation, and the ids in it that are in no list of the caller's."""
        names = [group.name or f"Group {number}" for number, group in enumerate(new, 1)]
        known = await self._studies.groups() if existing else []
        attached = await asyncio.to_thread(chosen, GROUP, existing, known)
        distinct_names([*names, *(group.name for group in attached if isinstance(group, Group))])
        _few_names([text for group in new for text in group.personas])
        everyone = await self._everyone([text for group in new for text in group.personas])
        chosen_ones = await asyncio.to_thread(_each, new, everyone)
        configs = [
            {"name": name, "mindIds": self._own(name, members)}
            for name, members in zip(names, chosen_ones, strict=True)
        ]
        body: dict[str, Any] = {"name": name}
        if configs:
            body["audienceConfigs"] = configs
        if attached:
            body["audienceIds"] = ids(attached)
        return body, _unknown([*(one for members in chosen_ones for one in members), *attached])

    async def _everyone(self, wanted: Sequence[str]) -> list[Member]:
        return await self._studies.personas() if wanted else []

    @staticmethod
    def _own(name: str, members: Sequence[Member | str]) -> list[str]:
        if not members:
            raise InvalidArguments(
                f'groupConfigs: the group "{name}" has no personas; name them by sparkIds or sparkNames'
            )
        if len(members) > MOST_MEMBERS:
            raise InvalidArguments(f'groupConfigs: the group "{name}" has more than {MOST_MEMBERS} personas')
        return ids(members)


def _each(new: Sequence[NewGroup], everyone: Sequence[Member]) -> list[list[Member | str]]:
    register = Register(PERSONA, everyone)
    return [register.chosen(group.personas) for group in new]


def _few_names(texts: Sequence[str]) -> None:
    """A name that is misspelt is compared with every name there is, which takes its time."""
    if sum(identity(text) is None for text in texts) > MOST_NAMED:
        raise InvalidArguments(f"more than {MOST_NAMED} personas by name; give the others by sparkIds")


def _unknown(found: Sequence[Member | Group | str]) -> list[str]:
    return [one for one in found if isinstance(one, str)]


def _everybody(body: Mapping[str, Any]) -> list[str]:
    members = [identity for config in body.get("audienceConfigs", []) for identity in config["mindIds"]]
    return [*members, *body.get("audienceIds", [])]


def _strangers(unknown: Sequence[str]) -> str:
    shown = ", ".join(unknown[:10]) + (" ..." if len(unknown) > 10 else "")  # noqa: PLR2004  as many as help
    return (
        f"at least one of these ids is no persona or group of yours: {shown}. "
        "Call list_my_ai_personas and list_groups to see the ids."
    )
