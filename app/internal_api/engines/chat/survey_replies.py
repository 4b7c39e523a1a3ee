"""What a language model wrote on a survey question: its reason, and the value where it can be counted. Pure.

A value is never guessed. What cannot be read is asked for once more, so that only the usual ways of writing are read.
"""

import re
from dataclasses import dataclass

from app.internal_api.engines.chat.json_replies import json_parts
from app.internal_api.engines.engine import NOTHING_CHOSEN, SurveyQuestion
from app.internal_api.engines.snippets import one_line

SEPARATOR = "; "
MOST_THEMES = 3
_MOST_WORDS = 4  # of a label; three are asked for
_LONGEST_LABEL = 60
_LONGEST_RAW = 400
_NO_LABEL = frozenset({"none", "n/a"})  # "nothing" may be a theme

_EMPHASIS = r"[ \t*_`>#~-]*"  # no line ends: a run of these is looked through from each of its lines
_ANSWERS = r"(?:(?:final|my) )?(?:answer|antwort|respuesta|r[ée]ponse)"
_THEMES = r"(?:themes?|themen|thema|temas?|th[èe]mes?)"
_REASONS = r"(?:reason|reasoning|grund|begründung|razón|raison)"
_COLON = r"[ \t*_`]*[:\uff1a=][\s*_`]*"
_ANSWER = re.compile(rf"^{_EMPHASIS}{_ANSWERS}{_COLON}", re.IGNORECASE | re.MULTILINE)
_THEME = re.compile(rf"^{_EMPHASIS}{_THEMES}{_COLON}", re.IGNORECASE | re.MULTILINE)
_REASON = re.compile(rf"\A{_EMPHASIS}{_REASONS}{_COLON}", re.IGNORECASE)
_INLINE = re.compile(r"(?<=\S)[ \t]+(?=\**(?:ANSWER|THEMES)\**:)")  # on the line of the reason
_BLANK = re.compile(r"\n\s*\n")
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)\w*[ \t]*$\n?", re.MULTILINE)

_NUMBERED = re.compile(r"\A\(?(\d{1,2}|[a-z])[.):]\s*(?=\S)", re.IGNORECASE)
_BARE_INDEX = re.compile(r"\A\(?#?(\d{1,2})[.)]?\Z")
_EDGES = " \t\r\n*_`\"'“”„«»\u2018\u2019.,;:!|-•"
_JOINTS = re.compile(r"\A(?:[\s;,|•*\n-]|\d{1,2}[.)]\s|(?:and|und|y|e|et|&)\s)+", re.IGNORECASE)
_NONE = re.compile(
    r"(?:none|nothing|neither|no option)(?: of (?:these|them|those|the above|the options))?"
    r"|keine?s?(?: (?:davon|der optionen|von diesen))?|nichts(?: davon)?"
    r"|aucune?(?: (?:de ceux-ci|d'entre eux|des options))?|rien|ningun[oa]?(?: de (?:estos|ellos|las opciones))?|nada"
)
_NUMBER = re.compile(r"(?<![\w.,])[+-]?\d+(?:[.,]\d+)?")
_OF = re.compile(r"(?<=\d)\s*(?:/|out of|of|von|aus|sur|sobre|de)\s*(\d+)\b", re.IGNORECASE)
_MINUS = re.compile(r"\u2212(?=\d)|(?<![\w\s])[\u2013\u2014](?=\d)|\A[\u2013\u2014](?=\d)")
_BULLET = re.compile(r"\A\s*[-\u2013\u2014]\s+")
_AROUND_NUMBER = " \t\r\n*_`\"'.,;:!|()[]<>"


class Uncountable(ValueError):
    """There is no value in the text that the question's type can count."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The value, as it counts and as it was written, and the reason with its citation marks."""

    value: str
    raw: str
    reason: str


def read_reply(text: str, question: SurveyQuestion) -> Reply:
    """What the model answered; a reason, or the labels of an open answer, may be missing. Raises Uncountable."""
    reason, raw, marked = _parts(text, question)
    match question.type:
        case "scale":
            value = str(_point(raw, question.scale or (0, 0), alone=not marked))
        case "categorical":
            value = _option(raw, question.options)
        case "multiselect":
            value = SEPARATOR.join(_chosen(raw, question))
        case _:
            value = SEPARATOR.join(_labels(raw))
            if not (value or reason):
                raise Uncountable
    return Reply(value, one_line(raw)[:_LONGEST_RAW], reason)


def reason_in(text: str, question: SurveyQuestion) -> str:
    """What a model wrote besides the value, also where the value cannot be read."""
    reason, _, marked = _parts(text, question)
    return reason if marked else _REASON.sub("", _FENCE.sub("", text).strip()).strip()


def none_option(options: tuple[str, ...]) -> str | None:
    """The option that says itself that none of the others fits."""
    return next((option for option in options if _NONE.fullmatch(_plain(option))), None)


