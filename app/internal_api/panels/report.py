"""A report of a study: headings, paragraphs, tables and quotes; Markdown with answers escaped, CSV without formulas."""

import csv
import io
import re
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from app.internal_api.models.outputs import AudienceOutput, PersonaAnswer, Share, StudyOutputData
from app.internal_api.models.wire import ResponseModel
from app.internal_api.panels.output import besides
from app.internal_api.panels.values import number

Kind = Literal["executive_brief", "full_report", "raw_data"]
Length = Literal["short", "standard", "detailed"]

_WORDS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
QUOTES, TITLES = _WORDS["quotes"], _WORDS["titles"]
"""How many answers of each group are quoted, all where no number is given; and what the kinds are called."""
SMALL_SAMPLE = 10  # answers of a group below which its figures may be chance
MOST_ROWS = 25  # of longer distributions, what nobody chose is left out


class Report(ResponseModel):
    """`unfinished` is how many questions are still being answered, or failed on the way."""

    study: str
    kind: Kind
    length: Length
    generated_at: str
    unfinished: int
    questions: list[StudyOutputData]


class Block(NamedTuple):
    """A heading, whose level 1 is the title, a paragraph, a distribution, or an answer, word for word."""

    kind: Literal["Heading", "Paragraph", "Distribution", "Quote"]
    text: str = ""
    level: int = 0
    speaker: str = ""
    shares: tuple[Share, ...] = ()


def blocks(report: Report) -> Iterator[Block]:
    groups = [group for question in report.questions for group in question.audiences]
    usable = sum(group.n for group in groups)
    rest = {name: sum(getattr(group, name.lower()) for group in groups) for name in ("Declined", "Uncoded", "Failed")}
    yield Block("Heading", report.study, 1)
    yield Block(
        "Paragraph",
        f"{TITLES[report.kind]}, made {report.generated_at[:16].replace('T', ' ')} UTC."
        f" Questions: {len(report.questions)}. Usable answers: {usable}."
        + "".join(f" {name}: {count}." for name, count in rest.items()),
    )
    if report.unfinished:
        yield Block(
            "Paragraph", f"Not completed: {report.unfinished} of the questions. Their figures are those so far."
        )
    for place, question in enumerate(report.questions, start=1):
        yield Block("Heading", f"{place}. {question.title}", 2)
        yield from _question(report, question)
    yield Block("Heading", "Method and caveats", 2)
    for text in _WORDS["method"].splitlines():
        yield Block("Paragraph", text)
    if engines := list(dict.fromkeys(question.engine for question in report.questions if question.engine)):
        yield Block("Paragraph", f"Answers were written by: {', '.join(engines)}.")


def headline(group: AudienceOutput) -> str:
    """The group's value with n, failures and statistics."""
    if not group.n:
        return f"No usable answer (n = 0{besides(group)})."
    value = f"{isolated(group.value)} (n = {group.n}{besides(group)})"
    if group.stats is None:
        return f"{value}."
    deviation = "" if group.stats.sd is None else f", standard deviation {number(group.stats.sd)}"
    return f"Mean {value}. Median {number(group.stats.median)}{deviation}."


def isolated(text: str) -> str:
    """Right-to-left text in Unicode isolates, so that what stands beside it keeps its place."""
    directions = {unicodedata.bidirectional(sign) for sign in text}
    return f"\u2068{text}\u2069" if directions & {"R", "AL"} else text


def quoted(report: Report, group: AudienceOutput) -> Sequence[PersonaAnswer]:
    """Whose words are shown: everybody's in the raw data, else those of the first few."""
    spoken = [answer for answer in group.answers if answer.status == "answered" and answer.message]
    return spoken[: QUOTES[report.kind].get(report.length)]


def _question(report: Report, question: StudyOutputData) -> Iterator[Block]:
    low, high = question.classification.scale_range or (None, None)
    options = _listed(question.classification.options or ())
    response_format = {
        "scale": "A number." if low is None else f"A whole number from {low} to {high}.",
        "categorical": f"One of: {options}.",
        "multiselect": f"Any of: {options}.",
        "qualitative": "In their own words.",
    }[question.type]
    yield Block("Paragraph", f"{response_format} Asked {question.asked_at[:16].replace('T', ' ')} UTC.")
    if report.kind != "executive_brief":
        for category in question.category_codebook:
            label, merged = isolated(category.label), _listed(category.original_labels)
            yield Block("Paragraph", f"Theme: {label} ({category.count}). Said as: {merged}.")
    for group in question.audiences:
        yield Block("Heading", group.audience, 3)
        yield from _group(report, group)


