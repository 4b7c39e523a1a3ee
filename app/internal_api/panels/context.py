"""What was attached to a question as one text that every persona is given, within a limit. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

MAX_CONTEXT = 20_000  # characters of all sources together


@dataclass(frozen=True, slots=True)
class Source:
    """One attachment or link that was read."""

    title: str
    origin: str  # its host or file name
    text: str


def context_of(sources: Sequence[Source], keywords: Sequence[str] = (), limit: int = MAX_CONTEXT) -> str:
    """Empty when nothing was attached; where something is left out, the text says so."""
    parts = [f"Keywords: {', '.join(keywords)}"] if keywords else []
    rooms = shares([len(source.text) for source in sources], limit)
    parts += [_part(number, source, room) for number, (source, room) in enumerate(zip(sources, rooms, strict=True), 1)]
    return "\n\n".join(parts)


def shares(wanted: Sequence[int], limit: int) -> list[int]:
    """How much each gets of `limit`: all it wants where there is enough, else the long ones the same share."""
    given = [0] * len(wanted)
    left = limit
    by_length = sorted(range(len(wanted)), key=lambda index: wanted[index])
    for served, index in enumerate(by_length):
        given[index] = min(wanted[index], left // (len(wanted) - served))
        left -= given[index]
    return given


def _part(number: int, source: Source, room: int) -> str:
    name = source.title if source.title == source.origin else f"{source.title} ({source.origin})"
    if room >= len(source.text):
        return f"[{number}] {name}\n{source.text}"
    shown = source.text[:room].rstrip()
    return f"[{number}] {name}\n{shown}\n[cut: only the first {room:,} of {len(source.text):,} characters are given]"
