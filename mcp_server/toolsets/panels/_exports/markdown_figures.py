"""The figures of one question in Markdown: tables, and bars of block characters."""

from collections.abc import Iterator

from mcp_server.toolsets.panels._exports import phrases
from mcp_server.toolsets.panels._exports.escaping import inline, quoted, table
from mcp_server.toolsets.panels._percent import percent
from mcp_server.toolsets.panels._results import Difference, QuestionResult, Summary, Theme


def figures(result: QuestionResult) -> Iterator[str]:
    """The blocks from who answered to the differences."""
    yield "### By group"
    yield _groups(result)
    if result.type == "qualitative":
        yield from _themes(result)
    elif result.overall.counts:
        yield "### Distribution"
        yield _distribution(result)
        yield from _bars(result)
    if result.differences:
        yield "### Differences between groups"
        yield _differences(result.differences)


def _groups(result: QuestionResult) -> str:
    labels = ["Group", "Asked", "Usable (n)", "Failed"]
    numbers = {1, 2, 3}
    scaled = any(one.scale for one in phrases.summaries(result))
    labels += ["Mean", "95 % interval", "Median", "SD"] if scaled else ["Headline"]
    return table(
        labels,
        [_group(one, scaled=scaled) for one in phrases.summaries(result)],
        numbers=numbers | {4, 5, 6, 7} if scaled else numbers,
    )


def _group(one: Summary, *, scaled: bool) -> list[str]:
    cells = [inline(phrases.name_of(one)), str(one.members), str(one.n), str(one.failed)]
    if not scaled:
        return [*cells, inline(phrases.shown(phrases.headline(one)))]
    facts = one.scale
    if facts is None:
        return [*cells, *[phrases.NONE] * 4]
    return [
        *cells,
        phrases.shown(facts.mean),
        phrases.span(facts.interval),
        phrases.shown(facts.median),
        phrases.shown(facts.sd),
    ]


def _distribution(result: QuestionResult) -> str:
    """Everyone with bars and intervals."""
    return table(
        ["Answer", "Everyone", "Share", "95 % interval", ""],
        [
            [
                inline(count.value),
                str(count.count),
                percent(count.share),
                phrases.span(count.interval, share=True),
                phrases.bar(count.share),
            ]
            for count in result.overall.counts
        ],
        numbers={1, 2, 3},
    )


def _bars(result: QuestionResult) -> Iterator[str]:
    """The groups side by side: how many of each, and their share."""
    if not result.groups:
        return
    given = [{count.value: count for count in group.counts} for group in result.groups]
    yield table(
        ["Answer", *(f"{inline(phrases.name_of(group))} (n {group.n})" for group in result.groups)],
        [
            [
                inline(count.value),
                *(
                    f"{told[count.value].count} ({percent(told[count.value].share)})"
                    if count.value in told
                    else phrases.NONE
                    for told in given
                ),
            ]
            for count in result.overall.counts
        ],
        numbers=set(range(1, len(result.groups) + 1)),
    )


def _themes(result: QuestionResult) -> Iterator[str]:
    if not result.themes:
        return
    yield "### Themes"
    yield table(
        ["Theme", "Personas", "Share", "", *(inline(phrases.name_of(group)) for group in result.groups)],
        [_theme(theme, result.groups) for theme in result.themes],
        numbers={1, 2, *range(4, 4 + len(result.groups))},
    )
    for theme in result.themes:
        if theme.quote:
            who = f"{inline(theme.quote.persona)} ({inline(theme.quote.group)})"
            yield f"**{inline(theme.label)}**: {who}\n\n{quoted(theme.quote.text)}"


def _theme(theme: Theme, groups: list[Summary]) -> list[str]:
    told = {one.group: f"{one.count} of {one.n}" for one in theme.by_group}
    return [
        inline(theme.label),
        str(theme.count),
        percent(theme.share),
        phrases.bar(theme.share),
        *(told.get(group.group or "", phrases.NONE) for group in groups),
    ]


def _differences(differences: list[Difference]) -> str:
    return table(
        ["First", "Second", "Of", "First minus second", "95 % interval", "Clear"],
        [
            [
                *(inline(text) for text in (one.first, one.second, one.measure)),
                *_amount(one),
                "yes" if one.clear else "no",
            ]
            for one in differences
        ],
        numbers={3, 4},
    )


def _amount(one: Difference) -> tuple[str, str]:
    """Scale points, or percentage points."""
    if one.measure == "mean":
        return f"{one.difference:+.2f}", phrases.span(one.interval)
    return f"{one.difference * 100:+.0f} points", phrases.span(one.interval, share=True)
