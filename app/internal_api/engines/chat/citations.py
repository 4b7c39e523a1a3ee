"""Citation marks in a model's answer: read, checked, and numbered by first use."""

import re
from collections.abc import Callable

_MARK = re.compile(r"\[\[\s*cite\s*:?\s*(\d{1,4}(?:\s*[,;]\s*\d{1,4})*)\s*\]\]", re.IGNORECASE)
_BROKEN = re.compile(r"\[\[\s*cite\b[^\[\]]*(?:\]{1,2}|\Z)", re.IGNORECASE)
_ANY_MARK = re.compile(r"\[\[\s*cite", re.IGNORECASE)
# Not the index of an array (`a[1]`), nor the text of a link (`[1](address)`).
_FOOTNOTE = re.compile(r"(?<!\b\w)(?<!\[)\[(\d{1,4}(?:\s*[,;]\s*\d{1,4})*)\](?![\](])")
_DECLINED = re.compile(r"\A\W{0,3}\[\[\s*nothing\s*\]\]", re.IGNORECASE)
_ANY_DECLINED = re.compile(r"\[\[\s*nothing\s*\]\]", re.IGNORECASE)
_DOUBLED = re.compile(r"([\[\]])(?=\1)")
_BLANKS = re.compile(r"[ \t]{2,}")
_BEFORE_STOP = re.compile(r"[ \t]+(?=[.,;:!?](?:\s|$))")
DECLINE = "[[NOTHING]]"


def cite(text: str, sources: int) -> tuple[str, list[int]]:
    """The text with its valid marks renumbered from 0, and the sources, counted from 0, in that order.

    The model counts its sources from 1. One that writes `[1]` all through is taken at its word.
    """
    order: dict[int, int] = {}

    def renumbered(match: re.Match[str]) -> str:
        return f"[[CITE:{order.setdefault(int(match.group(1)), len(order))}]]"

    return _tidy(_MARK.sub(renumbered, _only_valid(_marked(text, sources), sources))), [number - 1 for number in order]


def without_marks(text: str) -> str:
    """The text without any mark of ours."""
    return _tidy(_settled(text, lambda marked: _ANY_DECLINED.sub("", _only_valid(marked, 0))))


def declines(text: str) -> bool:
    """Whether the model began with the sign that its sources do not cover the question."""
    return bool(_DECLINED.match(text))


def neutral(text: str) -> str:
    """A text that cannot be taken for our own marks."""
    return _DOUBLED.sub(r"\1 ", text)


def _marked(text: str, sources: int) -> str:
    """The text with our marks in place of footnotes to sources that exist, where it has no mark of ours."""

    def mark(match: re.Match[str]) -> str:
        exist = all(0 < int(number) <= sources for number in re.findall(r"\d+", match.group(1)))
        return f"[[CITE:{match.group(1)}]]" if exist else match.group()

    return text if _ANY_MARK.search(text) else _FOOTNOTE.sub(mark, text)


def _only_valid(text: str, sources: int) -> str:
    """The text with one plain mark for each source that exists, and without broken marks."""

    def plain(match: re.Match[str]) -> str:
        named = [int(number) for number in re.findall(r"\d+", match.group(1))]
        return "".join(f"[[CITE:{number}]]" for number in dict.fromkeys(named) if 0 < number <= sources)

    return _settled(text, lambda marked: _MARK.sub(plain, _BROKEN.sub(_unless_whole, marked)))


def _settled(text: str, clean: Callable[[str], str]) -> str:
    """Cleaned until nothing changes: what is taken out may bring two halves of a mark together."""
    while (cleaned := clean(text)) != text:
        text = cleaned
    return text


def _unless_whole(match: re.Match[str]) -> str:
    return match.group() if _MARK.fullmatch(match.group()) else ""


def _tidy(text: str) -> str:
    return _BEFORE_STOP.sub("", _BLANKS.sub(" ", text)).strip()
