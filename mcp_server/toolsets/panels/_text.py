"""Results as text that is complete on its own in a plain client. `result.txt.jinja` says what is in it. Pure."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined

from mcp_server.toolkit.arguments import REORDERING
from mcp_server.toolsets.panels._aggregation.texts import percent
from mcp_server.toolsets.panels._exports.phrases import bar, points_of, ranges
from mcp_server.toolsets.panels._exports.plain import Verbatim, one_line, shortened
from mcp_server.toolsets.panels._results import QuestionResult

MOST_BARS, MOST_QUESTION, MOST_QUOTES = 15, 300, 4
MOST_THEMES, MOST_DISSENT = 8, 5

KINDS = {"categorical": "single choice", "multiselect": "several choices", "qualitative": "open question"}


def question_text(result: QuestionResult) -> str:
    """One question with its figures, themes and strongest voices."""
    span = result.scale_range
    # Quotes that do not stand with a theme or with who sees it otherwise already.
    shown = {theme.quote.text for theme in result.themes[:MOST_THEMES] if theme.quote is not None}
    shown |= {voice.quote for voice in result.dissent[:MOST_DISSENT] if voice.quote}
    text = _TEMPLATE.render(
        result=result,
        question=shortened(_line(result.question), MOST_QUESTION),
        kind=KINDS.get(result.type) or (f"scale {span[0]} to {span[1]}" if span else "scale"),
        bars=list(_distribution(result)),
        quotes=[quote for quote in result.quotes if quote.text not in shown][:MOST_QUOTES],
        notes=[*(caveat.message for caveat in result.caveats), *_methods(result)],
    )
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def _methods(result: QuestionResult) -> Iterator[str]:
    """How the intervals in this text were computed, each method once."""
    scales = [one.scale.interval for one in (result.overall, *result.groups) if one.scale]
    says_share = result.type != "scale" and any(caveat.code == "wide_interval" for caveat in result.caveats)
    shares = [count.interval for count in result.overall.counts] if says_share else []
    apart = [one.interval for one in result.differences if one.clear]
    names = dict.fromkeys(one.method.partition(",")[0] for one in (*scales, *shares, *apart) if one is not None)
    if names:
        yield f"95 % intervals: {', '.join(names)}."


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


def _line(value: Any) -> str:
    """What somebody wrote, so that it cannot pass for lines of ours, move a cursor or turn a line round."""
    if isinstance(value, Verbatim):
        return value
    return one_line("".join(sign for sign in str(value) if sign not in REORDERING))


_ENVIRONMENT = Environment(  # noqa: S701 - plain text has no HTML to escape: `finalize` cleans every expression
    finalize=_line, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
)
# At most two decimals, and none that say nothing.
_ENVIRONMENT.filters.update(figure=lambda value: f"{value:.2f}".rstrip("0").rstrip("."), percent=percent, raw=Verbatim)
_TEMPLATE = _ENVIRONMENT.from_string(Path(__file__).with_name("result.txt.jinja").read_text(encoding="utf-8"))