def _group(report: Report, group: AudienceOutput) -> Iterator[Block]:
    yield Block("Paragraph", headline(group))
    if group.n and group.distribution:  # without a theme there is nothing to show
        shares = (share for share in group.distribution if share.count or len(group.distribution) <= MOST_ROWS)
        yield Block("Distribution", shares=tuple(shares))
    if 0 < group.n < SMALL_SAMPLE:
        yield Block("Paragraph", f"Caution: fewer than {SMALL_SAMPLE} answers. One more could change the picture.")
    for answer in quoted(report, group):
        discipline = f" ({isolated(answer.discipline)})" if answer.discipline else ""
        value = f": {isolated(answer.value)}" if answer.value else ""
        yield Block("Quote", answer.message, speaker=f"{isolated(answer.persona)}{discipline}{value}")
    missing = [
        f"{isolated(answer.persona)} ({answer.error_code or answer.status})"
        for answer in group.answers
        if answer.status != "answered"
    ]
    if missing and report.kind != "executive_brief":
        yield Block("Paragraph", f"Did not answer: {', '.join(missing)}.")


def _listed(texts: Iterable[str]) -> str:
    return ", ".join(isolated(text) for text in texts)


MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~$&])")
LEADING = re.compile(r"^(\s*)(?:([-+=])|(\d+)([.)]))", re.MULTILINE)
BAR = 20  # signs of a bar for a share of 100 %
COLUMNS = tuple(_WORDS["columns"])
BYTE_ORDER_MARK = "\ufeff"
"""Without it spreadsheets do not read UTF-8."""
SIGN = "=+\\-@\uff1d\uff0b\uff0d\uff20\ufe62\ufe63\ufe66\ufe6b"  # ASCII, full width, small
FORMULA = re.compile(f"[\\s\u200b\u2060\ufeff]*[{SIGN}]|[\t\r\n]")
INNER = re.compile(f"(?<=[;\t\r\n])( *)(?=[=\uff1d\ufe66]|[{SIGN}][^\\s])")
"""Where a cell begins for a program that separates at semicolons or tabs. A list ("; - so") is none."""
PLAIN_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")


def write_markdown(report: Report) -> str:
    """Blocks apart by an empty line."""
    return "\n\n".join(_markdown(block) for block in blocks(report)) + "\n"


def escaped(text: str) -> str:
    """The text as itself, whatever signs are in it."""
    return LEADING.sub(lambda found: f"{found[1]}{found[3] or ''}\\{found[2] or found[4]}", MARKUP.sub(r"\\\1", text))


def one_line(text: str) -> str:
    """Escaped, for headings and cells, which end with the line."""
    return escaped(" ".join(text.split()))


def write_csv(report: Report) -> str:
    """RFC 4180 with a byte order mark, one row for each answer; kind and length change nothing."""
    out = io.StringIO()
    out.write(BYTE_ORDER_MARK)
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    for question in report.questions:
        for group, answer in ((one, answer) for one in question.audiences for answer in one.answers):
            cited = (each.get("displaySource") or each.get("title") for each in answer.citation_sources)
            sources = "; ".join(dict.fromkeys(str(name) for name in cited if name))
            sentiment = "" if answer.sentiment is None else f"{answer.sentiment:g}"
            origin = answer.answer_provenance.get("origin")
            row = (
                *(question.title, group.audience, answer.persona, answer.discipline),
                *(answer.value, answer.message),
                *(question.type, answer.status, answer.error_code, sentiment, origin, sources, answer.engine),
                *(question.asked_at, answer.raw_value if answer.raw_value != answer.value else ""),
            )
            writer.writerow(guarded(str(cell or "")) for cell in row)
    return out.getvalue()


def guarded(cell: str) -> str:
    """With an apostrophe before what a spreadsheet would take for a formula; a number is none."""
    if PLAIN_NUMBER.fullmatch(cell):
        return cell
    return ("'" if FORMULA.match(cell) else "") + INNER.sub(r"\1'", cell)


def _markdown(block: Block) -> str:
    match block.kind:
        case "Heading":
            # Where a heading has begun, the number of a question does not begin a list.
            return "#" * block.level + " " + MARKUP.sub(r"\\\1", " ".join(block.text.split()))
        case "Paragraph":
            return one_line(block.text)
        case "Distribution":
            head = ("| Answer | n | Share | |", "|---|--:|--:|:--|")
            bars = ("█" * max(round(each.share * BAR), 1 if each.share else 0) for each in block.shares)
            rows = (
                f"| {one_line(each.value)} | {each.count} | {each.share:.0%} | {bar} |"
                for each, bar in zip(block.shares, bars, strict=True)
            )
            return "\n".join([*head, *rows])
        case _:
            lines = "\n".join(f"> {line.strip()}".rstrip() for line in escaped(block.text).splitlines())
            return f"**{one_line(block.speaker)}**\n\n{lines}"
