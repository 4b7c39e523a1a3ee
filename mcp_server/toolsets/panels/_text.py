"""Results as text that is complete on its own in a plain client: headline, groups, bars, voices, caveats. Pure."""

from collections.abc import Iterator, Sequence

from mcp_server.toolkit.arguments import REORDERING
from mcp_server.toolsets.panels._aggregation.texts import percent
from mcp_server.toolsets.panels._exports.phrases import bar, points_of, ranges
from mcp_server.toolsets.panels._exports.plain import one_line, shortened
from mcp_server.toolsets.panels._results import QuestionResult, Quote, Summary

MOST_BARS, MOST_QUESTION = 15, 300
MOST_THEMES, MOST_DISSENT = 8, 5

KINDS = {"categorical": "single choice", "multiselect": "several choices", "qualitative": "open question"}


def question_text(result: QuestionResult, *, voices: int = 4) -> str:
    """One question with its figures, themes and strongest `voices`."""
    parts = [
        _heading(result),
        "\n".join(map(_group, result.groups)),
        "\n".join(_distribution(result)),
        "\n".join(_themes(result)),
        _listed("They agree", result.agreements),
        _listed("They differ", result.disagreements),
        "\n".join(_dissent(result)),
        "\n".join(_quotes(result, voices)),
        _listed("Mind", [*(caveat.message for caveat in result.caveats), *_methods(result)]),
    ]
    return "\n\n".join(part for part in parts if part)


def _methods(result: QuestionResult) -> Iterator[str]:
    """How the intervals in this text were computed, each method once."""
    scales = [one.scale.interval for one in (result.overall, *result.groups) if one.scale]
    says_share = result.type != "scale" and any(caveat.code == "wide_interval" for caveat in result.caveats)
    shares = [count.interval for count in result.overall.counts] if says_share else []
    apart = [one.interval for one in result.differences if one.clear]
    names = dict.fromkeys(one.method.partition(",")[0] for one in (*scales, *shares, *apart) if one is not None)
    if names:
        yield f"95 % intervals: {', '.join(names)}."


def figure(value: float) -> str:
    """At most two decimals, and none that say nothing."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def counted(summary: Summary) -> str:
    """How many answers the figures stand on, and what became of the rest."""
    rest = {"failed": summary.failed, "still answering": summary.pending, "unclear": summary.unclear}
    others = "".join(f", {count} {name}" for name, count in rest.items() if count)
    return f"{summary.n} of {summary.members} answered{others}"


def _heading(result: QuestionResult) -> str:
    span = result.scale_range
    kind = KINDS.get(result.type) or (f"scale {span[0]} to {span[1]}" if span else "scale")
    value = result.overall.value
    nothing = "No usable answer yet" if result.status == "processing" else "No usable answer"
    headline = _line(value) if value is not None else nothing
    return f'"{shortened(_line(result.question), MOST_QUESTION)}" ({kind})\n{headline} ({counted(result.overall)})'


def _group(summary: Summary) -> str:
    facts = [f"n {summary.n}"]
    if summary.scale is not None:
        facts.append(f"median {figure(summary.scale.median)}")
        if summary.scale.sd is not None:
            facts.append(f"SD {figure(summary.scale.sd)}")
        if summary.scale.interval is not None:
            interval = summary.scale.interval
            facts.append(f"95 % interval {figure(interval.low)} to {figure(interval.high)}")
    rest = {"failed": summary.failed, "pending": summary.pending, "unclear": summary.unclear}
    facts += [f"{count} {name}" for name, count in rest.items() if count]
    return f"- {_line(summary.group or '')}: {_line(summary.value or 'no usable answer')} ({', '.join(facts)})"


def _distribution(result: QuestionResult) -> Iterator[str]:
    """Options, the most frequent first; points of a scale in their order, in ranges where there are many."""
    n = result.overall.n
    if result.type == "qualitative" or not n:
        return
    if result.type == "scale":
        shown = ranges(points_of(result), result.overall.counts)
    else:
        ranked = sorted(result.overall.counts, key=lambda count: -count.count)
        shown = [(_line(count.value), count.count) for count in ranked]
    longest = max((count for _, count in shown), default=0) or 1
    width = min(30, max((len(label) for label, _ in shown[:MOST_BARS]), default=0))
    for label, count in shown[:MOST_BARS]:
        yield f"{shortened(label, width).rjust(width)} {bar(count / longest)} {count} ({percent(count / n)})"
    if len(shown) > MOST_BARS:
        yield f"... and {len(shown) - MOST_BARS} more"


def _themes(result: QuestionResult) -> Iterator[str]:
    for theme in result.themes[:MOST_THEMES]:
        groups = ", ".join(f"{_line(group.group)} ({group.count})" for group in theme.by_group if group.count)
        yield f"- {_line(theme.label)}: {theme.count} ({percent(theme.share)}){f'; {groups}' if groups else ''}"
        if theme.quote is not None:
            yield f"  {_quoted(theme.quote)}"
    if len(result.themes) > MOST_THEMES:
        yield f"... and {len(result.themes) - MOST_THEMES} more themes"


def _dissent(result: QuestionResult) -> Iterator[str]:
    if not result.dissent:
        return
    yield "Who sees it otherwise:"
    for voice in result.dissent[:MOST_DISSENT]:
        said = f': "{_line(voice.quote)}"' if voice.quote else ""
        who = f"{_line(voice.persona)} ({_line(voice.group)}, {_line(voice.value)})"
        yield f"- {who}, {_line(voice.reason)}{said}"
    if len(result.dissent) > MOST_DISSENT:
        yield "... and more"


def _quotes(result: QuestionResult, most: int) -> Iterator[str]:
    """Those that do not stand with a theme or with who sees it otherwise already."""
    shown = {theme.quote.text for theme in result.themes[:MOST_THEMES] if theme.quote is not None}
    shown |= {voice.quote for voice in result.dissent[:MOST_DISSENT] if voice.quote}
    quotes = [quote for quote in result.quotes if quote.text not in shown][:most]
    if quotes:
        yield "In their words:"
    for quote in quotes:
        yield f"- {_quoted(quote)}"


def _quoted(quote: Quote) -> str:
    return f'"{_line(quote.text)}" - {_line(quote.persona)}, {_line(quote.group)}'


def _line(text: str) -> str:
    """What somebody wrote, so that it cannot pass for lines of ours, move a cursor or turn a line round."""
    return one_line("".join(sign for sign in text if sign not in REORDERING))


def _listed(title: str, lines: Sequence[str]) -> str:
    return "\n".join([f"{title}:", *(f"- {_line(line)}" for line in lines)]) if lines else ""
