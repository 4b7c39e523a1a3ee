"""The report as Markdown: read as it is, or in any viewer.

Texts that users and models wrote are shown as they are: they never become markup, and load nothing.
"""

import re
from collections.abc import Iterator

from mcp_server.toolsets.panels._exports import phrases, tables
from mcp_server.toolsets.panels._exports.methods import caveats, facts, methods
from mcp_server.toolsets.panels._exports.plain import clean, one_line
from mcp_server.toolsets.panels._exports.tables import Table
from mcp_server.toolsets.panels._report import Report, Section
from mcp_server.toolsets.panels._results import QuestionResult, Quote, Summary, Voice
from mcp_server.toolsets.panels._study import Reply

_MARKUP = re.compile(r"[\\`*_\[\]<>|~$]")
_ENTITY = re.compile(r"&(?=#?\w+;)")
_ADDRESS = re.compile(r"\b(https?|ftp|mailto|xmpp)(?=:)|\b(www)(?=\.)", re.IGNORECASE)
"""Viewers make links of these on their own."""

_BLOCK = re.compile(r"(\d{1,9})([.)])(?=\s|$)|([#+=-])|:(?=[-:])")
"""What begins a heading, a list, a rule or a table when it stands at the beginning of a line."""


def markdown(report: Report) -> bytes:
    """Write the report. The blocks are parted by empty lines, which is what Markdown asks for."""
    return ("\n\n".join(block for block in _blocks(report) if block) + "\n").encode()


def _blocks(report: Report) -> Iterator[str]:
    yield f"# {inline(report.panel) or 'Panel'}"
    yield _listed([(label, inline(text)) for label, text in facts(report)])
    yield "## In short"
    yield from _in_short(report)
    for number, section in enumerate(report.sections, 1):
        yield from _section(number, section)
    yield "## How the figures were made"
    yield _listed([(label, inline(text)) for label, text in methods(report)])
    if report.sections:
        yield "## All answers"
    for number, section in enumerate(report.sections, 1):
        yield from _answers(number, section)


def _in_short(report: Report) -> Iterator[str]:
    if not report.sections:
        yield "The panel has not been asked anything yet."
        return
    yield "\n".join(f"{number}. {_headline(section)}" for number, section in enumerate(report.sections, 1))
    said = caveats(report)
    if said:
        yield "### Read with care"
        yield _listed([(where, inline(text)) for where, text in said])


def _headline(section: Section) -> str:
    result = section.result
    everyone = f"**{_figure(result.overall)}** ({phrases.standing(result.overall)})"
    groups = [f"{inline(phrases.name_of(group))}: {_figure(group)}" for group in result.groups]
    return "\n".join([f"{inline(result.question)}  ", f"   {everyone}", *(f"   - {group}" for group in groups)])


def _figure(summary: Summary) -> str:
    return inline(phrases.shown(phrases.headline(summary)))


def _listed(entries: list[tuple[str, str]]) -> str:
    return "\n".join(f"- **{inline(label)}**: {text}" for label, text in entries)


def _section(number: int, section: Section) -> Iterator[str]:
    result = section.result
    yield f"## Q{number}. {inline(result.question)}"
    yield " · ".join(inline(part) for part in phrases.circumstances(result))
    yield from (inline(note) for note in section.asked.notes)
    yield from _figures(result)
    yield from _said("Agreement", [inline(text) for text in result.agreements])
    yield from _said("Disagreement", [inline(text) for text in result.disagreements])
    if result.dissent:
        yield "### Who sees it otherwise"
        yield from (_dissent(voice) for voice in result.dissent)
    if result.quotes:
        yield "### Strongest voices"
        yield from (_quote(quote) for quote in result.quotes)
    yield from _said("Read with care", [inline(caveat.message) for caveat in result.caveats])


