"""Options that are degrees written out: "Very disappointed, somewhat disappointed, not disappointed"."""

import re

from app.internal_api.panels.understanding.attitudes import names_agreement_steps
from app.internal_api.panels.understanding.lists import groups, split
from app.internal_api.panels.understanding.options import presented
from app.internal_api.panels.understanding.reading import Reading

_STEP = re.compile(
    r"(?:very|extremely|somewhat|slightly|moderately|fairly|quite|neither|not|never|definitely|probably|might|maybe"
    r"|perhaps|unsure|undecided|strongly|completely|totally|fully|mostly|partly|partially|agree|disagree|neutral"
    r"|always|usually|often|sometimes|occasionally|rarely|seldom|satisfied|dissatisfied|likely|unlikely|important"
    r"|excellent|average|fair|poor"
    r"|sehr|eher|gar|uberhaupt|kaum|nicht|vielleicht|sicher|bestimmt|wahrscheinlich|teils|weder|stimme|trifft"
    r"|unentschieden|zufrieden|unzufrieden|immer|oft|manchmal|selten|nie"
    r"|totalmente|muy|algo|poco|nada|neutro|ni|de acuerdo|en desacuerdo|siempre|nunca|tout a fait|plutot|pas|peu"
    r"|assez|tres|d'accord|toujours|souvent|parfois|rarement|jamais)\b"
)
_DASH = re.compile(r" - ")
_FEWEST, _MOST_WORDS = 3, 6


def named_degrees(reading: Reading) -> tuple[str, ...]:
    """The degrees of an answer, one beside the other or one a line, where something is asked or agreement is meant."""
    asked = False
    for sentence in reading.sentences:
        regions = [*groups(reading.masked, sentence.start, sentence.end), (sentence.start, sentence.end)]
        colon = reading.masked.rfind(": ", sentence.start, sentence.end)
        regions = [(sentence.start, colon), (colon + 1, sentence.end), *regions] if colon > 0 else regions
        for start, end in regions:
            if (asked or sentence.asks or names_agreement_steps(reading.masked[start:end])) and (
                found := _degrees(reading, start, end)
            ):
                return found
        asked = asked or sentence.asks
    return _lines(reading, asked=asked)


def _lines(reading: Reading, *, asked: bool) -> tuple[str, ...]:
    run: list[tuple[int, int]] = []
    for sentence in reading.sentences:
        if _STEP.match(sentence.text) and len(sentence.text.split()) <= _MOST_WORDS:
            run.append((sentence.start, sentence.end))
        elif run:
            break
    if len(run) < _FEWEST or not (asked or names_agreement_steps(reading.masked)):
        return ()
    return presented(reading.text[start:end] for start, end in run)


def _degrees(reading: Reading, start: int, end: int) -> tuple[str, ...]:
    """The first is a degree, and so are two thirds of all: "I do not use it" may stand beside them."""
    text = reading.masked[start:end].lstrip(" (")
    if not _STEP.match(text):
        return ()
    low = end - len(text)
    dashes = [match.start() + low for match in _DASH.finditer(text)]
    found = split(reading, low, end)
    if not found and len(dashes) >= _FEWEST - 1:
        ends = [*dashes, end]
        found = presented(reading.text[a:b] for a, b in zip([low, *dashes], ends, strict=True))
    short = all(len(option.split()) <= _MOST_WORDS for option in found)
    steps = sum(_STEP.match(option.lower().translate(_PLAIN)) is not None for option in found)
    return found if len(found) >= _FEWEST and short and steps * 3 >= len(found) * 2 else ()


_PLAIN = str.maketrans("äöüéèêà", "aoueeea")
