"""The words and figures that the formats share, and texts of people and models made safe to put into any file."""

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from mcp_server.toolsets.panels._aggregation.gathering import coded
from mcp_server.toolsets.panels._aggregation.numbers import number
from mcp_server.toolsets.panels._aggregation.texts import WORDS, percent
from mcp_server.toolsets.panels._results import Count, Interval, QuestionResult, Section, Summary
from mcp_server.toolsets.panels._study import AskedQuestion, QuestionType, Reply, ReplyStatus

TYPES: dict[QuestionType, str] = WORDS["types"]
STATUSES: dict[ReplyStatus, str] = WORDS["statuses"]
ORIGINS: dict[str, str] = WORDS["origins"]
STANDING: dict[str, str] = WORDS["standing"]  # counts of a summary: the later ones add up to the first
EVERYONE = "Everyone"
NONE = "\u2013"  # a dash
POINTS_AT_MOST = 12  # A longer scale is shown in ranges of its points

_RATIO = re.compile(r"\s*[-\u2212]?\d{1,15}(?:[.,]\d{1,9})?\s*/\s*\d{1,15}\s*")
_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufdd0-\ufdef\ufffe\uffff]")
"""What XML 1.0 cannot hold, and the control characters that it advises against. The line break is none of them."""
_LONE = re.compile("[\ud800-\udfff]")
_BREAKS = re.compile("\r\n?|[\x85\u2028\u2029]")
_NUMBER = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,15})?")
_BLOCKS = " ▏▎▍▌▋▊▉█"


def type_of(result: QuestionResult) -> str:
    span = f" from {result.scale_range[0]} to {result.scale_range[1]}" if result.scale_range else ""
    return f"{TYPES[result.type]}{span}"


def origin_of(reply: Reply) -> str:
    """What the answer stands on; a word that is not known here is shown as it came."""
    return ORIGINS.get(reply.origin or "", one_line(reply.origin or ""))


def name_of(summary: Summary) -> str:
    """Whose answers these are, on one line."""
    return EVERYONE if summary.group is None else one_line(summary.group)


def summaries(result: QuestionResult) -> list[Summary]:
    """Everyone first, then the groups."""
    return [result.overall, *result.groups]


def headline(summary: Summary) -> int | float | str | None:
    """The mean of a scale as a number where it is the whole headline; otherwise the headline."""
    if summary.scale and number_in(summary.value or "") is not None:
        return summary.scale.mean
    return None if summary.value is None else one_line(summary.value)


def shown(value: float | str | None) -> str:
    """A headline or a figure for people: two decimals, and a dash for none."""
    if value is None:
        return NONE
    return value if isinstance(value, str) else f"{value:.2f}"


