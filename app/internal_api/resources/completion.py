"""Talking to a mind: find what it knows about the question, let it answer, say what the answer stands on."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any
from uuid import uuid4

import structlog
from starlette.responses import Response

from app.internal_api.engines.chat.sampled import SampledReplies
from app.internal_api.engines.engine import Answer, EngineUnavailable, Turn
from app.internal_api.engines.extractive.questions import read_question
from app.internal_api.engines.snippets import LENGTH, claims
from app.internal_api.errors import AnswerUnavailable, ApiError, Conflict
from app.internal_api.http.access import reachable_mind
from app.internal_api.http.call import HEARTBEAT, PADDING, Call, event, event_stream, json_response
from app.internal_api.http.operation import CHAT, operation
from app.internal_api.models import completion as models
from app.internal_api.models.asking import Prompt, Prompts
from app.internal_api.models.wire import iso
from app.internal_api.panels.output import source_of
from app.internal_api.panels.respondent import citation_of
from app.internal_api.store.knowledge import sources_of
from app.internal_api.store.minds import Mind, latest_training

CITATION = re.compile(r"\s*\[\[CITE:\d+\]\]")
VERIFIER = "single-mind-answer-provenance-v1"

log = structlog.get_logger()


@operation(
    "POST", "/minds/{mindId}/completion", CHAT, models.Completion, body=models.CompletionRequest, refusals=(409,)
)
async def complete_with_mind(call: Call) -> Response:
    """Talk to a mind."""
    asked = await call.asked(models.CompletionRequest, optional=True)
    persona = await persona_asked(call, asked)
    if asked.response_mode == "sync":
        return json_response(await answer(call, persona, asked))
    seconds = call.services.settings.stream_heartbeat_seconds
    return event_stream(answer_events(partial(answer, call, persona, asked), call.services.clock(), seconds))


@operation("POST", "/minds/{mindId}/prompts", CHAT, Prompts, body=models.CompletionRequest, refusals=(409,))
async def read_completion_prompts(call: Call) -> Response:
    """What a language model of the caller's may be asked for a completion; an addition of this API."""
    asked = await call.asked(models.CompletionRequest, optional=True)
    persona, replies = await persona_asked(call, asked), SampledReplies({})
    if call.services.is_offline:
        await answer(replace(call, services=call.services.sampled(replies, "")), persona, asked)
    return prompts_wanted(replies)


def prompts_wanted(replies: SampledReplies) -> Response:
    """What a language model would have been asked."""
    return json_response(Prompts(prompts=[Prompt(id=key, messages=said) for key, said in replies.wanted.items()]))


async def persona_asked(call: Call, asked: models.CompletionRequest) -> Mind:
    """Who is talked to, under the policy that is asked for. Raises ApiError."""
    mind_id = call.id("mindId")
    async with call.services.read() as connection:
        mind = await reachable_mind(call, connection)
        if not mind.ready:
            training = await latest_training(connection, mind.id)
            data = {"code": "SPARK_NOT_READY", "mindId": mind_id, "trainingStatus": training.status}
            raise Conflict("This mind is not ready to chat yet", data)
    if asked.source_policy is not None:
        # `request_only` acts as `auto` here, as the contract says.
        mind = replace(mind, source_policy="knowledge_only" if asked.source_policy == "knowledge_only" else "auto")
    return mind


async def answer(call: Call, persona: Mind, asked: models.CompletionRequest) -> models.Completion:
    """What the persona says to the last message; no messages make it greet. Raises AnswerUnavailable."""
    services = call.services
    if (given := asked.sampled) is not None:
        services = services.sampled(SampledReplies(given.replies), given.model)
    turns = [Turn(message.role, message.text) for message in asked.messages]
    passages = []
    if turns:
        limit = services.settings.passages_per_answer
        passages = await services.reading.search(persona.id, read_question(turns, persona.name).text, limit=limit)
    try:
        said = await services.persona_engine.answer(persona, turns, passages, language=asked.language)
    except EngineUnavailable as error:
        # Kind and status only: what the endpoint wrote may hold anything.
        log.warning("persona_engine.unavailable", mind=persona.id, kind=error.kind, status=error.status)
        raise AnswerUnavailable(error) from error
    async with services.read() as connection:
        sources = await sources_of(connection, [passage.item_id for passage in said.citations])
    content = said.content if asked.citation_markers == "inline" else CITATION.sub("", said.content)
    asked_for = turns[-1].content if turns else ""
    metadata = completion_metadata(said, sources, persona.source_policy, services.clock(), asked_for)
    return models.Completion(message_id=f"msg_{uuid4().hex}", content=content, metadata=metadata)


async def answer_events(
    answering: Callable[[], Coroutine[Any, Any, models.Completion]], now: int, heartbeat_seconds: float
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
) -> models.CompletionMetadata:
    """`sources` says, for each cited item, what is shown of it. Of which part of a long quotation tells `question`."""
    claimed = {number: text if len(text) <= LENGTH else question for number, text in claims(said.content).items()}
    citations = []
    for number, passage in enumerate(said.citations):
        cited = citation_of(passage, sources.get(passage.item_id), claimed.get(number, ""))
        citations.append(models.RagCitation.model_validate(source_of(cited)))
    shown = list(dict.fromkeys(citation.display_source for citation in citations))
    return models.CompletionMetadata(
        rag_citations=citations,
        source_policy=source_policy,
        knowledge_retrieval=models.KnowledgeRetrieval(
            status=said.fallback_status,
            retrieval_attempted=said.retrieval_attempted,
            chunks_found=said.chunks_found,
            source_count=len(shown),
            sources=shown,
        ),
        answer_provenance=models.AnswerProvenance(
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
