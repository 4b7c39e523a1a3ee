"""The names of each caller's objects, remembered for seconds: a name costs a listing once, not at every call."""

import asyncio
from collections.abc import Callable, Hashable
from typing import NamedTuple, TypeVar

from mcp_server.caller import current_caller
from mcp_server.errors import Ambiguous, NotFound
from mcp_server.minds_api.api import Api, listed
from mcp_server.minds_api.dialect import COLLECTIONS
from mcp_server.observability.telemetry import CacheLookup, no_op
from mcp_server.toolkit.cache import TtlCache
from mcp_server.toolkit.json_coercion import text
from mcp_server.toolkit.names import Directory, Kind

MOST_NAMES = 50_000
"""Names that are remembered in all, of every caller; each takes some 500 bytes."""


class Entry(NamedTuple):
    """What the index keeps of an object."""

    id: str
    name: str


Found = TypeVar("Found")


class NameIndex:
    """Remembers names for `ttl` seconds for the caller whose they are, with the same credential; an anonymous one has
    none. When the caller creates something here, or something of it has gone, its names are forgotten.
    """

    def __init__(self, api: Api, *, ttl: float, on_lookup: CacheLookup = no_op) -> None:
        self._api, api.changed = api, self.forget
        self._known = TtlCache[Hashable, Directory[Entry]](ttl, size=MOST_NAMES, weigh=_weight, on_lookup=on_lookup)

    def forget(self) -> None:
        for collection in COLLECTIONS:
            self._known.forget(_key(collection))

    async def find(self, kind: Kind, look: Callable[[Directory[Entry]], Found]) -> Found:
        """What `look` finds among all that the caller has of `kind`; in a thread, where many names may take their time.

        What a remembered index does not have, or has several of, may have changed elsewhere: it is read anew before
        that is said. Raises Ambiguous, NotFound: as `look` does.
        """
        directory, is_new = await self._directory(kind)
        try:
            return await asyncio.to_thread(look, directory)
        except (Ambiguous, NotFound):
            if is_new:
                raise
        if self._known.get(_key(kind.collection)) is directory:  # else somebody has it read anew since
            self._known.forget(_key(kind.collection))
        directory, _ = await self._directory(kind)
        return await asyncio.to_thread(look, directory)

    async def _directory(self, kind: Kind) -> tuple[Directory[Entry], bool]:
        """Every name of `kind`, and whether it was read for this call."""

        async def read() -> Directory[Entry]:
            rows, _ = await listed(self._api, kind.collection)
            each = ((text(row, "id"), text(row, "name")) for row in rows)
            return await asyncio.to_thread(
                lambda: Directory(kind, [Entry(key, name) for key, name in each if key and name])
            )

        if current_caller.get().owner is None:
            return await read(), True
        return await self._known.once(_key(kind.collection), read)


def _key(collection: str) -> Hashable:
    caller = current_caller.get()
    return caller.owner, caller.credential, collection


def _weight(directory: Directory[Entry]) -> int:
    return len(directory.candidates) + 10  # one without names takes some memory, too
