"""What a reply counts as, by the type of its question. Pure."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from mcp_server.toolsets.panels._aggregation.numbers import number
from mcp_server.toolsets.panels._aggregation.options import Options, distinct, listed, name_of, names_none
from mcp_server.toolsets.panels._study import AskedQuestion, Reply


@dataclass(frozen=True, slots=True)
class Reading:
    """A number, or options (none of them is an answer, too), or nothing that counts.

    `others` is what was named but never offered.
    """

    usable: bool
    number: float | None = None
    choices: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


UNCLEAR = Reading(usable=False)
Reader = Callable[[Reply], Reading]


def reader(asked: AskedQuestion, replies: Iterable[Reply]) -> tuple[tuple[str, ...], Reader]:
    """The options of the question, and how its replies are read.

    Where the options are not known they are what the replies gave.
    """
    if asked.type == "scale":
        return (), lambda reply: _scale(reply, asked.scale)
    if asked.type == "qualitative":
        return (), _qualitative
    offered = Options(asked.options)
    if offered.labels:
        return offered.labels, _reader_of_offered(asked, offered)
    values = [reply.value for reply in replies if reply.status == "answered" and reply.value]
    return _reader_of_given(asked, values)


def _scale(reply: Reply, scale: tuple[int, int] | None) -> Reading:
    found = number(reply.value or "", ends(scale))
    return UNCLEAR if found is None else Reading(usable=True, number=found)


def ends(scale: tuple[int, int] | None) -> tuple[int, int] | None:
    """Lowest and highest point, also of a scale that was told upside down."""
    return (min(scale), max(scale)) if scale else None


def _qualitative(reply: Reply) -> Reading:
    return Reading(usable=bool(reply.message.strip() or (reply.value or "").strip()))


def _reader_of_offered(asked: AskedQuestion, options: Options) -> Reader:
    def one(reply: Reply) -> Reading:
        found = options.one(reply.value or "")
        return UNCLEAR if found is None else Reading(usable=True, choices=(found,))

    def several(reply: Reply) -> Reading:
        found, others = options.several(reply.value or "")
        if not found and names_none(reply.value or ""):
            return Reading(usable=True)
        return Reading(usable=bool(found), choices=found, others=others)

    return one if asked.type == "categorical" else several


def _reader_of_given(asked: AskedQuestion, values: list[str]) -> tuple[tuple[str, ...], Reader]:
    parts = _whole if asked.type == "categorical" else _parts
    shown = distinct(part for value in values for part in parts(value))

    def given(reply: Reply) -> Reading:
        names = {name_of(part) for part in parts(reply.value or "")}
        found = tuple(shown[name] for name in sorted(names) if name in shown)
        nothing = asked.type == "multiselect" and names_none(reply.value or "")
        return Reading(usable=bool(found) or nothing, choices=found)

    return tuple(sorted(shown.values(), key=str.casefold)), given


def _whole(value: str) -> list[str]:
    return [value]


def _parts(value: str) -> list[str]:
    return [] if names_none(value) else listed(value)
