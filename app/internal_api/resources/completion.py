"""Talking to a mind: find what it knows about the question, let it answer, say what the answer stands on."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, Literal, Self
from uuid import uuid4

import structlog
from pydantic import Field, model_validator
from starlette.responses import Response

from app.internal_api.engines.engine import Answer, EngineUnavailable, Persona, Turn, persona_of
from app.internal_api.engines.extractive.questions import search_text
from app.internal_api.engines.snippets import LENGTH, claims
from app.internal_api.errors import AnswerUnavailable, ApiError, Conflict
from app.internal_api.http.access import reachable_mind
from app.internal_api.http.call import HEARTBEAT, PADDING, Call, event, event_stream, json_response
from app.internal_api.http.operation import CHAT, Operations
from app.internal_api.models.wire import PLAIN, PROSE, RequestModel, ResponseModel, Time, iso, trimmed
from app.internal_api.panels.output import source_of
from app.internal_api.panels.respondent import citation_of
from app.internal_api.store.jobs import latest_training
from app.internal_api.store.knowledge import sources_of

CITATION = re.compile(r"\s*\[\[CITE:\d+\]\]")
VERIFIER = "single-mind-answer-provenance-v1"

Language = Literal["en", "es", "fr", "de", "zh", "tr", "ar", "ja", "ko"]
Content = Annotated[str, trimmed(0, 100_000), PROSE]


class Part(RequestModel):
    """A part of a message; only text is understood here."""

    type: Literal["text"]
    text: Content


class Message(RequestModel):
    role: Literal["user", "assistant", "tool", "system"]
    content: Content | list[Part] = ""
    metadata: Annotated[dict[str, Any], Field(default_factory=dict)]

    @property
    def text(self) -> str:
        """What was said, whichever way it was written."""
        if isinstance(self.content, str):
            return self.content
        return "\n".join(part.text for part in self.content)


class ResponseFormat(RequestModel):
    type: str


class CompletionRequest(RequestModel):
    """The body of a completion; no messages means that the mind should greet."""

    messages: Annotated[tuple[Message, ...], Field(max_length=200)] = ()
    response_mode: Literal["sync", "stream"] = "sync"
    language: Language | None = None
    end_user_name: Annotated[str, trimmed(0, 120), PLAIN] | None = None
    source_policy: Literal["auto", "knowledge_only", "request_only"] | None = None
    citation_markers: Literal["inline", "none"] = "inline"
    response_format: Annotated[ResponseFormat | None, Field(alias="response_format")] = None
    tools: tuple[Any, ...] = ()

    @model_validator(mode="after")
    def _what_this_api_can_do(self) -> Self:
        if self.messages and (self.messages[-1].role != "user" or not self.messages[-1].text):
            message = "messages: the last message must be a user message with text"
        elif self.response_format and self.response_format.type != "text":
            message = "response_format: only text is supported here"
        elif self.tools:
            message = "tools: tool calls are not supported here"
        elif any(said.metadata.get("attachedFiles") for said in self.messages):
            message = "metadata.attachedFiles: add files as knowledge instead"
        else:
            return self
        raise ValueError(message)


class RagCitation(ResponseModel):
    """A passage that an answer rests on; `page` is an addition of this API."""

    id: str
    display_source: str
    raw_link: str | None = None
    title: str | None
    page: int | None = None
    snippet: str
    similarity: float
    source_type: Literal["mind_knowledge", "web", "link", "document"]


class KnowledgeRetrieval(ResponseModel):
    status: Literal["grounded", "fallback"]
    retrieval_attempted: bool
    chunks_found: int
    source_count: int
    sources: list[str]


class AnswerProvenance(ResponseModel):
    """What the answer stands on, and who checked that."""

    origin: str
    source_policy: str
    retrieval_attempted: bool
    retrieval_chunks_found: int
    evidence_source_types: list[str]
    fallback_status: str
    unsupported: bool
    recorded_at: Time
    verifier: str


class CompletionMetadata(ResponseModel):
    rag_citations: list[RagCitation]
    images: list[Any] = Field(default_factory=list)
    document_analysis: None = None
    source_policy: str
    knowledge_retrieval: KnowledgeRetrieval
    answer_provenance: AnswerProvenance
    engine: str


class Completion(ResponseModel):
    """`content` may hold `[[CITE:n]]`, where n counts from 0 into `metadata.ragCitations`."""

    message_id: str
    content: str
    metadata: CompletionMetadata


log = structlog.get_logger()
operations = Operations()


@operations("POST", "/minds/{mindId}/completion", CHAT, Completion, bodies=(CompletionRequest,), refusals=(409,))
async def complete_with_mind(call: Call) -> Response:
    """Talk to a mind."""
    mind_id = call.id("mindId")
    asked = await call.asked(CompletionRequest, optional=True)
    async with call.services.read() as connection:
        mind = await reachable_mind(call, connection)
        if not mind.ready:
            training = await latest_training(connection, mind.id)
            data = {"code": "SPARK_NOT_READY", "mindId": mind_id, "trainingStatus": training.status}
            raise Conflict("This mind is not ready to chat yet", data)
    persona = persona_of(mind)
    if asked.source_policy is not None:
        # `request_only` acts as `auto` here, as the contract says.
        policy = "knowledge_only" if asked.source_policy == "knowledge_only" else "auto"
        persona = replace(persona, source_policy=policy)
    if asked.response_mode == "sync":
        return json_response(await answer(call, persona, asked))
    seconds = call.services.settings.stream_heartbeat_seconds
    return event_stream(answer_events(partial(answer, call, persona, asked), call.services.clock(), seconds))


async def answer(call: Call, persona: Persona, asked: CompletionRequest) -> Completion:
    """What the persona says to the last message; no messages make it greet. Raises AnswerUnavailable."""
    services = call.services
    turns = [Turn(message.role, message.text) for message in asked.messages]
    passages = []
    if turns:
        limit = services.settings.passages_per_answer
        passages = await services.reading.search.search(persona.id, search_text(turns, persona.name), limit=limit)
    try:
        said = await services.persona_engine.answer(persona, turns, passages, language=asked.language)
    except EngineUnavailable as error:
        # Kind and status only: what the endpoint wrote may hold anything.
        log.warning("persona_engine.unavailable", mind=persona.id, kind=error.kind, status=error.status)
        raise AnswerUnavailable(
            retryable=error.retryable, retry_after=error.retry_after, reason=error.code, host=error.host
        ) from error
    async with services.read() as connection:
        sources = await sources_of(connection, [passage.item_id for passage in said.citations])
    content = said.content if asked.citation_markers == "inline" else CITATION.sub("", said.content)
    asked_for = turns[-1].content if turns else ""
    metadata = completion_metadata(said, sources, persona.source_policy, services.clock(), asked_for)
    return Completion(message_id=f"msg_{uuid4().hex}", content=content, metadata=metadata)


async def answer_events(
    answering: Callable[[], Coroutine[Any, Any, Completion]], now: int, heartbeat_seconds: float
) -> AsyncIterator[bytes]:
    """Start, heartbeats meanwhile, one result or error, done. When the client goes away, the answer is given up."""
    task = asyncio.create_task(answering())
    try:
        yield PADDING
        yield event({"type": "start", "timestamp": iso(now)}, "start")
        while not task.done():
            await asyncio.wait({task}, timeout=heartbeat_seconds)
            if not task.done():
                yield HEARTBEAT
        failure = task.exception()
        if failure is None:
            yield event(task.result(), "result")
        else:
            # The answer has begun, so a fault can only be reported inside it; nothing internal is shown.
            if not isinstance(failure, ApiError):
                log.error("internal_api.stream_failed", exc_info=failure)
                failure = ApiError()
            yield event({"type": "error", "status": failure.status, "message": failure.message}, "error")
        yield event({"type": "done"}, "done")
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await task


def completion_metadata(
    said: Answer, sources: Mapping[str, str], source_policy: str, now: int, question: str = ""
) -> CompletionMetadata:
    """`sources` says, for each cited item, what is shown of it. Of which part of a long quotation tells `question`."""
    claimed = {number: text if len(text) <= LENGTH else question for number, text in claims(said.content).items()}
    citations = []
    for number, passage in enumerate(said.citations):
        cited = citation_of(passage, sources.get(passage.item_id), claimed.get(number, ""))
        citations.append(RagCitation.model_validate(source_of(cited)))
    shown = list(dict.fromkeys(citation.display_source for citation in citations))
    return CompletionMetadata(
        rag_citations=citations,
        source_policy=source_policy,
        knowledge_retrieval=KnowledgeRetrieval(
            status=said.fallback_status,
            retrieval_attempted=said.retrieval_attempted,
            chunks_found=said.chunks_found,
            source_count=len(shown),
            sources=shown,
        ),
        answer_provenance=AnswerProvenance(
            origin=said.origin,
            source_policy=source_policy,
            retrieval_attempted=said.retrieval_attempted,
            retrieval_chunks_found=said.chunks_found,
            evidence_source_types=["mind_knowledge"] if citations else [],
            fallback_status=said.fallback_status,
            unsupported=said.unsupported,
            recorded_at=iso(now),
            verifier=VERIFIER,
        ),
        engine=said.engine,
    )
