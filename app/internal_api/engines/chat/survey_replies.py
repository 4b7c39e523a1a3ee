"""The value in what a model wrote on a survey question: read kindly, but never bent to fit."""

import re
from dataclasses import dataclass

from app.internal_api.engines.chat.survey_fields import object_parts, point
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


def _marker(words: str) -> re.Pattern[str]:
    """A line that begins with one of the words; what stands behind the colon is its group."""
    return re.compile(rf"^{_EMPHASIS}{words}[ \t*_`]*[:\uff1a=][\s*_`]*(.*)$", re.IGNORECASE | re.MULTILINE)


_ANSWER, _THEME = _marker(_ANSWERS), _marker(_THEMES)
_INLINE = re.compile(r"(?<=\S)[ \t]+(?=\**(?:ANSWER|THEMES)\**:)")  # on the line of the reason
_BLANK = re.compile(r"\n\s*\n")
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)\w*[ \t]*$\n?", re.MULTILINE)
_LISTED = re.compile(r"(?:\n[ \t]*(?:[-*•]|\d{1,2}[.)])[ \t]+[^\n]*)+")  # one option a line
_LINE = re.compile(r"\n[^\n]+")
_REMARK = re.compile(r"\s*(?:[.,;:!(]|[-\u2013\u2014]\s)")
_JOINT = re.compile(r"[.,;:!(/|&]|\s[-\u2013\u2014]\s|\b(?:and|or|und|oder|y|e|et|ou)\b")
_MORE = re.compile(r"\A(?:\s|[-*•(]|\d{1,2}[.)]\s|(?:and|or|also|then|maybe|perhaps|und|oder|auch|et|ou|aussi)\s)+")
_REASON = re.compile(
    rf"\A{_EMPHASIS}(?:reason|reasoning|grund|begründung|razón|raison)[\s*_`]*:[\s*_`]*", re.IGNORECASE
)
_NUMBERED = re.compile(r"\A\(?(\d{1,2}|[a-z])[.):]\s*(?=\S)", re.IGNORECASE)
_BARE_INDEX = re.compile(r"\A\(?#?(\d{1,2})[.)]?\Z")
_EDGES = " \t\r\n*_`\"'“”„«»\u2018\u2019.,;:!|-•"
_JOINTS = re.compile(r"\A(?:[\s;,|•*\n-]|\d{1,2}[.)]\s|(?:and|und|y|e|et|&)\s)+", re.IGNORECASE)
_NONE = re.compile(
    r"(?:none|nothing|neither|no option)(?: of (?:these|them|those|the above|the options))?"
    r"|keine?s?(?: (?:davon|der optionen|von diesen))?|nichts(?: davon)?"
    r"|aucune?(?: (?:de ceux-ci|d'entre eux|des options))?|rien|ningun[oa]?(?: de (?:estos|ellos|las opciones))?|nada"
)


class Uncountable(ValueError):
    """There is no value in the text that the question's type can count."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The value, as it counts and as it was written, and the reason with its citation marks."""

    value: str
    raw: str
    reason: str


def read_reply(text: str, question: SurveyQuestion) -> Reply:
    """What the model answered; a reason, or the labels of its own words, may be missing. Raises Uncountable."""
    reason, raw, marked = _parted(text, question)
    match question.type:
        case "scale":
            value = _point(raw, question.scale or (0, 0), marked=marked)
        case "categorical":
            value = _option(raw, question.options)
        case "multiselect":
            value = SEPARATOR.join(_chosen(raw, question))
        case _:
            value = SEPARATOR.join(labels_in(raw) if marked else ())
            if not (value or reason):
                raise Uncountable
    return Reply(value, one_line(raw)[:_LONGEST_RAW], reason)


def reason_in(text: str, question: SurveyQuestion) -> str:
    """What a model wrote besides the value, also where the value cannot be read."""
    reason, _, marked = _parted(text, question)
    return reason if marked else _REASON.sub("", _FENCE.sub("", text).strip()).strip()


def labels_in(text: str) -> list[str]:
    """Up to three short theme labels."""
    pieces = [one_line(piece).strip(_EDGES) for piece in re.split(r"[;\n|]|,(?=\s)", text)]
    pieces = [_NUMBERED.sub("", piece) for piece in pieces]
    short = [piece for piece in pieces if 0 < len(piece) <= _LONGEST_LABEL and len(piece.split()) <= _MOST_WORDS]
    short = [piece for piece in short if piece.casefold() not in _NO_LABEL]
    labels = {piece.casefold(): f"{piece[0].upper()}{piece[1:]}" for piece in reversed(short)}
    return list(reversed(labels.values()))[:MOST_THEMES]


