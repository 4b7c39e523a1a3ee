"""A scale that is told by its points: "1 2 3 4 5", "1 poor, 5 great", "Never (0) to always (10)", "… (1-5)".

Patterns read lower case without accents.
"""

import re
from collections.abc import Iterator, Sequence

from app.internal_api.panels.understanding.attitudes import asks_for_degree, speaks_of_rating
from app.internal_api.panels.understanding.choices import asks_to_choose
from app.internal_api.panels.understanding.numbers import RANGE, pair

_POINT = r"(?<![\w.,$€£/:+-])(?<!\d )(-?\d{1,3})(?![\w%+]|[.,:/]\d)"
_NEXT = r"(?: ?\([a-z][^()\n]{0,60}\))?(?: ?[-/|,;] ?| |\n|[\])] ?[\[(])"
_RUN = re.compile(rf"(?<![\w.,$€£/:+-])\d{{1,2}}(?:{_NEXT}\d{{1,2}}){{2,20}}(?![\w%+]|[.,:/]\d)")
_FIGURE = re.compile(r"\d{1,2}")
_BRACKETED = re.compile(r"\([^()\n]*\)")
_STEP = re.compile(
    r"(?:^|(?<=[\n,;.?:(|/] )|(?<=[\n(])|(?<= )(?=\d{1,2}(?: ?[=-] ?|[.)] ?)[a-z]))"
    r"(\d{1,2})(?: ?(?P<mark>[-=]) ?|(?P<list>[.):] ?)| )"
    r"(?P<label>[a-z][^\d\n,;|]{0,60})",
    re.MULTILINE,
)
_BEHIND = re.compile(r"(?P<label>[a-z][a-z' ]{1,60}?) ?[(\[](-?\d{1,3})[)\]]")
_BEFORE = re.compile(
    rf"(?:(?:\A|[\n,;:.?!(\"”»-] ?|\b(?:with|where|and|und|y|et|wobei|donde|to|bis|a) ){_POINT}"
    r"(?: ?[-=:] ?| ?\(| (?:being|is|means|meaning|for|as|ist|bedeutet|heisst|es|siendo|significa|est|signifie"
    r"|etant) | )"
    r"(?!(?:to|and|or|of|out|bis|und|oder|a|al|y|o|et|ou|through|until"
    r"|times?|years?|months?|weeks?|days?|hours?|minutes?"
    r"|people|persons?|euros?|dollars?|percent|jahre|tage|stunden|minuten|personen|anos|dias|horas|personas|ans|jours"
    r"|heures|personnes|km|miles?|options?|answers?|points?|stars?|mal|veces|fois)\b)(?P<label>[a-z]))"
)
_EXTREME = re.compile(
    r"\b(?:not|no|very|extremely|strongly|completely|totally|fully|worst|best|lowest|highest|poor|excellent|terrible"
    r"|awful|bad|good|great|amazing|never|always|agree|disagree|satisfied|dissatisfied|likely|unlikely|easy|hard"
    r"|difficult"
    r"|gar|uberhaupt|sehr|vollig|voll|nie|immer|trifft|stimme|schlecht|gut|nada|muy|totalmente|nunca|siempre|pesimo"
    r"|malo|excelente|bueno|pas|tres|tout|jamais|toujours|mauvais|bon)\b"
)
_COUNTS = re.compile(
    r"\b(?:how (?:many|long|old|far|big|much (?:money|time|do you (?:spend|pay|earn)|would you pay|longer))|what age"
    r"|ages?"
    r"|wie (?:viele?|lange|alt|oft)|cuant[oa]s|cuanto (?:tiempo|dinero|paga|gasta)|que edad|combien de|quel age)\b"
)
_RANGE_IN_BRACKETS = re.compile(
    rf"[(\[](?:(?:from|scale|von|de|del) )?{RANGE}(?: ?%| points?| stars?| punkte| puntos)?[)\]]"
)
_RANGE_AT_END = re.compile(rf"(?:,|:|\?| -) ?(?:on |from |von |de |del )?{RANGE} ?%?(?: ?[.?!]|\Z|\n)")
_ENDS = re.compile(r" ?(?:[.?!:]|\Z|\n)")
_HOW = re.compile(
    r"(?:\A|[.?!\n] ?|, |¿)(?:how (?!many)\w|rate\b|please rate\b|wie (?!viele?\b)\w|que tan\b|como\b|a quel point\b"
    r"|comment\b)"
)
_LOW_ENDS, _HIGH_ENDS = frozenset({0, 1}), frozenset({*range(3, 12), 20, 100})
_FEWEST_STEPS = 3


