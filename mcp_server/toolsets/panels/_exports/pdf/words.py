"""Words of the report that the other formats do not need; those that they share are in `phrases`."""

from collections.abc import Iterable

from mcp_server.toolsets.panels._exports.phrases import shown
from mcp_server.toolsets.panels._results import Summary

NOTHING = "no usable answers"


def joined(facts: Iterable[str]) -> str:
    """Short facts in a row. A line may end between two, but not within one."""
    return "  · ".join(fact.replace(" ", "\xa0") for fact in facts)


def plural(count: int, one: str, many: str | None = None) -> str:
    """`1 answer`, `2 answers`, `1,200 answers`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def headline(summary: Summary) -> str:
    """What a group's answers amount to, in one line."""
    if not summary.n or summary.value is None:
        return NOTHING
    if summary.scale is not None:
        return f"mean {shown(summary.scale.mean)}"
    return summary.value