def _parted(text: str, question: SurveyQuestion) -> tuple[str, str, bool]:
    """The reason, the value, and whether something marks the value: a marker's line or a field of a JSON object."""
    parts = object_parts(text, question.type)
    return _parted_lines(text, question) if parts is None else (_clean(parts[0], question), parts[1], True)


def _parted_lines(text: str, question: SurveyQuestion) -> tuple[str, str, bool]:
    """The reason, and what stands behind the last marker, or behind those that end the text one below the other.

    Without a marker the last line stands for the value; words of one's own are all reason then.
    """
    lined = _INLINE.sub("\n", _BLANK.sub("\n\n", _FENCE.sub("", text)))
    own_words = question.type == "qualitative"
    found = _last_together(list((_THEME if own_words else _ANSWER).finditer(lined)), lined)
    if found:
        end = _end(lined, found[-1].end(), question)
        values = [*(match[1] for match in found[:-1]), lined[found[-1].start(1) : end]]
        before, value = lined[: found[0].start()], "\n".join(values)
        reason = before.strip() or lined[end:].strip()
    elif own_words:
        reason, value = lined, ""
    else:
        before, _, value = lined.strip().rpartition("\n")
        reason = before.strip()
    return _clean(reason, question), value.strip(), bool(found)


def _clean(reason: str, question: SurveyQuestion) -> str:
    """The reason without markers."""
    own_words = question.type == "qualitative"
    reason = _ANSWER.sub(r"\1", reason) if own_words else _THEME.sub("", _ANSWER.sub("", reason))
    return _REASON.sub("", reason.strip()).strip()


def _last_together(found: list[re.Match[str]], text: str) -> list[re.Match[str]]:
    """The last marker, with those before it that only blanks part from it."""
    first = len(found) - 1
    while first > 0 and not text[found[first - 1].end() : found[first].start()].strip():
        first -= 1
    return found[max(first, 0) :]


def _end(text: str, end: int, question: SurveyQuestion) -> int:
    """Where the value ends that a marker's line begins: behind a list, or behind lines that are options."""
    known = {_plain(option) for option in question.options}
    while True:
        if listed := _LISTED.match(text, end):
            end = listed.end()
        line = _LINE.match(text, end)
        if line is None or _plain(line[0]) not in known:
            return end
        end = line.end()


def _point(raw: str, scale: tuple[int, int], *, marked: bool) -> str:
    found = point(raw, scale, alone=not marked)  # a last line that is not marked may be any sentence
    if found is None:
        raise Uncountable
    return str(found)


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
        if begun is not None and _REMARK.match(form[len(begun) :]) and not _names_another(form, begun, known):
            return known[begun]
    raise Uncountable


def _names_another(text: str, begun: str, known: dict[str, str]) -> bool:
    """Whether a further option is named behind the one that the text begins with, and not only a word of a remark."""
    others = {option: known[option] for option in known if option != begun}
    for joint in _JOINT.finditer(text, len(begun)):
        rest = _MORE.sub("", text[joint.end() :])
        other = _begins(rest, others)
        after = "" if other is None else rest[len(other) :]
        if other is not None and (not after.strip(_EDGES + ")") or _JOINT.match(after.lstrip())):
            return True
    return False


def _chosen(raw: str, question: SurveyQuestion) -> list[str]:
    """The options, however they are separated; anything else between them makes the answer unreadable."""
    known = {_plain(option): option for option in question.options}
    if _plain(raw) not in known and _NONE.fullmatch(_plain(raw)):
        return [none_option(question.options) or NOTHING_CHOSEN]
    rest, chosen = _loose(raw), dict[str, None]()
    if len(rest) > _LONGEST_RAW + 2 * sum(map(len, question.options)):
        raise Uncountable  # longer than all of them in a list
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


def none_option(options: tuple[str, ...]) -> str | None:
    """The option that says itself that none of the others fits."""
    return next((option for option in options if _NONE.fullmatch(_plain(option))), None)


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
    return one_line(re.sub(r"[*_`\"“”„«»]", "", text.replace("\u2019", "'").replace("\n", "; "))).casefold()
