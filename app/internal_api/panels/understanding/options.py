"""Options made presentable: cut from the wording, cleaned, counted."""

import re
from collections.abc import Iterable, Sequence

from app.internal_api.engines.snippets import one_line
from app.internal_api.panels.understanding.words import (
    FEWEST_OPTIONS,
    INVALID_OPTIONS,
    LONGEST_OPTION,
    MOST_OPTIONS,
    MakesNoSense,
)

_LEFT = " \t\n,;:?!¿¡|/*_`-\u2013\u2014•"  # a point may begin a name
_RIGHT = f"{_LEFT}."
_PAIRS = {'"': '"', "'": "'", "“": "”", "\u2018": "\u2019", "«": "»", "„": "“", "(": ")", "[": "]"}
_CLOSING = {")": "(", "]": "["}
_FILLER = re.compile(r"\A(?:(?:and|or|und|oder|y|o|u|et|ou|either|entweder|soit)\b,? )+", re.IGNORECASE)
_INSTRUCTION = re.compile(
    r"\A(?:and |or |und |y |et )?(?:(?:why|how come|how so|warum|wieso|por que|por qué|pourquoi)(?: or why not"
    r"| not| nicht| no| pas)?"
    r"|(?:please|bitte|por favor) .{1,120}|(?:explain|tell us|give|begründe\w*) .{0,120}"
    r"|(?:pick|choose|select|check|tick) (?:all|any|one|up to|as many|only|your|the|\d).{0,60}"
    r"|mehrfach(?:auswahl|nennung|antwort)(?:en)?(?: (?:sind )?(?:möglich|erlaubt|zulässig))?)\W*\Z",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"\s*[(\[](?:please )?(?:pick|choose|select|check|tick|mark|rank|up to|max|multiple|several|one|only|specify"
    r"|plusieurs|choisi|cochez|puede|varias|marque|elija|mehrfach|mehrere|bitte)"
    r"[^()\[\]]{0,80}[)\]]\s*\Z"
    r"|,? (?:and|und|y|et) (?:why|warum|por qu[eé]|pourquoi)(?: not| nicht| no| pas)?\s*\Z",
    re.IGNORECASE,
)


def presented(pieces: Iterable[str]) -> tuple[str, ...]:
    """The pieces as options; empty where they cannot be the options of one question."""
    cleaned = [clean for piece in pieces if not _INSTRUCTION.match(_bare(piece)) and (clean := _cleaned(piece))]
    options = distinct(cleaned)
    fits = FEWEST_OPTIONS <= len(options) <= MOST_OPTIONS and all(len(option) <= LONGEST_OPTION for option in options)
    return options if fits and not any(";" in option for option in options) else ()


def checked_options(options: Sequence[str]) -> tuple[str, ...]:
    """The options that a caller gave. Raises MakesNoSense."""
    folded = distinct(one_line(option) for option in options)
    if any(not option for option in folded):
        raise MakesNoSense(INVALID_OPTIONS, "An option is blank. Give every option a text.")
    if any(len(option) > LONGEST_OPTION for option in folded):
        raise MakesNoSense(INVALID_OPTIONS, f"An option is longer than {LONGEST_OPTION} characters. Shorten it.")
    if any(";" in option for option in folded):
        raise MakesNoSense(INVALID_OPTIONS, "An option holds a semicolon, which separates chosen options. Reword it.")
    if not FEWEST_OPTIONS <= len(folded) <= MOST_OPTIONS:
        raise MakesNoSense(
            INVALID_OPTIONS,
            f"There are {len(folded)} different options. Give between {FEWEST_OPTIONS} and {MOST_OPTIONS}.",
        )
    return folded


def distinct(options: Iterable[str]) -> tuple[str, ...]:
    """Each once, whatever its case; the first spelling stays."""
    kept: dict[str, str] = {}
    for option in options:
        kept.setdefault(option.casefold(), option)
    return tuple(kept.values())


def _cleaned(piece: str) -> str:
    """Without separators at its ends, the marks of a quotation, and an instruction behind it."""
    bare = _bare(_TAIL.sub("", _bare(one_line(piece))))
    bare = _FILLER.sub("", bare)
    if bare[-1:] in _CLOSING and bare.count(bare[-1]) > bare.count(_CLOSING[bare[-1]]):
        bare = _bare(bare[:-1])
    if len(bare) > 1 and _PAIRS.get(bare[0]) == bare[-1] and bare[0] not in bare[1:-1]:
        return bare[1:-1].strip()
    bare = _bare(bare)
    return bare[:1].upper() + bare[1:] if bare.split(" ", 1)[0].islower() else bare


def _bare(text: str) -> str:
    return text.lstrip(_LEFT).rstrip(_RIGHT)