def _parts(text: str, question: SurveyQuestion) -> tuple[str, str, bool]:
    """The reason, the value, and whether something marks the value: a field of a JSON object, or a marker's line.

    Without a marker the last line stands for the value; an open answer is all reason then.
    """
    is_open = question.type == "qualitative"
    if (fields := json_parts(text, question.type)) is not None:
        return _REASON.sub("", fields[0]), fields[1], True
    lined = _INLINE.sub("\n", _BLANK.sub("\n\n", _FENCE.sub("", text)))
    markers = list((_THEME if is_open else _ANSWER).finditer(lined))
    if markers:
        value, _, after = lined[markers[-1].end() :].partition("\n\n")
        reason = lined[: markers[-1].start()].strip() or after.strip()
    elif is_open:
        reason, value = lined, ""
    else:
        reason, _, value = lined.strip().rpartition("\n")
    reason = _ANSWER.sub("", reason) if is_open else _THEME.split(_ANSWER.split(reason)[0])[0]
    value = _THEME.split(value)[0]
    return _REASON.sub("", reason.strip()).strip(), value.strip(), bool(markers)


def _point(raw: str, scale: tuple[int, int], *, alone: bool) -> int:
    """The only number in `raw`, where it is whole and on the scale; with `alone`, nothing may stand beside it.

    "7/10" and a mention of the whole scale hold no second number. Raises Uncountable.
    """
    low, high = scale
    ends = rf"(?<![\w.,/-]){low}\s*(?:-|\u2013|to|bis|à|a)\s*{high}(?![\w/-]|[.,]\d)"
    text = re.sub(ends, " ", _MINUS.sub("-", _BULLET.sub("", raw.strip("*_` "))), flags=re.IGNORECASE)
    bare = _OF.sub(" ", text)
    numbers = {float(found.replace(",", ".")) for found in _NUMBER.findall(bare)}
    if len(numbers) != 1 or {int(found) for found in _OF.findall(text)} - {high}:
        raise Uncountable
    number = numbers.pop()
    if not (number.is_integer() and low <= number <= high) or (
        alone and not _NUMBER.fullmatch(bare.strip(_AROUND_NUMBER))
    ):
        raise Uncountable
    return int(number)


def _option(raw: str, options: tuple[str, ...]) -> str:
    """Exactly one option: itself, behind its number, or its number alone. Raises Uncountable."""
    bare = _plain(raw)
    known = {_plain(option): option for option in options}
    for form in (bare, _plain(_NUMBERED.sub("", bare))):
        if form in known:
            return known[form]
    index = _BARE_INDEX.match(bare)
    if index and 1 <= int(index[1]) <= len(options):
        return options[int(index[1]) - 1]
    raise Uncountable


def _chosen(raw: str, question: SurveyQuestion) -> list[str]:
    """The options, however they are separated; anything else between them is not read. Raises Uncountable."""
    known = {_plain(option): option for option in question.options}
    if _plain(raw) not in known and _NONE.fullmatch(_plain(raw)):
        return [none_option(question.options) or NOTHING_CHOSEN]
    rest, chosen = _loose(raw), dict[str, None]()
    if len(rest) > _LONGEST_RAW + 2 * sum(map(len, question.options)):
        raise Uncountable  # longer than all of them in a list
    while rest := _JOINTS.sub("", rest).strip(_EDGES):
        begun = [each for each in known if rest.startswith(each) and not rest[len(each) : len(each) + 1].isalnum()]
        index = re.match(r"(\d{1,2})(?=[.);,\s]|\Z)", rest)
        if begun:
            longest = max(begun, key=len)
            chosen[known[longest]], rest = None, rest[len(longest) :]
        elif index and 1 <= int(index[1]) <= len(question.options):
            chosen[question.options[int(index[1]) - 1]], rest = None, rest[index.end() :]
        else:
            raise Uncountable
    if not chosen or (question.most is not None and len(chosen) > question.most):
        raise Uncountable
    return list(chosen)


def _labels(text: str) -> list[str]:
    """Up to three short theme labels."""
    pieces = [_NUMBERED.sub("", one_line(piece).strip(_EDGES)) for piece in re.split(r"[;\n|]|,(?=\s)", text)]
    short = [piece for piece in pieces if 0 < len(piece) <= _LONGEST_LABEL and len(piece.split()) <= _MOST_WORDS]
    labels = {piece.casefold(): f"{piece[0].upper()}{piece[1:]}" for piece in reversed(short)}
    return [label for key, label in reversed(labels.items()) if key not in _NO_LABEL][:MOST_THEMES]


def _plain(text: str) -> str:
    return _loose(text).strip(_EDGES)


def _loose(text: str) -> str:
    """Lower case, one kind of quotation marks and blanks, no emphasis."""
    return one_line(re.sub(r"[*_`\"“”„«»]", "", text.replace("\u2019", "'").replace("\n", "; "))).casefold()
