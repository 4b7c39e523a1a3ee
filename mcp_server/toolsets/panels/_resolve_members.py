"""Resolves personas and groups by their ids or by names as people write them."""

from collections.abc import Sequence
from operator import attrgetter
from typing import Generic, TypeVar
from uuid import UUID

from mcp_server.errors import InvalidArguments
from mcp_server.toolkit.names import Directory, Kind
from mcp_server.toolsets.panels._study import Group, Member

PERSONA = Kind("AI persona", "list_my_ai_personas")
GROUP = Kind("group", "list_groups")
PANEL = Kind("panel", "list_panels")

MOST_NAMED = 2_000
"""Personas by name in one call."""

Named = TypeVar("Named", Member, Group)


def as_id(text: str) -> str | None:
    """`text` as a canonical UUID; None when it is a name."""
    try:
        return str(UUID(text.strip()))
    except ValueError:
        return None


class Resolver(Generic[Named]):
    """The known personas or groups, for several look-ups."""

    def __init__(self, kind: Kind, known: Sequence[Named]) -> None:
        self._by_id: dict[str, Named] = {one.id: one for one in known}
        self._directory: Directory[Named] = Directory(kind, known, name=attrgetter("name"), id=attrgetter("id"))

    def resolve(self, wanted: Sequence[str]) -> list[Named | str]:
        """Each of `wanted` once, in order: the known object, or the id of one that is not known.

        Raises:
            Ambiguous, NotFound: a name means several or none.

        """
        found: dict[str, Named | str] = {}
        for text in wanted:
            given = as_id(text)
            if given is None:
                one = self._directory.meant(text)
                found.setdefault(one.id, one)
            else:
                found.setdefault(given, self._by_id.get(given, given))
        return list(found.values())


def ids(found: Sequence[Member | Group | str]) -> list[str]:
    return [one if isinstance(one, str) else one.id for one in found]


def check_distinct_names(names: Sequence[str]) -> None:
    """Groups of one panel need different names.

    Raises:
        InvalidArguments: two are the same but for case and blanks.

    """
    folded = [" ".join(name.split()).casefold() for name in names]
    twice = sorted({name for name, fold in zip(names, folded, strict=True) if folded.count(fold) > 1})
    if twice:
        shown = ", ".join(f'"{name}"' for name in twice)
        raise InvalidArguments(f"groupConfigs: the name {shown} is given twice; give each group a name of its own")


def check_number_of_names(texts: Sequence[str]) -> None:
    """A name that is misspelt is compared with every name there is, which takes its time."""
    if sum(as_id(text) is None for text in texts) > MOST_NAMED:
        raise InvalidArguments(f"more than {MOST_NAMED} personas by name; give the others by sparkIds")
