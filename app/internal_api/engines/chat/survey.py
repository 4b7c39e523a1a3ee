"""A language model's answer to a survey question: asked once, corrected once, then given up.

A value is never guessed. What cannot be read is asked for once more, so that only the usual ways of writing are read.
"""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from app.internal_api.engines.chat.citations import cite, declines, without_marks
from app.internal_api.engines.chat.endpoint import Message
from app.internal_api.engines.chat.prompts import (
    MOST_SOURCES,
    attached,
    correction_messages,
    none_option,
    says_none,
    survey_messages,
)
from app.internal_api.engines.engine import (
    KNOWLEDGE_ONLY,
    NOTHING_CHOSEN,
    EngineUnavailable,
    Persona,
    SurveyAnswer,
    SurveyQuestion,
    abstention,
)
from app.internal_api.engines.snippets import one_line
from app.internal_api.knowledge.documents import Passage

Complete = Callable[[Sequence[Message]], Awaitable[str]]
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
_NUMBER = re.compile(r"(?<![\w.,])[+-]?\d+(?:[.,]\d+)?")
_OF = re.compile(r"(?<=\d)\s*(?:/|out of|of|von|aus|sur|sobre|de)\s*(\d+)\b", re.IGNORECASE)
_MINUS = re.compile(r"\u2212(?=\d)|(?<![\w\s])[\u2013\u2014](?=\d)|\A[\u2013\u2014](?=\d)")
_BULLET = re.compile(r"\A\s*[-\u2013\u2014]\s+")
_AROUND_NUMBER = " \t\r\n*_`\"'.,;:!|()[]<>"
_LIKE_JSON = re.compile(r"""\ufeff?\s*(?:(?:```|~~~)\w*\s*)?(?:\{\s*(?:["'}]|\w{1,40}\s*:|\Z)|\[\s*["{])""")


@dataclass(frozen=True, slots=True)
class Reply:
    """The value, as it counts and as it was written, and the reason with its citation marks; empty where unread."""

    value: str = ""
    raw: str = ""
    reason: str = ""


async def ask_survey(
    complete: Complete, engine: str, persona: Persona, question: SurveyQuestion, passages: Sequence[Passage]
) -> SurveyAnswer:
    """Put the question to the model. Raises EngineUnavailable."""
    closed = persona.source_policy == KNOWLEDGE_ONLY
    known = passages[:MOST_SOURCES]
    sources = [*known, *attached(question)]
    if closed and not sources:
        raise abstention()
    messages = survey_messages(persona, question, passages)
    reply = await _countable(complete, messages, question, may_decline=closed)
    content, used = cite(reply.reason, len(sources))
    if closed and not used:
        raise abstention()  # it cites nothing, so it rests on nothing
    cited = tuple(known[number] for number in used if number < len(known))
    return SurveyAnswer(
        value=reply.value,
        raw_value=reply.raw,
        message=without_marks(content),
        citations=cited,
        origin="mind_knowledge" if cited else "request_evidence" if used else "mind_personality",
        engine=engine,
        chunks_found=len(passages),
    )


async def _countable(
    complete: Complete, messages: Sequence[Message], question: SurveyQuestion, *, may_decline: bool
) -> Reply:
    """The first reply, or what it and its correction come to: the later value, with a reason where either has one."""
    wrote, is_open = await complete(messages), question.type == "qualitative"
    if may_decline and declines(wrote):
        raise abstention()
    first = read_reply(wrote, question)
    if without_marks(first.reason) and (first.value or is_open):
        return first
    try:
        second = read_reply(await complete(correction_messages(messages, wrote, question)), question)
    except EngineUnavailable:
        if not first.value:
            raise
        return first  # it can be counted, which is more than nothing
    read = [second, first] if second.value or is_open else [first]
    counted = next((reply for reply in read if reply.value), Reply())
    reason = next((reply.reason for reply in read if without_marks(reply.reason)), "")
    if not (counted.value or (reason and is_open)):
        raise EngineUnavailable("The language model's answer cannot be counted.", retryable=False, kind="unreadable")
    return replace(counted, reason=reason)


