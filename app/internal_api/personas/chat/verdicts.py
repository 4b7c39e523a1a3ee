"""The value in what a model wrote on a survey question: read kindly, but never bent to fit."""

import re
from dataclasses import dataclass

from app.internal_api.personas.offline.terms import fold
from app.internal_api.personas.words import SurveyQuestion

SEPARATOR = "; "
MOST_THEMES = 3
_MOST_WORDS = 4  # of a label; three are asked for
_LONGEST_LABEL = 60
_LONGEST_RAW = 400
_EMPHASIS = r"[\s*_`>#~-]*"
_MARKER = re.compile(
    rf"^{_EMPHASIS}(?:(?:final|my) )?(?:answer|antwort|respuesta|r[ée]ponse|themes?|themen|thema|temas?|th[èe]mes?)"
    r"[\s*_`]*[:\uff1a=][\s*_`]*(.*)$",
    re.IGNORECASE | re.MULTILINE,
)
_INLINE = re.compile(r"(?<=\S)[ \t]+(?=\**(?:ANSWER|THEMES)\**:)")  # on the line of the reason
_LISTED = re.compile(r"(?:\n[ \t]*(?:[-*•]|\d{1,2}[.)])[ \t]+[^\n]*)+")  # one option a line
_REMARK = re.compile(r"\s*(?:[.,;:!(]|[-\u2013\u2014]\s)")
_REASON = re.compile(
    rf"\A{_EMPHASIS}(?:reason|reasoning|grund|begründung|razón|raison)[\s*_`]*:[\s*_`]*", re.IGNORECASE
)
_NUMBER = re.compile(r"(?<![\w.,])[+-]?\d+(?:[.,]\d+)?")
_OF = re.compile(r"(?<=\d)\s*(?:/|out of|of|von|aus|sur|sobre|de)\s*(\d+)\b", re.IGNORECASE)
_NUMBERED = re.compile(r"\A\(?(\d{1,2}|[a-z])[.):]\s*(?=\S)", re.IGNORECASE)
_BARE_INDEX = re.compile(r"\A\(?#?(\d{1,2})[.)]?\Z")
_EDGES = " \t\r\n*_`\"'“”„«»\u2018\u2019.,;:!|-•"
_JOINTS = re.compile(r"\A(?:[\s;,|•*\n-]|\d{1,2}[.)]\s|(?:and|und|y|e|et|&)\s)+", re.IGNORECASE)


class Uncountable(ValueError):
    """There is no value in the text that the question's type can count."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The value, as it counts and as it was written, and the reason with its citation marks."""

    value: str
    raw: str
    reason: str


def read_verdict(text: str, question: SurveyQuestion) -> Verdict:
    """What the model answered; its reason may be missing. Raises Uncountable."""
    reason, raw, marked = _parted(text)
    match question.type:
        case "scale":
            value = _point(raw, question.scale or (0, 0))
        case "categorical":
            value = _option(raw, question.options)
        case "multiselect":
            value = SEPARATOR.join(_chosen(raw, question))
        case _ if marked:
            value = SEPARATOR.join(labels_in(raw))
        case _:
            raise Uncountable
    return Verdict(value, fold(raw)[:_LONGEST_RAW], reason)


def reason_in(text: str) -> str:
    """What a model wrote besides the value, also where the value cannot be read."""
    reason, _, marked = _parted(text)
    return reason if marked else _REASON.sub("", text).strip()


def labels_in(text: str) -> list[str]:
    """One to three short theme labels. Raises Uncountable."""
    pieces = [fold(piece).strip(_EDGES) for piece in re.split(r"[;\n|]|,(?=\s)", text)]
    pieces = [_NUMBERED.sub("", piece) for piece in pieces]
    short = [piece for piece in pieces if piece and len(piece) <= _LONGEST_LABEL and len(piece.split()) <= _MOST_WORDS]
    labels = {piece.casefold(): f"{piece[0].upper()}{piece[1:]}" for piece in reversed(short)}
    if not labels:
        raise Uncountable
    return list(reversed(labels.values()))[:MOST_THEMES]


def _parted(text: str) -> tuple[str, str, bool]:
    """The reason, and what stands behind the last marker; without a marker, the last line stands for the value."""
    lined = _INLINE.sub("\n", text)
    found = list(_MARKER.finditer(lined))
    if found:
        listed = _LISTED.match(lined, found[-1].end())
        end = listed.end() if listed else found[-1].end()
        before, value = lined[: found[-1].start()], lined[found[-1].start(1) : end]
        reason = before.strip() or lined[end:].strip()
    else:
        before, _, value = lined.strip().rpartition("\n")
        reason = before.strip()
    return _REASON.sub("", reason).strip(), value.strip(), bool(found)


def _point(raw: str, scale: tuple[int, int]) -> str:
    low, high = scale
    denominators = {int(found) for found in _OF.findall(raw)}
    numbers = {float(found.replace(",", ".")) for found in _NUMBER.findall(_OF.sub(" ", _unbulleted(raw)))}
    if len(numbers) != 1 or denominators - {high}:
        raise Uncountable
    number = numbers.pop()
    if not number.is_integer() or not low <= number <= high:
        raise Uncountable
    return str(int(number))


def _unbulleted(raw: str) -> str:
    """Without a dash that is a bullet: "- 7" is seven, "-3" is below zero."""
    return re.sub(r"\A\s*[-\u2013]\s+", "", raw.strip("*_` "))


def _option(raw: str, options: tuple[str, ...]) -> str:
    """Exactly one option: itself, behind its number, its number alone, or before a remark."""
    bare = _plain(raw)
    known = {_plain(option): option for option in options}
    for form in (bare, _plain(_NUMBERED.sub("", bare))):
        if form in known:
            return known[form]
    index = _BARE_INDEX.match(bare)
    if index and 1 <= int(index[1]) <= len(options):
        return options[int(index[1]) - 1]
    for form in (_NUMBERED.sub("", bare), bare):
        begun = _begins(form, known)
        if begun is not None and _REMARK.match(form[len(begun) :]):
            return known[begun]
    raise Uncountable


def _chosen(raw: str, question: SurveyQuestion) -> list[str]:
    """The options, however they are separated; anything else between them makes the answer unreadable."""
    known = {_plain(option): option for option in question.options}
    rest, chosen = _loose(raw), dict[str, None]()
    while rest := _JOINTS.sub("", rest).strip(_EDGES):
        begun = _begins(rest, known)
        index = re.match(r"(\d{1,2})(?=[.);,\s]|\Z)", rest)
        if begun is not None:
            chosen[known[begun]], rest = None, rest[len(begun) :]
        elif index and 1 <= int(index[1]) <= len(question.options):
            chosen[question.options[int(index[1]) - 1]], rest = None, rest[index.end() :]
        else:
            raise Uncountable
    if not chosen or (question.most is not None and len(chosen) > question.most):
        raise Uncountable
    return list(chosen)


def _begins(text: str, known: dict[str, str]) -> str | None:
    """The longest option that the text begins with."""
    found = [
        option for option in known if text.startswith(option) and not text[len(option) : len(option) + 1].isalnum()
    ]
    return max(found, key=len, default=None)


def _plain(text: str) -> str:
    return _loose(text).strip(_EDGES)


def _loose(text: str) -> str:
    """Lower case, one kind of quotation marks and blanks, no emphasis."""
    return fold(re.sub(r"[*_`\"“”„«»]", "", text.replace("\u2019", "'").replace("\n", "; "))).casefold()
