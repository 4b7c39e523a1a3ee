"""Citation marks in a model's answer: read, checked, and numbered by first use."""

import re

_MARK = re.compile(r"\[\[\s*cite\s*:?\s*(\d{1,4}(?:\s*[,;]\s*\d{1,4})*)\s*\]\]", re.IGNORECASE)
_BROKEN = re.compile(r"\[\[\s*cite\b[^\[\]]*(?:\]{1,2}|\Z)", re.IGNORECASE)
_DECLINED = re.compile(r"\A\W{0,3}\[\[\s*nothing\s*\]\]", re.IGNORECASE)
_ANY_DECLINED = re.compile(r"\[\[\s*nothing\s*\]\]", re.IGNORECASE)
_BLANKS = re.compile(r"[ \t]{2,}")
_BEFORE_STOP = re.compile(r"[ \t]+(?=[.,;:!?](?:\s|$))")
DECLINE = "[[NOTHING]]"


def cite(text: str, sources: int) -> tuple[str, list[int]]:
    """The text with its valid marks renumbered from 0, and the sources in that order."""
    order: dict[int, int] = {}

    def renumbered(match: re.Match[str]) -> str:
        named = [int(number) for number in re.findall(r"\d+", match.group(1))]
        valid = dict.fromkeys(number for number in named if number < sources)
        return "".join(f"[[CITE:{order.setdefault(number, len(order))}]]" for number in valid)

    # The broken ones first go into nothing: what is left of a whole mark is not one of them.
    marked = _MARK.sub(renumbered, _BROKEN.sub(_unless_whole, text))
    return _tidy(marked), list(order)


def without_marks(text: str) -> str:
    """The text without any citation mark."""
    return _tidy(_ANY_DECLINED.sub("", _BROKEN.sub("", text)))


def declines(text: str) -> bool:
    """Whether the model began with the sign that its sources do not cover the question."""
    return bool(_DECLINED.match(text))


def neutral(text: str) -> str:
    """A text that cannot be taken for our own marks."""
    return text.replace("[[", "[ [").replace("]]", "] ]")


def _unless_whole(match: re.Match[str]) -> str:
    return match.group() if _MARK.fullmatch(match.group()) else ""


def _tidy(text: str) -> str:
    return _BEFORE_STOP.sub("", _BLANKS.sub(" ", text)).strip()
