"""A language model's answer to a survey question: asked once, corrected once, then given up."""

from collections.abc import Awaitable, Callable, Sequence

from app.internal_api.engines.chat.citations import cite, declines, without_marks
from app.internal_api.engines.chat.endpoint import Message
from app.internal_api.engines.chat.prompts import (
    MOST_SOURCES,
    attached,
    correction_messages,
    survey_messages,
)
from app.internal_api.engines.chat.survey_replies import Reply, Uncountable, read_reply, reason_in
from app.internal_api.engines.engine import (
    KNOWLEDGE_ONLY,
    EngineUnavailable,
    Persona,
    SurveyAnswer,
    SurveyQuestion,
    abstention,
)
from app.internal_api.knowledge.documents import Passage

Complete = Callable[[Sequence[Message]], Awaitable[str]]


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
        sentiment=None,
        citations=cited,
        origin="mind_knowledge" if cited else "request_evidence" if used else "mind_personality",
        unsupported=False,
        engine=engine,
        chunks_found=len(passages),
    )


async def _countable(
    complete: Complete, messages: Sequence[Message], question: SurveyQuestion, *, may_decline: bool
) -> Reply:
    first = await complete(messages)
    if may_decline and declines(first):
        raise abstention()
    reply = _read(first, question)
    if reply is not None and without_marks(reply.reason):
        return reply
    try:
        second = await complete(correction_messages(messages, first, question))
    except EngineUnavailable:
        if reply is None or not reply.value:
            raise
        return reply  # it can be counted, which is more than nothing
    return _best(reply, first, _read(second, question), question)


def _best(first: Reply | None, wrote: str, second: Reply | None, question: SurveyQuestion) -> Reply:
    """The second answer before the first, with a reason where either has one."""
    reply = second or first
    before = first.reason if first else reason_in(wrote, question)  # a model often corrects the last line only
    reasons = [reply.reason if reply else "", before]
    reason = next((reason for reason in reasons if without_marks(reason)), "")
    if reply is None or not (reason or reply.value):
        raise EngineUnavailable("The language model's answer cannot be counted.", retryable=False, kind="unreadable")
    labelled = reply if reply.value or first is None else first  # labels first, and then the words alone
    return Reply(labelled.value, labelled.raw, reason)


def _read(text: str, question: SurveyQuestion) -> Reply | None:
    try:
        return read_reply(text, question)
    except Uncountable:
        return None
