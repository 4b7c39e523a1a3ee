"""A language model's answer to a survey question: asked once, corrected once, then given up; never guessed."""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from pydantic import BaseModel, StrictFloat, StrictInt

from app.internal_api.engines.chat.citations import cite, declines, find_object, without_marks
from app.internal_api.engines.chat.endpoint import Message
from app.internal_api.engines.chat.prompts import MOST_SOURCES, attached, correction_messages, survey_messages
from app.internal_api.engines.engine import (
    KNOWLEDGE_ONLY,
    NOTHING_CHOSEN,
    SEPARATOR,
    EngineUnavailable,
    Persona,
    SurveyAnswer,
    SurveyQuestion,
    abstention,
)
from app.internal_api.engines.snippets import one_line
from app.internal_api.knowledge.documents import Passage

Complete = Callable[[Sequence[Message]], Awaitable[str]]
MOST_THEMES = 3
_MOST_WORDS = 4  # of a label; three are asked for
_LONGEST_LABEL = 60
_LONGEST_RAW = 400
_POINT = re.compile(r"([+-]?\d{1,9})(?:\.0)?")
_EDGES = " *_`\"'“”„«»\u2018\u2019.,;:!-•"


class _Written(BaseModel):
    """The object that the model was asked for; what it lacks counts as empty."""

    reason: str = ""
    answer: StrictInt | StrictFloat | str | list[str | StrictInt] | None = None


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
    first = read_reply(wrote, question)
    if may_decline and (declines(wrote) or declines(first.reason)):
        raise abstention()
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

    Words without an object are the whole answer to an open question, and none to any other.
    """
    written = find_object(text, _Written)
    if written is None:
        return Reply(reason="" if "{" in text or question.type != "qualitative" else text.strip())
    answer = written.answer
    pieces = [] if answer is None else answer if isinstance(answer, list) else [answer]
    said = [one_line(str(piece)) for piece in pieces]
    value = _value(said, question) if answer is not None else ""
    return Reply(value, SEPARATOR.join(said)[:_LONGEST_RAW], written.reason.strip())


def _value(said: Sequence[str], question: SurveyQuestion) -> str:
    match question.type:
        case "scale":
            low, high = question.scale or (0, 0)
            point = _POINT.fullmatch(said[0]) if len(said) == 1 else None
            return str(int(point[1])) if point and low <= int(point[1]) <= high else ""
        case "qualitative":
            named = [label for each in said if (label := each.strip(_EDGES)) and label.casefold() != "none"]
            short = [each for each in named if len(each) <= _LONGEST_LABEL and len(each.split()) <= _MOST_WORDS]
            labels = {each.casefold(): f"{each[0].upper()}{each[1:]}" for each in short}
            return SEPARATOR.join(list(labels.values())[:MOST_THEMES])
    known = {option.strip(_EDGES).casefold(): option for option in question.options}
    chosen = list(dict.fromkeys(known.get(each.strip(_EDGES).casefold(), "") for each in said))
    if question.type == "multiselect":
        if not said or ("none" not in known and [each.casefold() for each in said] == ["none"]):
            return NOTHING_CHOSEN
        return SEPARATOR.join(chosen) if "" not in chosen and len(chosen) <= (question.most or len(chosen)) else ""
    return chosen[0] if len(chosen) == 1 else ""
