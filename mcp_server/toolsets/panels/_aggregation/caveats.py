"""What must be said beside the figures: who they stand on, what they do not show, and wording that bends answers. Pure.

English first, with the commonest forms in German, French and Spanish. What stands in quotes or brackets is material,
not wording. The rules would rather miss a fault than blame a sound question.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from mcp_server.toolsets.panels._aggregation.candidates import Patterns
from mcp_server.toolsets.panels._aggregation.gathering import Entry, Gathered, Who, usable
from mcp_server.toolsets.panels._aggregation.reading import why
from mcp_server.toolsets.panels._aggregation.summaries import leaders
from mcp_server.toolsets.panels._aggregation.texts import NAMED, WORDS, figure, percent, personas, plain, some
from mcp_server.toolsets.panels._aggregation.themes import names_nothing
from mcp_server.toolsets.panels._results import Caveat, Interval, Summary
from mcp_server.toolsets.panels._study import OTHER

NO_KNOWLEDGE = frozenset({"mind_personality", "unsupported"})
"""Origins of answers that rest on nothing that the persona knows, by the internal API's word."""

SMALL = 10
WIDE = 0.3  # of the scale, or of all answers: an interval as long as that says little
SAMPLED = "client-sampling:"  # of the caller's own language model
SAID: dict[str, str] = WORDS["caveats"]

Found = Iterator[tuple[str, str]]
"""Codes and messages of caveats."""


def caveats(gathered: Gathered, overall: Summary, groups: Sequence[Summary], compared: int) -> list[Caveat]:
    """The standing one first, then those about the answers, then those about the question.

    `compared` is how many comparisons of groups were made.
    """
    found = (
        *_synthetic(overall, groups),
        *_missing(gathered, overall),
        *_uncounted(gathered),
        *_themes(gathered),
        *_knowledge(gathered),
        *_precision(gathered, overall, groups, compared),
        *wording_caveats(gathered.asked.text),
    )
    notes = [Caveat(code="note", message=note) for note in dict.fromkeys(gathered.asked.notes)]
    return [Caveat(code=code, message=message) for code, message in found] + notes


def _synthetic(overall: Summary, groups: Sequence[Summary]) -> Found:
    yield "synthetic", SAID["synthetic"]
    small = [f"{group.group} ({group.n})" for group in groups if group.n < SMALL]
    if not overall.n:
        yield "no_answers", "There is no usable answer, so there are no figures."
    elif small or overall.n < SMALL:
        where = some(small, SMALL) if small else f"all groups together ({overall.n})"
        change = "one more persona could change the picture"
        yield "small_group", f"Fewer than {SMALL} usable answers from {where}: {change}."


def _missing(gathered: Gathered, overall: Summary) -> Found:
    failed = _each(entry for entry in gathered.entries if entry.state == "failed")
    if len(failed) > NAMED:
        often = Counter(why(entry.reply) for entry in failed).most_common()
        reasons = ", ".join(f"{reason} ({count})" for reason, count in often)
        yield "failed", f"{personas(len(failed))} gave no answer: {reasons}. They are {_names(failed)}."
    elif failed:
        each = ", ".join(f"{entry.reply.persona} ({why(entry.reply)})" for entry in failed)
        yield "failed", f"{personas(len(failed))} gave no answer: {each}."
    if gathered.asked.status == "processing" or overall.pending:
        still = f"{personas(overall.pending)} still to come." if overall.pending else "figures may change."
        yield "processing", f"The question is still being answered: {still}"
    elif gathered.asked.status == "failed":
        yield "incomplete", "Asking broke off: these are the answers that had arrived by then."


def _each(entries: Iterable[Entry]) -> list[Entry]:
    once: dict[Who, Entry] = {}
    for entry in entries:
        once.setdefault(entry.who, entry)
    return list(once.values())


def _names(entries: Iterable[Entry]) -> str:
    return some([entry.reply.persona for entry in entries])


def _uncounted(gathered: Gathered) -> Found:
    """What was answered and is in no figure, and who named nothing: in n, but in no theme or option."""
    if uncoded := [entry for entry in gathered.everyone if entry.state == "uncoded"]:
        fault = gathered.asked.coded_by == "model" and gathered.asked.coding_failure
        unread = f"What {personas(len(uncoded))} said could not be read{f' ({fault})' if fault else ''}"
        yield "uncoded", f"{unread}: {_names(uncoded)}. It can be given a value by hand."
    if declined := [entry for entry in gathered.everyone if entry.state == "declined"]:
        who = f"{len(declined)} of {personas(len(gathered.everyone))}"
        reasons = Counter(why(entry.reply) for entry in declined if entry.reply.error).most_common()
        known = "".join(f" ({reason}: {count})" for reason, count in reasons)
        yield "no_view", f"{who} declined to answer or had no view{known}, and are in no figure: {_names(declined)}."
    if others := Counter(other for entry in usable(_each(gathered.entries)) for other in set(entry.others)):
        named = some(sorted(others, key=lambda other: (-others[other], other)))
        yield "not_offered", f"Also named, though not offered, and not counted: {named}."
    answered = usable(gathered.everyone)
    if gathered.asked.type == "qualitative" and (silent := sum(names_nothing(entry.reply) for entry in answered)):
        yield "no_view", f"{silent} of {personas(len(answered))} had no clear view, which is no theme."
    if gathered.asked.type == "multiselect" and (none := sum(not entry.choices for entry in answered)):
        yield "none_chosen", f"{none} of {personas(len(answered))} chose none of the options."