def by_anchors(text: str) -> tuple[int, int] | None:
    """Lowest and highest point; None where the numbers count something, or number a list."""
    if _COUNTS.search(text):
        return None
    found = (reader(text) for reader in (_run, _steps, _two_ends, _range))
    return next((ends for ends in found if ends), None)


def _run(text: str) -> tuple[int, int] | None:
    """As in "How easy is it? Very difficult 1 2 3 4 5 Very easy"."""
    for match in _RUN.finditer(text):
        points = [int(figure) for figure in _FIGURE.findall(_BRACKETED.sub("", match.group()))]
        points = points if points[0] < points[-1] else points[::-1]
        if _is_complete(points) and not asks_to_choose(text) and (_rates(text) or _is_labelled(text, match)):
            return points[0], points[-1]
    return None


def _is_labelled(text: str, match: re.Match[str]) -> bool:
    around = text[max(0, match.start() - 40) : match.start()] + " " + text[match.end() : match.end() + 40]
    return _EXTREME.search(around) is not None


def _steps(text: str) -> tuple[int, int] | None:
    """As in "1 poor, 2 fair, 3 good"; a list may be numbered, too, and then its items have to be degrees."""
    matches = list(_STEP.finditer(text))
    points = [int(match[1]) for match in matches]
    if not _is_complete(points) or not _rates(text):
        return None
    listed = any(match["list"] for match in matches)
    degrees = sum(_EXTREME.search(match["label"]) is not None for match in matches)
    return (points[0], points[-1]) if not listed or degrees * 2 >= len(points) else None


def _is_complete(points: Sequence[int]) -> bool:
    return (
        len(points) >= _FEWEST_STEPS
        and points[0] in _LOW_ENDS
        and list(points) == list(range(points[0], points[0] + len(points)))
    )


def _two_ends(text: str) -> tuple[int, int] | None:
    """As in "Not likely (0) to very likely (10)", "0 being no pain and 10 the worst"."""
    for pattern, number in ((_BEHIND, 2), (_BEFORE, 1)):
        matches = list(pattern.finditer(text))
        points = [int(match[number]) for match in matches]
        labels = " ".join(text[match.start("label") : match.start("label") + 40] for match in matches)
        if points and _are_ends(min(points), max(points)) and (_rates(text) or _EXTREME.search(labels)):
            return min(points), max(points)
    return None


def _range(text: str) -> tuple[int, int] | None:
    """As in "I like my job (1-5)", "What are the chances, 0-100%?"."""
    for match in _ranges(text):
        low, high = pair(match)
        if _are_ends(low, high):
            return int(low), int(high)
    return None


def _ranges(text: str) -> Iterator[re.Match[str]]:
    yield from (match for match in _RANGE_IN_BRACKETS.finditer(text) if _ENDS.match(text, match.end()))
    if not asks_to_choose(text):
        yield from _RANGE_AT_END.finditer(text)


def _are_ends(low: float, high: float) -> bool:
    return (low in _LOW_ENDS or (low < 0 and low == -high)) and high in _HIGH_ENDS


def _rates(text: str) -> bool:
    return speaks_of_rating(text) or asks_for_degree(text) or _HOW.search(text) is not None
