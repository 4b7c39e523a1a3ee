"""Ranges of numbers that are a scale though nobody calls them one. Patterns read lower case without accents."""

import re
from collections.abc import Iterator

from app.internal_api.panels.understanding.attitudes import speaks_of_rating
from app.internal_api.panels.understanding.numbers import BETWEEN, RANGE, pair

_PATTERNS = (re.compile(RANGE), re.compile(BETWEEN))
_FOLLOWS = re.compile(
    r"\s*(?:\Z|[)\],.?!:;\n-]|(?:how|what|where|with|being|in|on|would|will|do|does|did|is|are|best|the|your|you"
    r"|this|these|that|each|for|if"
    r"|according|please|and|points?|stars?|rating|score|based|when|to|describes?|wie|wobei|punkten?|sternen?"
    r"|donde|siendo|como|nos|me|le|les|te|puntos|estrellas|que|ou|points|etoiles|bewerten|an|donneriez|attribueriez"
    r"|attribuez|mettriez|fur|por|pour|el|la|le|les)\b)"
)
# What a range may count: "for ages 0 to 10", "open 1 to 5".
_OF_SOMETHING = re.compile(
    r"\b(?:ages?|aged|children|kids|open|hours?|days?|weeks?|months?|years?|pages?|chapters?|steps?|phases?|floors?"
    r"|classes|grades?|kinder|alter|jahren?|ninos|anos|enfants|ans)(?: (?:from|between|of|von|de))? ?\Z"
)
_LABEL = re.compile(r" ?%? ?[(\[=]")
_NO_AMOUNT = r"(?!how (?:many|long|old|far|big|tall|late|much (?:money|time|longer))\b)"
_BEGINS = re.compile(r"(?:\A|[.!?\n] ?|, )(?:on |from |del? |von |auf )?\Z")
_THEN_ASKS = re.compile(
    rf"[,:]? ?¿? ?(?:{_NO_AMOUNT}(?:how|what(?:'s| is))|que (?:tan|nota)|cuanto|cuan|como|wie|comment|a quel point)\b"
)
_ASKS_BEFORE = re.compile(
    r"(?:\A|[.!?\n] ?|, )how (?:was|is|were|are|good|bad|well|do you feel|would you|did you (?:find|like|feel))\b"
    r"[^.?!\n]{1,120} from \Z"
)
_ENDS = re.compile(r"\s*(?:[.?!\n]|\Z)")
_LOW_ENDS = frozenset({0, 1})
_NARROWEST, _WIDEST = 3, 100


def ranges(text: str) -> Iterator[tuple[int, int]]:
    """Those that begin and end as scales do and are of nothing else, where a rating or their place speaks for them."""
    rating = speaks_of_rating(text)
    for match in (match for pattern in _PATTERNS for match in pattern.finditer(text)):
        low, high = pair(match)
        ends = low in _LOW_ENDS or low == -high
        fits = ends and high.is_integer() and _NARROWEST <= high <= _WIDEST and _FOLLOWS.match(text, match.end())
        if (
            fits
            and not _OF_SOMETHING.search(text, max(0, match.start() - 24), match.start())
            and (rating or _is_labelled(text, match) or _stands_for_itself(text, match))
        ):
            yield int(low), int(high)


def _is_labelled(text: str, match: re.Match[str]) -> bool:
    """As in "from 1 (never) to 5 (daily)"."""
    return _LABEL.match(text, match.end("low")) is not None


def _stands_for_itself(text: str, match: re.Match[str]) -> bool:
    """As in "From 0 to 10, what's your mood?", "How was your stay from 1 to 5?"."""
    before = text[max(0, match.start() - 160) : match.start()]
    if _BEGINS.search(before) and _THEN_ASKS.match(text, match.end()):
        return True
    return bool(_ENDS.match(text, match.end()) and _ASKS_BEFORE.search(before))