def short(value: float) -> str:
    """At most two decimals, and none that say nothing."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def span(interval: Interval | None, *, share: bool = False) -> str:
    if interval is None:
        return NONE
    ends = (percent(interval.low), percent(interval.high)) if share else (f"{interval.low:.2f}", f"{interval.high:.2f}")
    return " to ".join(ends)


def bar(share: float, width: int = 20) -> str:
    """A bar of block characters, to an eighth of a character."""
    eighths = round(max(0.0, min(1.0, share)) * width * 8)
    return ("█" * (eighths // 8) + _BLOCKS[eighths % 8]).strip()


def points_of(result: QuestionResult) -> list[str]:
    """Every point of a scale that a chart has, the lowest first: all groups are drawn on the same."""
    return sorted({count.value for summary in summaries(result) for count in summary.counts}, key=float)


def ranges(points: Sequence[str], counts: Sequence[Count]) -> list[tuple[str, int]]:
    """Label and count of each point, or of each range of points where there are many."""
    given = {count.value: count.count for count in counts}
    size = -(-len(points) // POINTS_AT_MOST) or 1
    each = [points[start : start + size] for start in range(0, len(points), size)]
    return [
        (part[0] if len(part) == 1 else f"{part[0]}\u2013{part[-1]}", sum(given.get(point, 0) for point in part))
        for part in each
    ]


def standing(summary: Summary) -> str:
    """How many answered, and what became of the others."""
    parts = [f"{summary.n} of {summary.members} usable"]
    others = {"without a view": summary.declined, "not coded": summary.uncoded}
    others |= {"failed": summary.failed, "still answering": summary.pending}
    return ", ".join(parts + [f"{count} {what}" for what, count in others.items() if count])


def circumstances(result: QuestionResult) -> list[str]:
    """What stands below a question: its type, how many answered, when, and what wrote the answers."""
    parts = [type_of(result), standing(result.overall)]
    parts += [f"asked {when(result.asked_at)}"] if result.asked_at else []
    parts += [f"answers written by {result.engine}"] if result.engine else []
    return parts + ([f"{result.calls} calls to it, {result.tokens or 0:,} tokens"] if result.calls else [])


def ordered(asked: AskedQuestion) -> list[Reply]:
    """The replies by group, as the groups were asked, and by name: the same answers always give the same file."""
    places = {name: place for place, name in reversed(list(enumerate(asked.groups)))}
    return sorted(
        coded(asked).replies, key=lambda r: (places.get(r.group, len(places)), r.group, r.persona, r.persona_id or "")
    )


def answer_of(section: Section, reply: Reply) -> int | float | str:
    """The short answer: a plain number on a scale, as it was given otherwise."""
    value = reply.value or ""
    if section.asked.type != "scale":
        return value
    # Spreadsheets take "9/10" for a day in September.
    found = number(value, section.asked.scale) if _RATIO.fullmatch(value) else number_in(value)
    if found is None:
        return value
    return int(found) if found == int(found) and "." not in value else found


class Verbatim(str):
    """A text that a template writes as it is; all others it escapes."""

    __slots__ = ()


def templates(folder: Path, written: Callable[[str], str], **filters: Callable[..., str]) -> Environment:
    """The templates of plain text in `folder`, in which every expression is `written`."""
    found = Environment(  # noqa: S701 - plain text has no HTML to escape: `finalize` is what escapes
        finalize=lambda value: value if isinstance(value, Verbatim) else written(str(value)),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.loader = FileSystemLoader(folder)  # for when one is rendered
    found.filters.update(filters, raw=Verbatim)
    return found


def clean(text: str) -> str:
    """`text` without what no file can hold; every kind of line break is a line feed."""
    return _LONE.sub("\ufffd", _UNWRITABLE.sub("", _BREAKS.sub("\n", text)))


def one_line(text: str) -> str:
    """`text` cleaned, with single spaces instead of breaks, tabs and runs of spaces."""
    return " ".join(clean(text).split())


def shortened(text: str, longest: int) -> str:
    """`text` on one line, with an ellipsis when it is longer than `longest` characters."""
    line = one_line(text)
    return line if len(line) <= longest else f"{line[: longest - 1].rstrip()}…"


def number_in(text: str) -> int | float | None:
    """The plain decimal number that `text` is; None when it is anything else, such as 1e5, +1 or ٣."""
    wanted = text.strip(" ")
    if not _NUMBER.fullmatch(wanted):
        return None
    return float(wanted) if "." in wanted else int(wanted)


def moment(timestamp: str | None) -> datetime | None:
    """An ISO 8601 time in UTC; None when it is none. One without an offset is taken for UTC."""
    try:
        parsed = datetime.fromisoformat(timestamp or "")
        return parsed.replace(tzinfo=UTC) if parsed.tzinfo is None else parsed.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def when(timestamp: str | None) -> str:
    """A time for people; what cannot be read as a time is shown as it came."""
    parsed = moment(timestamp)
    return f"{parsed:%Y-%m-%d %H:%M} UTC" if parsed else one_line(timestamp or "")
