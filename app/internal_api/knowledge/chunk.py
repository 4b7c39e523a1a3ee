"""Cut a document into passages that can be cited: along headings, pages, paragraphs and sentences. Pure."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from app.internal_api.knowledge.documents import Chunk, Document

WANTED_WORDS = 120  # from here on a passage ends with its paragraph
MOST_WORDS = 220
MOST_CHARACTERS = 2_000  # a "word" of a log or of base64 has no end of its own
MOST_UNSPACED = 400
OVERLAP_WORDS = 40  # a sentence up to this length is said again where its paragraph was cut
LONGEST_HEADING = 160
PATH = " > "
HEADING = re.compile(r"(#{1,6})[ \t]+(\S.*)")
FENCE = re.compile(r"[ \t]*(?:```|~~~)")
SENTENCE_END = re.compile(
    r"[.!?\u2026]+[\"')\]\u201d\u2019]*(?=\s)"
    r"|[\u3002\uff01\uff1f]+[\u300d\u300f\u201d\u2019]*"
    # A line that goes on in lower case was only wrapped, unless it is a row such as `name: Ada; age: 36`.
    r"|\n(?![a-z\u00df-\u00ff][^:\n]{40})"
)
WORD = re.compile(r"\S+\s*")
# Scripts without spaces between words (Thai, Lao, Burmese, Khmer, Japanese, Chinese): two characters weigh as
# much as a word.
UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)


@dataclass(frozen=True, slots=True)
class _Paragraph:
    start: int
    end: int
    section: int
    heading: str | None
    page: int | None


@dataclass(frozen=True, slots=True)
class _Unit:
    """A sentence, or a piece of one that is too long: what is never cut again."""

    start: int
    end: int
    words: float
    paragraph: int


def chunk_document(document: Document) -> list[Chunk]:
    """Passages of about 120 to 220 words; every word of the document is in one of them or in its heading."""
    chunks: list[Chunk] = []
    for _, section in groupby(_paragraphs(document), key=lambda paragraph: (paragraph.section, paragraph.page)):
        paragraphs = list(section)
        heading, page = paragraphs[0].heading, paragraphs[0].page
        for start, end in _packed(document.text, paragraphs):
            chunks.append(Chunk(len(chunks), document.text[start:end].strip(), heading, page))
    return chunks


def _paragraphs(document: Document) -> Iterator[_Paragraph]:
    """Runs of lines between blank lines and headings; a heading with no text below it is a run of its own."""
    outline = _Outline(document.pages)
    begin: int | None = None
    offset, fenced = 0, False
    for line in document.text.splitlines(keepends=True):
        heading = None if fenced or len(line) > LONGEST_HEADING else HEADING.fullmatch(line.rstrip())
        if begin is not None and (heading or not line.strip()):
            yield outline.paragraph(begin, offset)
            begin = None
        if heading:
            yield from outline.enter(heading, offset)
        elif line.strip() and begin is None:
            begin, outline.bare = offset, None
        fenced ^= FENCE.match(line) is not None
        offset += len(line)
    if begin is not None:
        yield outline.paragraph(begin, offset)
    yield from outline.close()


class _Outline:
    """The open headings, outermost first."""

    def __init__(self, pages: Sequence[int] | None) -> None:
        self.bare: _Paragraph | None = None  # the last heading, while nothing stands below it
        self._pages = pages
        self._open: list[tuple[int, str]] = []
        self._section = 0

    def paragraph(self, start: int, end: int) -> _Paragraph:
        path = PATH.join(title for _, title in self._open) or None
        return _Paragraph(start, end, self._section, path, _page(self._pages, start))

    def enter(self, heading: re.Match[str], offset: int) -> Iterator[_Paragraph]:
        level = len(heading[1])
        if self._open and self._open[-1][0] >= level:
            yield from self.close()
        while self._open and self._open[-1][0] >= level:
            self._open.pop()
        self._section += 1
        self.bare = self.paragraph(offset + heading.start(2), offset + heading.end(2))
        self._open.append((level, heading[2]))

    def close(self) -> Iterator[_Paragraph]:
        if self.bare is not None:
            yield self.bare
        self.bare = None


def _page(pages: Sequence[int] | None, offset: int) -> int | None:
    return None if pages is None else max(1, bisect_right(pages, offset))


def _packed(text: str, paragraphs: Sequence[_Paragraph]) -> Iterator[tuple[int, int]]:
    """Fill passages with whole units, and yield where each begins and ends."""
    taken: list[_Unit] = []
    for number, paragraph in enumerate(paragraphs):
        for unit in _units(text, paragraph, number):
            if taken and _is_full(taken, unit):
                yield taken[0].start, taken[-1].end
                taken = _overlap(taken, unit)
            taken.append(unit)
    if taken:
        yield taken[0].start, taken[-1].end


def _is_full(taken: Sequence[_Unit], following: _Unit) -> bool:
    words = sum(unit.words for unit in taken)
    if words + following.words > MOST_WORDS or following.end - taken[0].start > MOST_CHARACTERS:
        return True
    return words >= WANTED_WORDS and following.paragraph != taken[-1].paragraph


def _overlap(taken: Sequence[_Unit], following: _Unit) -> list[_Unit]:
    last = taken[-1]
    is_cut = last.paragraph == following.paragraph
    fits = last.words <= OVERLAP_WORDS and last.words + following.words <= MOST_WORDS
    short = following.end - last.start <= MOST_CHARACTERS
    return [last] if is_cut and fits and short and len(taken) > 1 else []


def _units(text: str, paragraph: _Paragraph, number: int) -> Iterator[_Unit]:
    start = paragraph.start
    ends = [match.end() for match in SENTENCE_END.finditer(text, paragraph.start, paragraph.end)]
    for end in (*ends, paragraph.end):
        for piece_start, piece_end, words in _pieces(text, start, end):
            yield _Unit(piece_start, piece_end, words, number)
        start = end


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int, float]]:
    """The span as it is, or cut between words, or inside a word that is longer than any passage."""
    words = 0.0
    for word in WORD.finditer(text, start, end):
        weight = _weight(word[0])
        too_much = words + weight > MOST_WORDS or word.end() - start > MOST_CHARACTERS
        if too_much and word.start() > start:
            yield start, word.start(), words
            start, words = word.start(), 0.0
        if weight > MOST_WORDS or len(word[0]) > MOST_CHARACTERS:
            step = MOST_CHARACTERS if weight <= 1 else MOST_UNSPACED
            for cut in range(start, word.end() - step, step):
                yield cut, cut + step, _weight(text[cut : cut + step])
                start = cut + step
            weight = _weight(text[start : word.end()])
        words += weight
    if text[start:end].strip():
        yield start, end, words


def _weight(word: str) -> float:
    return 1 + len(UNSPACED.findall(word)) / 2
