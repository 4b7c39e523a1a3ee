"""The same question asked twice: who answered otherwise, and how far the figures moved. Pure.

The same personas answered both times, so the intervals are those of paired differences.
"""

from collections.abc import Iterator, Mapping

from mcp_server.errors import InvalidArguments
from mcp_server.toolsets.panels._aggregation.gathering import Entry, Gathered, gather, usable
from mcp_server.toolsets.panels._aggregation.intervals import Sample, of_mean, of_share
from mcp_server.toolsets.panels._aggregation.texts import figure, percent, personas
from mcp_server.toolsets.panels._results import Change, GroupChange, Shift
from mcp_server.toolsets.panels._study import AskedQuestion

LEAST = 2  # personas who answered both times
MOST_SAID = 3

Pair = tuple[Entry, Entry]
"""What one persona answered now and before."""


def change_of(now: AskedQuestion, before: AskedQuestion) -> Change:
    """Raises InvalidArguments: they are not one question, or an open one, whose words always differ."""
    if now.type == "qualitative":
        raise InvalidArguments("compareWith takes scale and choice questions: the words of open answers always differ")
    wording = [" ".join(one.text.split()).casefold() for one in (now, before)]
    if now.type != before.type or now.scale != before.scale or wording[0] != wording[1]:
        raise InvalidArguments("compareWith must be an earlier asking of the same question: same words, same kind")
    gathered, then = gather(now), {_key(entry): entry for entry in usable(gather(before).everyone)}
    pairs = _pairs(usable(gathered.everyone), then)
    moved, n = sum(map(_moved, pairs)), len(pairs)
    return Change(
        earlier_question_id=before.id,
        earlier_asked_at=before.asked_at,
        n=n,
        moved=moved,
        share_moved=moved / n if n else None,
        interval=of_share(moved, n) if n else None,
        repeatability=1 - moved / n if n else None,
        shifts=list(_shifts(gathered, pairs)) if n >= LEAST else [],
        by_group=[_of_group(name, _pairs(usable(entries), then)) for name, entries in gathered.groups.items()],
    )


def said_of_change(change: Change) -> Iterator[str]:
    """The change in sentences."""
    if change.share_moved is None or change.interval is None or change.repeatability is None:
        yield "Nobody gave a usable answer both times, so nothing can be compared."
        return
    groups = ", ".join(f"{one.group} {one.moved} of {one.n}" for one in change.by_group)
    span = f"interval {percent(change.interval.low)} to {percent(change.interval.high)}"
    moved = (
        f"{change.moved} of {personas(change.n)} answered otherwise than before ({percent(change.share_moved)}; {span})"
    )
    yield f"{moved}; repeatability {percent(change.repeatability)}. By group: {groups}."
    for one in sorted(change.shifts, key=lambda each: -abs(each.difference))[:MOST_SAID]:
        as_text = figure if one.measure == "mean" else percent
        ends = f"interval {_signed(one, one.interval.low)} to {_signed(one, one.interval.high)}" if one.interval else ""
        apart = f"{_signed(one, one.difference)}{f'; {ends}' if ends else ''}"
        yield f"{one.measure}: {as_text(one.before)} before, {as_text(one.after)} now ({apart})."


def _signed(shift: Shift, value: float) -> str:
    return f"{value:+.2f}" if shift.measure == "mean" else f"{value * 100:+.0f} points"


def _key(entry: Entry) -> str:
    return entry.reply.persona_id or entry.reply.persona


def _pairs(entries: tuple[Entry, ...], then: Mapping[str, Entry]) -> list[Pair]:
    return [(entry, then[_key(entry)]) for entry in entries if _key(entry) in then]


def _moved(pair: Pair) -> bool:
    now, before = pair
    return now.number != before.number or set(now.choices) != set(before.choices)


def _of_group(name: str, pairs: list[Pair]) -> GroupChange:
    return GroupChange(group=name, n=len(pairs), moved=sum(map(_moved, pairs)))


def _shifts(gathered: Gathered, pairs: list[Pair]) -> Iterator[Shift]:
    if gathered.asked.type == "scale":
        yield _shift("mean", [(now.number or 0.0, before.number or 0.0) for now, before in pairs])
        return
    for option in gathered.options:
        given = [(float(option in now.choices), float(option in before.choices)) for now, before in pairs]
        if any(map(any, given)):
            yield _shift(option, given)


def _shift(measure: str, given: list[tuple[float, float]]) -> Shift:
    apart = Sample.of([now - before for now, before in given])
    before = sum(pair[1] for pair in given) / len(given)
    return Shift(
        measure=measure,
        before=before,
        after=before + apart.mean,
        difference=apart.mean,
        # Where all moved alike it would have no width, and claim certainty.
        interval=of_mean(apart, None) if apart.sd else None,
    )
