"""What a reply counts as: the number or the options that it gives, read strictly, or why it has none. Pure."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from mcp_server.toolsets.panels._aggregation.options import Options, distinct, listed, names_none
from mcp_server.toolsets.panels._aggregation.texts import WORDS
from mcp_server.toolsets.panels._study import AskedQuestion, Reply

# Digits after letters belong to a name (Q3), and so do digits before them (3D); long ones are no ratings.
NUMBER = r"(?<![A-Za-z\d.,_])[-\u2212]?\d{1,15}(?:,\d{3})*(?:[.,]\d{1,9})?(?![A-Za-z\d]|[.,]\d)"
NUMBERS = re.compile(NUMBER)
THOUSANDS = re.compile(r",(?=\d{3}(?:\D|$))")
RATIO = re.compile(
    rf"({NUMBER})\s*\(?\s*(?:/|out of|of|von|sur|de|su)\s*(?<!\d)(\d{{1,15}})(?![\d.,]*\d)", re.IGNORECASE
)
RANGE = re.compile(
    rf"({NUMBER})\s*(?:-|\u2013|to|bis|\u00e0|a|and|und|et|y)\s*(\d{{1,15}})(?![\d.,]*\d)", re.IGNORECASE
)
EMPHASIS = re.compile(r"[*_`~]+")
VAGUE = frozenset("<>\u2264\u2265")
COMPARED = re.compile(
    r"\b(?:(?:more|less|fewer|greater|higher|lower|better|worse|other|rather) than|over|above|under|below|not|never"
    r"|at least|at most|up to|mehr als|weniger als|\u00fcber|unter|mindestens|h\u00f6chstens|nicht"
    r"|plus de|moins de|au moins|m[\u00e1a]s de|menos de|al menos)\s+(?:an? |eine |une? )?[-\u2212]?\d"
    r"|\d\s*\+|\d or (?:more|higher|above|less|lower|below)\b|\d and a half\b",
    re.IGNORECASE,
)
"""A bound, or what is left out, is no rating."""

DASH = "[-\u2010-\u2015\u2212\ufe58\ufe63\uff0d]"
MINUS = re.compile(rf"(?:(?<![\w.,]){DASH}|\b(?:minus|negativ|negative|moins|menos)\s+)(?=\d)", re.IGNORECASE)
EITHER = re.compile(rf"(?<!\d){DASH}\s+\d|(?<=[^\W\d_]){DASH}\d")
"""A bullet, a hyphen or a minus: where numbers below zero are on the scale, it may be any of them."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A number, or options (none of them is an answer, too), or nothing that counts.

    `others` is what was named but never offered.
    """

    usable: bool
    number: float | None = None
    choices: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


def options_of(asked: AskedQuestion, replies: Iterable[Reply]) -> Options:
    """The options of the question; where they are not known, what the replies gave."""
    if asked.type in {"scale", "qualitative"}:
        return Options(())
    offered = Options(asked.options)
    if offered.labels:
        return offered
    values = [reply.value for reply in replies if reply.status == "answered" and reply.value]
    if asked.type == "multiselect":
        values = [part for value in values if not names_none(value) for part in listed(value)]
    return Options(sorted(distinct(values).values(), key=str.casefold))


def read(asked: AskedQuestion, options: Options, reply: Reply) -> Reading:
    """What the reply counts as, by the question's type."""
    value = reply.value or ""
    if asked.type == "qualitative":
        return Reading(usable=bool(reply.message.strip() or value.strip()))
    if asked.type == "scale":
        given = number(value, ends(asked.scale))
        return Reading(usable=given is not None, number=given)
    if asked.type == "categorical":
        chosen = options.one(value)
        return Reading(usable=chosen is not None, choices=() if chosen is None else (chosen,))
    found, others = options.several(value)
    if not found and names_none(value):
        return Reading(usable=True)
    return Reading(usable=bool(found), choices=found, others=others)


def ends(scale: tuple[int, int] | None) -> tuple[int, int] | None:
    """Lowest and highest point, also of a scale whose ends came in the wrong order."""
    return (min(scale), max(scale)) if scale else None


def number(text: str, scale: tuple[int, int] | None) -> float | None:
    """The one number in `text`, if there is one and it is on the scale.

    "8", "8.0", "7,5", "8/10", "8 out of 10", "**8** - very likely". Never taken: "7-8" (two), "8/10" on a scale to
    5, "11" on a scale to 10, "more than 8", "7\u00bd", "- 3" on a scale from -5. Without a scale any single number is
    taken.
    """
    text = MINUS.sub("-", EMPHASIS.sub(" ", text))
    if scale is not None:  # its own mention is no answer, as in "8 on a scale of 1 to 10"
        text = RANGE.sub(lambda found: " " if (_value(found[1]), float(found[2])) == scale else found[0], text)
    if _vague(text, scale):
        return None
    ratios = {(_value(part), float(whole)) for part, whole in RATIO.findall(text)}
    if scale is not None and any(whole != scale[1] for _, whole in ratios):
        return None
    found = {part for part, _ in ratios} or {_value(one) for one in NUMBERS.findall(text)}
    value = found.pop() if len(found) == 1 else None
    return value if value is None or scale is None or scale[0] <= value <= scale[1] else None


def _vague(text: str, scale: tuple[int, int] | None) -> bool:
    percent = "%" in text and (scale is None or scale[1] != 100)  # noqa: PLR2004 - per cent
    either = scale is not None and scale[0] < 0 and EITHER.search(text) is not None
    signs = not VAGUE.isdisjoint(text) or any(unicodedata.category(sign) == "No" for sign in text)
    return percent or either or signs or COMPARED.search(text) is not None


def _value(digits: str) -> float:
    return float(THOUSANDS.sub("", digits).replace(",", ".").replace("\u2212", "-")) + 0.0  # no zero below zero


def written(value: float) -> str:
    """A point of a scale as people write it: `8`, `7.5`."""
    return f"{value:.9f}".rstrip("0").rstrip(".")


def why(reply: Reply) -> str:
    """Of a reply that failed or was too slow; a word that is not known here is shown as it came."""
    word = "TIMEOUT" if reply.status == "timeout" else reply.error or ""
    reason: str = WORDS["reasons"].get(word.upper(), word or "error")
    return reason


def failure(reply: Reply) -> str:
    """Why this reply has no answer; nothing where it has one, or may still get one."""
    return why(reply) if reply.status in {"failed", "timeout"} else ""