def read_reply(text: str, question: SurveyQuestion) -> Reply:
    """What the model answered: the value is empty where the question's type cannot count it.

    Without a marker the last line stands for the value; an open answer is all reason then. JSON is never taken for
    words: nothing of it is read.
    """
    if _LIKE_JSON.match(text):
        return Reply()
    is_open = question.type == "qualitative"
    whole = _FENCE.sub("", text)
    lined = _INLINE.sub("\n", _BLANK.sub("\n\n", whole))
    markers = list((_THEME if is_open else _ANSWER).finditer(lined))
    if markers:
        raw, _, after = lined[markers[-1].end() :].partition("\n\n")
        reason = lined[: markers[-1].start()].strip() or after.strip()
    elif is_open:
        reason, raw = lined, ""
    else:
        reason, _, raw = lined.strip().rpartition("\n")
    raw = _THEME.split(raw)[0].strip()
    value = _value(raw, question, alone=not markers)
    if not (value or markers or is_open):
        reason = whole
    reason = _ANSWER.sub("", reason) if is_open else _THEME.split(_ANSWER.split(reason)[0])[0]
    return Reply(value, one_line(raw)[:_LONGEST_RAW], _REASON.sub("", reason.strip()).strip())


def _value(raw: str, question: SurveyQuestion, *, alone: bool) -> str:
    match question.type:
        case "scale":
            return _point(raw, question.scale or (0, 0), alone=alone)
        case "categorical":
            return _option(raw, question.options)
        case "multiselect":
            return _chosen(raw, question)
        case _:
            return _labels(raw)


def _point(raw: str, scale: tuple[int, int], *, alone: bool) -> str:
    """The only number in `raw`, where it is whole and on the scale; with `alone`, nothing may stand beside it.

    "7/10" and a mention of the whole scale hold no second number.
    """
    low, high = scale
    ends = rf"(?<![\w.,/-]){low}\s*(?:-|\u2013|to|bis|à|a)\s*{high}(?![\w/-]|[.,]\d)"
    text = re.sub(ends, " ", _MINUS.sub("-", _BULLET.sub("", raw.strip("*_` "))), flags=re.IGNORECASE)
    bare = _OF.sub(" ", text)
    numbers = {float(found.replace(",", ".")) for found in _NUMBER.findall(bare)}
    beside = {int(found) for found in _OF.findall(text)} - {high}
    if len(numbers) != 1 or beside or (alone and not _NUMBER.fullmatch(bare.strip(_AROUND_NUMBER))):
        return ""
    number = numbers.pop()
    return str(int(number)) if number.is_integer() and low <= number <= high else ""


def _option(raw: str, options: Sequence[str]) -> str:
    """Exactly one option: itself, behind its number, or its number alone."""
    bare = _plain(raw)
    known = {_plain(option): option for option in options}
    index = _BARE_INDEX.match(bare)
    numbered = options[int(index[1]) - 1] if index and 1 <= int(index[1]) <= len(options) else ""
    return known.get(bare) or known.get(_plain(_NUMBERED.sub("", bare))) or numbered


def _chosen(raw: str, question: SurveyQuestion) -> str:
    """The options, apart by semicolons or line ends, else by commas as well; nothing else may stand between them."""
    if says_none(_plain(raw)):
        return none_option(question.options) or NOTHING_CHOSEN
    for separator in (r"[;\n]", r"[;,\n]"):
        pieces = [piece for piece in re.split(separator, raw) if piece.strip(_EDGES)]
        chosen = dict.fromkeys(_option(piece, question.options) for piece in pieces)
        if chosen and "" not in chosen and len(chosen) <= (question.most or len(chosen)):
            return SEPARATOR.join(chosen)
    return ""


def _labels(text: str) -> str:
    """Up to three short theme labels."""
    pieces = [_NUMBERED.sub("", one_line(piece).strip(_EDGES)) for piece in re.split(r"[;\n|]|,(?=\s)", text)]
    short = [piece for piece in pieces if 0 < len(piece) <= _LONGEST_LABEL and len(piece.split()) <= _MOST_WORDS]
    labels = {piece.casefold(): f"{piece[0].upper()}{piece[1:]}" for piece in reversed(short)}
    return SEPARATOR.join([label for key, label in reversed(labels.items()) if key not in _NO_LABEL][:MOST_THEMES])


def _plain(text: str) -> str:
    """Lower case, one kind of quotation marks and blanks, no emphasis."""
    return one_line(re.sub(r"[*_`\"“”„«»]", "", text.replace("\u2019", "'"))).casefold().strip(_EDGES)