def _figures(result: QuestionResult) -> Iterator[str]:
    yield "### By group"
    yield table(tables.groups(result))
    if result.type == "qualitative":
        yield from _themes(result)
    elif result.overall.counts:
        yield "### Distribution"
        yield table(tables.distribution(result))
        if result.groups:
            yield table(tables.by_group(result))
    if result.differences:
        yield "### Differences between groups"
        yield table(tables.differences(result.differences))


def _themes(result: QuestionResult) -> Iterator[str]:
    if not result.themes:
        return
    yield "### Themes"
    yield table(tables.themes(result))
    for theme in result.themes:
        if theme.quote:
            who = f"{inline(theme.quote.persona)} ({inline(theme.quote.group)})"
            yield f"**{inline(theme.label)}**: {who}\n\n{quoted(theme.quote.text)}"


def _said(heading: str, texts: list[str]) -> Iterator[str]:
    if texts:
        yield f"### {heading}"
        yield "\n".join(f"- {text}" for text in texts)


def _dissent(voice: Voice) -> str:
    about = f"**{inline(voice.persona)}** ({inline(voice.group)}): {inline(voice.value)}. {inline(voice.reason)}"
    return f"{about}\n\n{quoted(voice.quote)}" if voice.quote else about


def _quote(quote: Quote) -> str:
    return f"**{inline(quote.persona)}** ({inline(quote.group)})\n\n{quoted(quote.text)}"


def _answers(number: int, section: Section) -> Iterator[str]:
    yield f"### Answers to Q{number}. {inline(section.asked.text)}"
    replies = phrases.ordered(section.asked)
    if not replies:
        yield "There are no answers yet."
    group = None
    for reply in replies:
        if reply.group != group:
            group = reply.group
            yield f"#### {inline(group) or 'Without a group'}"
        yield _answer(section, reply)


def _answer(section: Section, reply: Reply) -> str:
    who = f"**{inline(reply.persona)}**"
    if reply.discipline and reply.discipline != reply.persona:
        who += f" ({inline(reply.discipline)})"
    if reply.status != "answered":
        why = f": {inline(reply.error)}" if reply.error and reply.error != reply.status else ""
        return f"{who} · *{phrases.STATUSES[reply.status]}{why}*"
    parts = [inline(str(phrases.answer_of(section, reply))) or phrases.NONE, inline(phrases.origin_of(reply))]
    parts += [f"sentiment {reply.sentiment:+.2f}"] if reply.sentiment is not None else []
    parts += [f"sources: {inline('; '.join(reply.sources))}"] if reply.sources else []
    line = " · ".join([who, *(part for part in parts if part)])
    return f"{line}\n\n{quoted(reply.message)}" if clean(reply.message).strip() else line


# --- escaping ---


def inline(text: str) -> str:
    """`text` on one line, for a paragraph, a heading or the cell of a table."""
    return _line(one_line(text))


def quoted(text: str) -> str:
    """`text` with its lines, as a block quotation."""
    lines = [_line(line.strip()) for line in clean(text).strip().split("\n")]
    # A break is two blanks at the end of a line; an empty line parts paragraphs on its own.
    ends = ["  " if line and after else "" for line, after in zip(lines, [*lines[1:], ""], strict=True)]
    return "\n".join(f"> {line}{end}" if line else ">" for line, end in zip(lines, ends, strict=True))


def _line(line: str) -> str:
    escaped = _ENTITY.sub(r"\\&", _MARKUP.sub(r"\\\g<0>", line))
    unlinked = _ADDRESS.sub(r"\g<0>\\", escaped)
    begins = _BLOCK.match(unlinked)
    if begins is None:
        return unlinked
    first = begins[1] or ""
    return f"{first}\\{unlinked[len(first) :]}"


def table(made: Table) -> str:
    """A table in GitHub's Markdown."""
    rule = ["---:" if column in made.numbers else "---" for column in range(len(made.titles))]
    rows = [[cell if column in made.numbers else inline(cell) for column, cell in enumerate(row)] for row in made.rows]
    titles = [inline(title) for title in made.titles]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [titles, rule, *rows])
