"""What must be said beside the figures: who they stand on, and what they do not show. Pure."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from mcp_server.toolsets.panels._aggregation.ambiguous import reading_caveats
from mcp_server.toolsets.panels._aggregation.differences import compared
from mcp_server.toolsets.panels._aggregation.forms import form_caveats
from mcp_server.toolsets.panels._aggregation.gathering import Entry, Gathered, Who, is_offline, unfounded, usable
from mcp_server.toolsets.panels._aggregation.labels import names_nothing
from mcp_server.toolsets.panels._aggregation.phrases import NAMED, figure, personas, some
from mcp_server.toolsets.panels._aggregation.reading import ends
from mcp_server.toolsets.panels._aggregation.reasons import why
from mcp_server.toolsets.panels._aggregation.summaries import leaders
from mcp_server.toolsets.panels._aggregation.wording import wording_caveats
from mcp_server.toolsets.panels._percent import percent
from mcp_server.toolsets.panels._results import Caveat, Interval, Summary

SMALL = 10
WIDE = 0.3
"""Of the scale, or of all answers: an interval as long as that says little."""

SYNTHETIC = "The answers come from AI personas, not from people: take them as directional, and confirm with people."
OFFLINE = (
    "The offline engine answered: it puts passages of each persona's own knowledge together, without a language model."
)


def caveats(gathered: Gathered, overall: Summary, groups: Sequence[Summary]) -> list[Caveat]:
    """The standing one first, then those about the answers, then those about the question."""
    asked = gathered.asked
    told = (
        *_size(overall, groups),
        *_missing(gathered, overall),
        *_unclear(gathered),
        *_nothing(gathered),
        *_engine(asked.engine),
        *_unfounded(gathered),
        *_overlap(gathered),
        *_precision(gathered, overall),
        *_no_spread(overall, groups),
        *_comparisons(gathered),
    )
    about = (*form_caveats(asked.text, asked.type), *wording_caveats(asked.text), *reading_caveats(asked))
    notes = [Caveat(code="note", message=note) for note in dict.fromkeys(asked.notes)]
    return [Caveat(code="synthetic", message=SYNTHETIC), *told, *about, *notes]


def _size(overall: Summary, groups: Sequence[Summary]) -> Iterator[Caveat]:
    small = [f"{group.group} ({group.n})" for group in groups if group.n < SMALL]
    if not overall.n:
        yield Caveat(code="no_answers", message="There is no usable answer, so there are no figures.")
    elif small or overall.n < SMALL:
        where = some(small, SMALL) if small else f"all groups together ({overall.n})"
        yield Caveat(
            code="small_group",
            message=f"Fewer than {SMALL} usable answers from {where}: one more persona could change the picture.",
        )


def _missing(gathered: Gathered, overall: Summary) -> Iterator[Caveat]:
    failed = _each(entry for entry in gathered.entries if entry.state == "failed")
    if failed:
        yield Caveat(code="failed", message=_failed(failed))
    if gathered.asked.status == "processing" or overall.pending:
        still = f" {personas(overall.pending)} still to come." if overall.pending else ""
        yield Caveat(
            code="processing", message=f"The question is still being answered:{still or ' figures may change.'}"
        )
    elif gathered.asked.status == "failed":
        yield Caveat(code="incomplete", message="Asking broke off: these are the answers that had arrived by then.")


def _failed(failed: Sequence[Entry]) -> str:
    """Who gave no answer and why; where not all can be named, how many there are for each reason."""
    if len(failed) <= NAMED:
        named = some([f"{entry.reply.persona} ({why(entry.reply)})" for entry in failed])
        return f"{personas(len(failed))} gave no answer: {named}."
    often = Counter(why(entry.reply) for entry in failed).most_common()
    reasons = ", ".join(f"{reason} ({count})" for reason, count in often)
    names = some([entry.reply.persona for entry in failed])
    return f"{personas(len(failed))} gave no answer: {reasons}. They are {names}."


def _each(entries: Iterable[Entry]) -> list[Entry]:
    once: dict[Who, Entry] = {}
    for entry in entries:
        once.setdefault(entry.who, entry)
    return list(once.values())


def _unclear(gathered: Gathered) -> Iterator[Caveat]:
    unclear = _each(entry for entry in gathered.entries if entry.state == "unclear")
    if unclear:
        names = some([entry.reply.persona for entry in unclear])
        yield Caveat(
            code="unclear",
            message=f"The answers of {personas(len(unclear))} could not be counted, and are in no figure: {names}.",
        )
    others = Counter(other for entry in usable(_each(gathered.entries)) for other in set(entry.others))
    if others:
        named = some(sorted(others, key=lambda other: (-others[other], other)))
        yield Caveat(code="not_offered", message=f"Also named, though not offered, and not counted: {named}.")


def _nothing(gathered: Gathered) -> Iterator[Caveat]:
    """Who answered without naming anything: in n, and in no theme or option."""
    told = usable(gathered.everyone)
    if gathered.asked.type == "qualitative":
        silent = [entry for entry in told if names_nothing(entry.reply)]
        if silent:
            yield Caveat(
                code="no_view", message=f"{len(silent)} of {personas(len(told))} had no clear view, which is no theme."
            )
    if gathered.asked.type == "multiselect" and (none := sum(not entry.choices for entry in told)):
        yield Caveat(code="none_chosen", message=f"{none} of {personas(len(told))} chose none of the options.")


def _engine(engine: str | None) -> Iterator[Caveat]:
    if is_offline(engine):
        yield Caveat(code="offline_engine", message=OFFLINE)


def _unfounded(gathered: Gathered) -> Iterator[Caveat]:
    """Who answered without knowing anything of it; those without a view are told apart."""
    is_open = gathered.asked.type == "qualitative"
    bare = [entry for entry in unfounded(gathered) if not (is_open and names_nothing(entry.reply))]
    if bare:
        told = f"{len(bare)} of {personas(len(usable(gathered.everyone)))}"
        yield Caveat(
            code="no_knowledge",
            message=f"{told} answered without any knowledge of it, by their character alone.",
        )


def _overlap(gathered: Gathered) -> Iterator[Caveat]:
    groups: dict[Who, set[str]] = {}
    for entry in gathered.entries:
        groups.setdefault(entry.who, set()).add(entry.reply.group)
    several = _each(entry for entry in gathered.entries if len(groups[entry.who]) > 1)
    if several:
        names = some([entry.reply.persona for entry in several])
        yield Caveat(
            code="overlap",
            message=f"In several groups, and counted once overall: {names}. "
            "Differences between groups are computed as if nobody were in two.",
        )


def _precision(gathered: Gathered, overall: Summary) -> Iterator[Caveat]:
    scale = ends(gathered.asked.scale)
    if overall.scale and overall.scale.interval and scale and _wide(overall.scale.interval, scale):
        interval = overall.scale.interval
        span = f"{figure(interval.low)} to {figure(interval.high)}"
        yield Caveat(code="wide_interval", message=f"The mean is uncertain: its 95 % interval runs from {span}.")
    if gathered.asked.type == "categorical" and overall.n:
        yield from _choice(overall)


def _no_spread(overall: Summary, groups: Sequence[Summary]) -> Iterator[Caveat]:
    same = [one for one in (groups or [overall]) if one.scale and one.scale.sd == 0]
    if same:
        where = some([f"{one.group or 'all groups together'} ({one.n})" for one in same])
        yield Caveat(
            code="no_spread",
            message=f"All answers are the same in {where}: no interval is told there, for nobody differed, "
            "which does not make the mean certain.",
        )


def _comparisons(gathered: Gathered) -> Iterator[Caveat]:
    made = compared(gathered)
    if made > 1:
        yield Caveat(
            code="many_comparisons",
            message=f"{made} comparisons between groups were made, of which some would look clear by chance. Clear are "
            "those that remain so by Holm's correction; the 95 % interval of each is of that one alone.",
        )


def _choice(overall: Summary) -> Iterator[Caveat]:
    first = leaders(overall.counts)
    interval = first[0].interval
    if len(first) > 1:
        names = some([f"{count.value} {percent(count.share)}" for count in first])
        yield Caveat(code="tie", message=f"No option leads clearly with {personas(overall.n)} answering: {names}.")
    elif interval and _wide(interval, (0, 1)):
        span = f"{percent(interval.low)} to {percent(interval.high)}"
        yield Caveat(
            code="wide_interval",
            message=f"The share of {first[0].value} is uncertain: its 95 % interval runs from {span}.",
        )


def _wide(interval: Interval, whole: tuple[float, float]) -> bool:
    return interval.high - interval.low > WIDE * (whole[1] - whole[0])
