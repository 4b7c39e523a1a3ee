"""The report as Markdown: read as it is, or in any viewer."""

from collections.abc import Iterator

from mcp_server.toolsets.panels._exports import phrases
from mcp_server.toolsets.panels._exports.escaping import inline, quoted
from mcp_server.toolsets.panels._exports.markdown_figures import figures
from mcp_server.toolsets.panels._exports.methods import caveats, facts, methods
from mcp_server.toolsets.panels._exports.plain import clean, when
from mcp_server.toolsets.panels._report import Report, Section
from mcp_server.toolsets.panels._results import Quote, Summary, Voice
from mcp_server.toolsets.panels._study import Reply


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
    told = [phrases.type_of(result), phrases.standing(result.overall)]
    told += [f"asked {when(result.asked_at)}"] if result.asked_at else []
    told += [f"answers written by {result.engine}"] if result.engine else []
    yield f"## Q{number}. {inline(result.question)}"
    yield " · ".join(inline(part) for part in told)
    yield from (inline(note) for note in section.asked.notes)
    yield from figures(result)
    yield from _said("Agreement", [inline(text) for text in result.agreements])
    yield from _said("Disagreement", [inline(text) for text in result.disagreements])
    if result.dissent:
        yield "### Who sees it otherwise"
        yield from (_dissent(voice) for voice in result.dissent)
    if result.quotes:
        yield "### Strongest voices"
        yield from (_quote(quote) for quote in result.quotes)
    yield from _said("Read with care", [inline(caveat.message) for caveat in result.caveats])


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
    told = [inline(str(phrases.answer_of(section, reply))) or phrases.NONE, inline(phrases.origin_of(reply))]
    told += [f"sentiment {reply.sentiment:+.2f}"] if reply.sentiment is not None else []
    told += [f"sources: {inline('; '.join(reply.sources))}"] if reply.sources else []
    line = " · ".join([who, *(part for part in told if part)])
    return f"{line}\n\n{quoted(reply.message)}" if clean(reply.message).strip() else line
