"""Cut a document into passages that can be cited: along headings, pages, paragraphs and sentences. Pure."""

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from app.internal_api.knowledge.documents import Chunk, Document, SourceRefused

# Sizes are in characters of spaced scripts, of which a word has about six.
WANTED = 720  # from here on a passage ends with its paragraph
MOST = 1_320
OVERLAP = 240  # a sentence up to this size is said again where its paragraph was cut
UNSPACED_WEIGHT = 3
LONGEST_HEADING = 160
LOWEST = 7  # level of a heading that has no mark
MAX_CHUNKS = 20_000
HEADING = re.compile(r"(#{1,6})[ \t]+(\S.*)")
# Without a mark: a short line alone above a text that has one of the ends of sentences.
BARE_HEADING = re.compile(r"(?:\A|(?<=\n\n))()((?![_a-z])\w[^.!?;:|\u2026\n]{0,59}\w)(?=\s*\n\n.*[.!?:\u2026])")
FENCE = re.compile(r"[ \t]*(?:```|~~~)")
SENTENCE_END = re.compile(
    # Looked for only where a row of marks begins, and not given back: a million dots cost a million steps.
    r"(?<![.!?\u2026])[.!?\u2026]++[\"')\]\u201d\u2019]*+(?=\s)"
    r"|[\u3002\uff01\uff1f]+[\u300d\u300f\u201d\u2019]*"
    # A line that goes on in lower case was only wrapped, unless it is a row such as `name: Ada; age: 36`.
    r"|\n(?![a-z\u00df-\u00ff][^:\n]{40})"
)
# Scripts without spaces between words (Thai, Lao, Burmese, Khmer, Japanese, Chinese) say more with each character.
UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)

_Size = Callable[[int, int], int]


@dataclass(frozen=True, slots=True)
class _Paragraph:
    start: int
    end: int
    section: int
    heading: str | None


def chunk_document(document: Document) -> list[Chunk]:
    """Passages of about 120 to 220 words; every word of the document is in one of them or in its heading.

    Raises `SourceRefused`: `too_large` for a text of more headings and pages than sentences.
    """
    chunks: list[Chunk] = []
    pages, size = document.pages, _measure(document.text)

    def place(each: _Paragraph) -> tuple[int, int | None]:
        return each.section, None if pages is None else max(1, bisect_right(pages, each.start))

    for (_, page), paragraphs in groupby(_paragraphs(document.text), key=place):
        section = list(paragraphs)
        for start, end in _packed(document.text, section, size):
            if len(chunks) == MAX_CHUNKS:
                raise SourceRefused("too_large", f"The text has more than {MAX_CHUNKS:,} parts. Give it in several.")
            chunks.append(Chunk(len(chunks), document.text[start:end].strip(), section[0].heading, page))
    return chunks


def _paragraphs(text: str) -> Iterator[_Paragraph]:
    """Runs of lines between blank lines and headings; a heading with nothing below it is a paragraph of its own."""
    titles: list[tuple[int, str]] = []  # the open headings with their levels, outermost first
    path: str | None = None
    bare: _Paragraph | None = None  # the last heading, while nothing stands below it
    begin: int | None = None
    section, offset, fenced = 0, 0, False
    for line in text.splitlines(keepends=True):
        found = HEADING.fullmatch(line.rstrip()) or BARE_HEADING.match(text, offset)
        heading = None if fenced or len(line) > LONGEST_HEADING else found
        if begin is not None and (heading or not line.strip()):
            yield _Paragraph(begin, offset, section, path)
            begin = None
        if heading:
            level = len(heading[1]) or LOWEST
            if bare and titles[-1][0] >= level:
                yield bare
            titles = [each for each in titles if each[0] < level]
            section += 1
            above = " > ".join(title for _, title in titles) or None
            bare = _Paragraph(offset + line.rindex(heading[2]), offset + len(line.rstrip()), section, above)
            titles.append((level, heading[2]))
            path = " > ".join(title for _, title in titles)
        elif line.strip() and begin is None:
            begin, bare = offset, None
        fenced ^= FENCE.match(line) is not None
        offset += len(line)
    if begin is not None:
        yield _Paragraph(begin, offset, section, path)
    elif bare:
        yield bare


def _packed(text: str, paragraphs: Sequence[_Paragraph], size: _Size) -> Iterator[tuple[int, int]]:
    """Where each passage begins and ends; it is filled with whole sentences, of whole paragraphs where they fit."""
    taken: list[tuple[int, int]] = []
    for paragraph in paragraphs:
        for start, end in _sentences(text, paragraph, size):
            is_cut = bool(taken) and taken[-1][0] >= paragraph.start
            too_much = bool(taken) and size(taken[0][0], end) > MOST
            if too_much or (taken and not is_cut and size(taken[0][0], taken[-1][1]) >= WANTED):
                yield taken[0][0], taken[-1][1]
                last = taken[-1]
                repeats = is_cut and len(taken) > 1 and size(*last) <= OVERLAP
                taken = [last] if repeats and size(last[0], end) <= MOST else []
            taken.append((start, end))
    if taken:
        yield taken[0][0], taken[-1][1]


def _sentences(text: str, paragraph: _Paragraph, size: _Size) -> Iterator[tuple[int, int]]:
    """Where each sentence begins and ends; one that is larger than any passage is cut, between words if it can be."""
    start = paragraph.start
    ends = [match.end() for match in SENTENCE_END.finditer(text, paragraph.start, paragraph.end)]
    for end in (*ends, paragraph.end):
        while size(start, end) > MOST:
            most = start + (MOST // UNSPACED_WEIGHT if UNSPACED.search(text, start, start + MOST) else MOST)
            cut = text.rfind(" ", start + 1, most) + 1 or most
            if text[start:cut].strip():
                yield start, cut
            start = cut
        if text[start:end].strip():
            yield start, end
        start = end


def _measure(text: str) -> _Size:
    """How large the text is from one place to another, in characters of spaced scripts."""
    unspaced = array("L", (match.start() for match in UNSPACED.finditer(text)))
    more = UNSPACED_WEIGHT - 1
    return lambda start, end: end - start + more * (bisect_left(unspaced, end) - bisect_left(unspaced, start))
