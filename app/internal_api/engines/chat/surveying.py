"""A language model's answer to a survey question: asked once, corrected once, then given up."""

from collections.abc import Awaitable, Callable, Sequence

from app.internal_api.engines.chat.citations import cite, declines, without_marks
from app.internal_api.engines.chat.endpoint import Message
from app.internal_api.engines.chat.material import MOST_SOURCES
from app.internal_api.engines.chat.survey_prompts import attached, correction_messages, survey_messages
from app.internal_api.engines.chat.verdicts import Uncountable, Verdict, read_verdict, reason_in
from app.internal_api.engines.engine import EngineUnavailable, Persona, SurveyAnswer, SurveyQuestion
from app.internal_api.engines.sentiment import sentiment_of
from app.internal_api.knowledge.documents import Passage

Complete = Callable[[Sequence[Message]], Awaitable[str]]
_KNOWLEDGE_ONLY = "knowledge_only"


async def ask_survey(
    complete: Complete, engine: str, persona: Persona, question: SurveyQuestion, passages: Sequence[Passage]
) -> SurveyAnswer:
    """Put the question to the model. Raises EngineUnavailable."""
    closed = persona.source_policy == _KNOWLEDGE_ONLY
    known = passages[:MOST_SOURCES]
    sources = [*known, *attached(question)]
    if closed and not sources:
        raise nothing_known()
    messages = survey_messages(persona, question, passages)
    verdict = await _countable(complete, messages, question, may_decline=closed)
    content, used = cite(verdict.reason, len(sources))
    if closed and not used:
        raise nothing_known()  # it cites nothing, so it rests on nothing
    cited = tuple(known[number] for number in used if number < len(known))
    message = without_marks(content)
    return SurveyAnswer(
        value=verdict.value,
        raw_value=verdict.raw,
        message=message,
        sentiment=sentiment_of(message),
        citations=cited,
        origin="mind_knowledge" if cited else "request_evidence" if used else "mind_personality",
        unsupported=False,
        engine=engine,
        chunks_found=len(passages),
    )


def nothing_known() -> EngineUnavailable:
    """The failure of a persona that may speak of its knowledge only, and has none on the subject."""
    return EngineUnavailable("The persona's knowledge does not cover this.", retryable=False, kind="unsupported")


async def _countable(
    complete: Complete, messages: Sequence[Message], question: SurveyQuestion, *, may_decline: bool
) -> Verdict:
    first = await complete(messages)
    if may_decline and declines(first):
        raise nothing_known()
    verdict = _read(first, question)
    if verdict is not None and without_marks(verdict.reason):
        return verdict
    try:
        second = await complete(correction_messages(messages, first, question))
    except EngineUnavailable:
        if verdict is None or not verdict.value:
            raise
        return verdict  # it can be counted, which is more than nothing
    return _best(verdict, first, _read(second, question), question)


def _best(first: Verdict | None, wrote: str, second: Verdict | None, question: SurveyQuestion) -> Verdict:
    """The second answer before the first, with a reason where either has one."""
    verdict = second or first
    before = first.reason if first else reason_in(wrote, question)  # a model often corrects the last line only
    reasons = [verdict.reason if verdict else "", before]
    reason = next((reason for reason in reasons if without_marks(reason)), "")
    if verdict is None or not (reason or verdict.value):
        raise EngineUnavailable("The language model's answer cannot be counted.", retryable=False, kind="unreadable")
    labelled = verdict if verdict.value or first is None else first  # labels first, and then the words alone
    return Verdict(labelled.value, labelled.raw, reason)


def _read(text: str, question: SurveyQuestion) -> Verdict | None:
    try:
        return read_verdict(text, question)
    except Uncountable:
        return None
