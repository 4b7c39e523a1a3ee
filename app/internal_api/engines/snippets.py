"""Sentences of a passage, and the few of them that are shown beside an answer or quoted as one. Pure."""

import re
from collections.abc import Iterable, Iterator, Mapping

from app.internal_api.knowledge.terms import STOP_WORDS, stem, words_of

LENGTH = 300
ELLIPSIS = "…"

_MARKS = re.compile(r"((?:\[\[CITE:\d{1,9}\]\]\s*)+)")
_NUMBER = re.compile(r"\d+")
_END = re.compile(r"(?:[.!?…]+[\"'”\u2019»)\]]*(?=\s)|[。\uff01\uff1f]+[」』”]?)")
_STARTS_LIKE_SENTENCE = re.compile(r"[\"'“\u2018«(\[¿¡]*[^\W_a-zß-öø-ÿ]")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\[])(?:\d{1,2}|[A-Za-zÀ-Þ]|mr|mrs|ms|dr|prof|st|sr|jr|vs|no|nos|nr|vol|fig|figs|ca|cf|approx|etc|resp|bzw|usw|evtl|"
    r"inkl|max|min|e\.g|i\.e|z\.b|d\.h|u\.a|p\.\s?ex|c\.-à-d|ej|sra|srta|mme|mlle|art|abb|inc|ltd|co|u\.s|a\.m|p\.m)\.$",
    re.IGNORECASE,
)
_ENDED = tuple(".!?:;|…")
_ITEM = re.compile(r"\s*(?:[-*+•|]|\d{1,3}[.)])\s")
_WRAPPED = 60  # characters from which a line without an end mark was probably only wrapped


def claims(content: str) -> Mapping[int, str]:
    """What an answer says with each of its citations: the text that ends with the citation's mark."""
    found: dict[int, str] = {}
    pieces = _MARKS.split(content)
    for said, marks in zip(pieces[::2], pieces[1::2], strict=False):
        claim = said.strip().rpartition("\n")[2]
        for number in _NUMBER.findall(marks):
            found[int(number)] = f"{found.get(int(number), '')} {claim}".strip()
    return found


def snippet(passage: str, claim: str = "") -> str:
    """One line of at most LENGTH characters: whole sentences, where they fit, that share most words with `claim`."""
    flat = one_line(passage)
    if len(flat) <= LENGTH:
        return flat
    wanted = {stem(word) for word in words_of(claim) if word not in STOP_WORDS}
    # The first of the best: without a claim, or when nothing fits it, that is the beginning.
    start, end = max(_windows(passage), key=lambda at: len(wanted.intersection(map(stem, words_of(flat[slice(*at)])))))
    return f"{ELLIPSIS if start else ''}{flat[start:end]}{ELLIPSIS if end < len(flat) else ''}"


def _windows(passage: str) -> list[tuple[int, int]]:
    """Places in the passage as one line: from each sentence on as many whole ones as there is room for."""
    flat, room, spans, last = one_line(passage), LENGTH - 2 * len(ELLIPSIS), [], 0
    for sentence in split_sentences(passage):
        start = flat.index(sentence, last)
        last = start + len(sentence)
        spans.append((start, last))
    ends = [max((end for _, end in spans[n:] if end - start <= room), default=0) for n, (start, _) in enumerate(spans)]
    return [(start, end or _cut(flat, start, start + room)) for (start, _), end in zip(spans, ends, strict=True)]


def one_line(text: str) -> str:
    """The text with every run of whitespace made one blank."""
    return " ".join(text.split())


def shorten(text: str, longest: int) -> str:
    """The text as one line, cut between words where it is too long."""
    flat = one_line(text)
    return flat if len(flat) <= longest else f"{flat[: _cut(flat, 0, longest)]}{ELLIPSIS}"


def distinct(texts: Iterable[str]) -> tuple[str, ...]:
    """Each once, whatever its case; the first spelling stays."""
    kept: dict[str, str] = {}
    for text in texts:
        kept.setdefault(text.casefold(), text)
    return tuple(kept.values())


def split_sentences(text: str) -> list[str]:
    """The sentences, list items and table rows in their order, each as one line."""
    return [sentence for paragraph in _paragraphs(text) for sentence in _sentences(paragraph)]


def _paragraphs(text: str) -> Iterator[str]:
    """Lines joined where they were only wrapped."""
    joined: list[str] = []
    for line in [*map(str.strip, text.splitlines()), ""]:
        if joined:
            full = len(joined[-1]) >= _WRAPPED and not joined[-1].endswith(_ENDED)
            if not (line and not _ITEM.match(line) and (full or line[0].islower())):
                yield one_line(" ".join(joined))
                joined = []
        if line:
            joined.append(line)


def _sentences(paragraph: str) -> Iterator[str]:
    start = 0
    for match in _END.finditer(paragraph):
        end = match.end()
        begins = _STARTS_LIKE_SENTENCE.match(paragraph[end : end + 40].lstrip())
        if match[0][-1] in "。\uff01\uff1f」』" or (
            begins and not _ABBREVIATION.search(paragraph[max(start, end - 12) : end])
        ):
            yield paragraph[start:end].strip()
            start = end
    if rest := paragraph[start:].strip():
        yield rest


def _cut(text: str, start: int, end: int) -> int:
    """The last gap between words that leaves some of the text; else `end`."""
    gap = text.rfind(" ", start, end + 1)
    return gap if gap > start else end