def _themes(gathered: Gathered) -> Found:
    """How the themes of an open question were made, what is in none, and what was changed by hand."""
    asked, answered = gathered.asked, usable(gathered.everyone)
    if asked.type != "qualitative" or not answered:
        return
    failed = f"No language model coded these answers: {asked.coding_failure}. " if asked.coding_failure else ""
    if asked.coded_by is None:
        if gathered.options or failed or answered[1:]:  # one answer has nothing in common with others
            yield "exact_words", f"{failed}{SAID['exact_words' if gathered.options else 'no_themes']}"
        return
    if asked.coded_by == "embeddings":
        yield "themes_by_embeddings", f"{failed}{SAID['by_embeddings']}"
    if others := sum(any(mark.id == OTHER for mark in entry.reply.codes or ()) for entry in answered):
        yield "other_themes", f"{others} of {personas(len(answered))} say something that is in no theme."
    if asked.revisions:
        last, times = "; ".join(asked.revisions[-NAMED:]), len(asked.revisions)
        yield "themes_revised", f"The themes were changed by hand{f' {times} times' if times > 1 else ''}: {last}."


def _knowledge(gathered: Gathered) -> Found:
    """What the answers rest on. Who has no view of an open question is counted as such, not here."""
    engine = gathered.asked.engine or ""
    if "offline" in engine.casefold():
        yield "offline_engine", WORDS["offline_engine"]
    if SAMPLED in engine:
        wrote = f"the answers: {engine.removeprefix(SAMPLED)}" if engine.startswith(SAMPLED) else WORDS["none_sampled"]
        yield "client_model", f"The app's own model was asked, and wrote {wrote}."
    is_open, answered = gathered.asked.type == "qualitative", usable(gathered.everyone)
    unfounded = [entry.reply for entry in answered if entry.reply.origin in NO_KNOWLEDGE]
    if without := sum(not (is_open and names_nothing(reply)) for reply in unfounded):
        who = f"{without} of {personas(len(answered))}"
        yield "no_knowledge", f"{who} cited nothing that they know: they answered by their character alone."
    groups: dict[Who, set[str]] = {}
    for entry in gathered.entries:
        groups.setdefault(entry.who, set()).add(entry.reply.group)
    if several := _each(entry for entry in gathered.entries if len(groups[entry.who]) > 1):
        once = f"In several groups, and counted once overall: {_names(several)}."
        yield "overlap", f"{once} Differences between groups are computed as if nobody were in two."


def _precision(gathered: Gathered, overall: Summary, groups: Sequence[Summary], compared: int) -> Found:
    scale = gathered.asked.scale
    interval = overall.scale.interval if overall.scale else None
    if scale and interval and _is_wide(interval, scale):
        span = f"{figure(interval.low)} to {figure(interval.high)}"
        yield "wide_interval", f"The mean is uncertain: its 95 % interval runs from {span}."
    if gathered.asked.type == "categorical" and overall.n:
        first = leaders(overall.counts)
        share = first[0].interval
        if len(first) > 1:
            names = some([f"{count.value} {percent(count.share)}" for count in first])
            yield "tie", f"No option leads clearly with {personas(overall.n)} answering: {names}."
        elif share and _is_wide(share, (0, 1)):
            span = f"{percent(share.low)} to {percent(share.high)}"
            yield "wide_interval", f"The share of {first[0].value} is uncertain: its 95 % interval runs from {span}."
    same = [one for one in (groups or [overall]) if one.scale and one.scale.sd == 0]
    if same:
        where = some([f"{one.group or 'all groups together'} ({one.n})" for one in same])
        why_not = "no interval is told there, for nobody differed, which does not make the mean certain."
        yield "no_spread", f"All answers are the same in {where}: {why_not}"
    if compared > 1:
        yield "many_comparisons", f"{compared} {SAID['comparisons']}"


def _is_wide(interval: Interval, whole: tuple[float, float]) -> bool:
    return interval.high - interval.low > WIDE * (whole[1] - whole[0])


LONGEST = 2_000  # characters looked at
QUOTED = re.compile(r"\"[^\"]*\"|«[^»]*»|(?<!\w)'[^']*'(?!\w)|\([^)]*\)|\[[^\]]*\]")

WORDING = Patterns("wording")


def wording_caveats(question: str) -> Iterator[tuple[str, str]]:
    """What to mind when reading the answers to `question`, as codes and messages that say what to write instead."""
    text = " ".join(QUOTED.sub(" ", plain(question[:LONGEST])).split())
    if found := WORDING["leading"].search(text):
        yield "leading", f'"{_excerpt(found)}" {SAID["leading"]}'
    if found := WORDING["double_barrelled"].search(text):
        yield "double_barrelled", f'"{_excerpt(found)}" {SAID["double_barrelled"]}'
    if low_is_good(question):
        yield "reversed_scale", SAID["reversed_scale"]


def low_is_good(question: str) -> str:
    """What a sentence about high and low must add on a scale whose low end is the good one."""
    text = " ".join(plain(question[:LONGEST]).split())
    return ", where a low figure is the good one" if WORDING["low_is_good"].search(text) else ""


def _excerpt(found: re.Match[str]) -> str:
    """The first words that were found."""
    words = found[0].strip(" .,:;!?¿").split()
    return " ".join(words[:8]) + (" …" if len(words) > 8 else "")  # noqa: PLR2004 - enough to find the place
