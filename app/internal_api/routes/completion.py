"""Talking to a mind: find what it knows about the question, let it answer, say what the answer stands on."""

import re
from dataclasses import replace
from functools import partial
from uuid import uuid4

import structlog
from starlette.responses import Response, StreamingResponse

from app.internal_api.engines.engine import EngineUnavailable, Persona, Turn
from app.internal_api.engines.extractive.questions import search_text
from app.internal_api.engines.minds import persona_of
from app.internal_api.errors import AnswerUnavailable, MindNotReady
from app.internal_api.models.completion import Completion, CompletionRequest
from app.internal_api.routes.access import reachable_mind
from app.internal_api.routes.answers import completion_metadata
from app.internal_api.routes.body import parse, read_json
from app.internal_api.routes.call import NO_STORE, Call
from app.internal_api.routes.stream import answer_events
from app.internal_api.store.jobs import latest_training
from app.internal_api.store.knowledge import sources_of

log = structlog.get_logger()

CITATION = re.compile(r"\s*\[\[CITE:\d+\]\]")


async def complete(call: Call) -> Response:
    limit = call.services.settings.max_json_bytes
    mind_id = call.id("mindId")
    asked = parse(CompletionRequest, await read_json(call.request, limit, optional=True))
    async with call.services.read() as connection:
        mind = await reachable_mind(call, connection)
        if not mind.ready:
            raise MindNotReady(mind_id, (await latest_training(connection, mind.id)).status)
    persona = persona_of(mind)
    if asked.source_policy is not None:
        # `request_only` acts as `auto` here, as the contract says.
        policy = "knowledge_only" if asked.source_policy == "knowledge_only" else "auto"
        persona = replace(persona, source_policy=policy)
    if asked.response_mode == "sync":
        return call.answer(await answer(call, persona, asked))
    seconds = call.services.settings.stream_heartbeat_seconds
    events = answer_events(partial(answer, call, persona, asked), call, heartbeat_seconds=seconds)
    headers = {**NO_STORE, "X-Accel-Buffering": "no"}
    return StreamingResponse(events, media_type="text/event-stream", headers=headers)


async def answer(call: Call, persona: Persona, asked: CompletionRequest) -> Completion:
    """What the persona says to the last message; no messages make it greet. Raises AnswerUnavailable."""
    services = call.services
    turns = [Turn(message.role, message.text) for message in asked.messages]
    passages = []
    if turns:
        limit = services.settings.passages_per_answer
        passages = await services.search.search(persona.id, search_text(turns), limit=limit)
    try:
        said = await services.persona_engine.answer(persona, turns, passages, language=asked.language)
    except EngineUnavailable as error:
        # Kind and status only: what the endpoint wrote may hold anything.
        log.warning("persona_engine.unavailable", mind=persona.id, kind=error.kind, status=error.status)
        raise AnswerUnavailable(retryable=error.retryable, retry_after=error.retry_after) from error
    async with services.read() as connection:
        sources = await sources_of(connection, [passage.item_id for passage in said.citations])
    content = said.content if asked.citation_markers == "inline" else CITATION.sub("", said.content)
    metadata = completion_metadata(said, sources, persona.source_policy, services.clock())
    return Completion(message_id=f"msg_{uuid4().hex}", content=content, metadata=metadata)
