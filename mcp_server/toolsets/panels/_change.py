"""One asking of a question beside an earlier one, of those who answered both times. Pure.

The same personas answered both, so the intervals are those of paired differences.
"""

from collections.abc import Iterator, Mapping

from mcp_server.errors import InvalidArguments
from mcp_server.toolsets.panels._aggregation.gathering import Entry, Gathered, usable
from mcp_server.toolsets.panels._aggregation.intervals import Sample, of_mean, of_share
from mcp_server.toolsets.panels._aggregation.texts import figure, percent, personas
from mcp_server.toolsets.panels._aggregation.themes import gather_themed
from mcp_server.toolsets.panels._results import Change, GroupChange, Shift
from mcp_server.toolsets.panels._study import AskedQuestion

LEAST, MOST_SAID = 2, 3  # personas who answered both times: one has no mean; and shifts that are told in words
Pair = tuple[Entry, Entry]
"""What one persona answered now and before."""


def change_of(now: AskedQuestion, before: AskedQuestion) -> Change:
    """Raises InvalidArguments: they are not one question, or open ones without codes, whose words always differ."""
    in_one_way = now.coded_by and now.coded_by == before.coded_by and not (now.coding_failure or before.coding_failure)
    if now.type == "qualitative" and not in_one_way:
        raise InvalidArguments("compareWith takes open questions where both askings were coded, and in the same way")
    wording = [" ".join(one.text.split()).casefold() for one in (now, before)]
    if now.type != before.type or now.scale != before.scale or wording[0] != wording[1] or now.id == before.id:
        raise InvalidArguments("compareWith must be an earlier asking of the same question: same words, same kind")
    if now.asked_at and before.asked_at and now.asked_at < before.asked_at:
        raise InvalidArguments("compareWith was asked later than questionId: give the two the other way round")
    gathered, then = gather_themed(now), {_key(entry): entry for entry in usable(gather_themed(before).everyone)}
    pairs = _pairs(usable(gathered.everyone), then)
    groups = {name: _pairs(usable(entries), then) for name, entries in gathered.groups.items()}
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
        by_group=[
            GroupChange(group=name, n=len(both), moved=sum(map(_moved, both)), shift=_shift_of_mean(gathered, both))
            for name, both in groups.items()
        ],
    )


def said_of_change(change: Change) -> Iterator[str]:
    """The change in sentences."""
    if change.share_moved is None or change.interval is None or change.repeatability is None:
        yield "Nobody gave a usable answer both times, so nothing can be compared."
        return
    shifted = {one.group: f" ({_apart(one.shift)})" if one.shift else "" for one in change.by_group}
    groups = ", ".join(f"{one.group} {one.moved} of {one.n}{shifted[one.group]}" for one in change.by_group)
    span = f"interval {percent(change.interval.low)} to {percent(change.interval.high)}"
    moved = f"{change.moved} of {personas(change.n)} answered otherwise than before ({percent(change.share_moved)}"
    yield f"{moved}; {span}); repeatability {percent(change.repeatability)}. By group: {groups}."
    for one in sorted(change.shifts, key=lambda each: -abs(each.difference))[:MOST_SAID]:
        as_text = figure if one.measure == "mean" else percent
        yield f"{one.measure} of these: {as_text(one.before)} before, {as_text(one.after)} now ({_apart(one)})."


def _apart(shift: Shift) -> str:
    ends = (
        shift.interval and f"; interval {_signed(shift, shift.interval.low)} to {_signed(shift, shift.interval.high)}"
    )
    return f"{_signed(shift, shift.difference)}{ends or ''}"


def _signed(shift: Shift, value: float) -> str:
    return f"{value:+.2f}" if shift.measure == "mean" else f"{value * 100:+.0f} points"


def _key(entry: Entry) -> str:
    return entry.reply.persona_id or entry.reply.persona


def _pairs(entries: tuple[Entry, ...], then: Mapping[str, Entry]) -> list[Pair]:
    return [(entry, then[_key(entry)]) for entry in entries if _key(entry) in then]


def _moved(pair: Pair) -> bool:
    now, before = pair
    return now.number != before.number or set(now.choices) != set(before.choices)


def _shift_of_mean(gathered: Gathered, pairs: list[Pair]) -> Shift | None:
    if gathered.asked.type != "scale" or len(pairs) < LEAST:
        return None
    return _shift("mean", [(now.number or 0.0, before.number or 0.0) for now, before in pairs])


def _shifts(gathered: Gathered, pairs: list[Pair]) -> Iterator[Shift]:
    if mean := _shift_of_mean(gathered, pairs):
        yield mean
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
