"""Talking to a mind: grounded answers with citations, greetings, streams, and what is refused."""

import asyncio
from dataclasses import replace
from typing import Any

import orjson
import pytest
from dirty_equals import IsStr, IsUUID
from structlog.testing import capture_logs

from app.internal_api.engines.engine import Answer, EngineUnavailable, Turn
from app.internal_api.knowledge.documents import Passage
from app.internal_api.resources.completion import completion_metadata
from tests.app.internal_api.support import KEYWORDS, LINK, LINKED, Gate, World, within

QUESTION = {"messages": [{"role": "user", "content": "How is green tea steeped?"}]}


async def test_an_answer_cites_the_minds_knowledge(world: World) -> None:
    mind_id = await world.trained(LINKED)

    answer = await world.client().post(f"/minds/{mind_id}/completion", json=QUESTION)

    assert answer.status_code == 200
    assert answer.json() == {
        "messageId": IsStr(regex=r"msg_[0-9a-f]{32}"),
        "content": "Tea is a drink. [[CITE:0]]",
        "metadata": {
            "ragCitations": [
                {
                    "id": IsUUID,
                    "displaySource": "example.com",
                    "rawLink": LINK,
                    "title": "Tea",
                    "page": None,
                    "snippet": "Tea is a drink.",
                    "similarity": 0.5,
                    "sourceType": "mind_knowledge",
                }
            ],
            "images": [],
            "documentAnalysis": None,
            "sourcePolicy": "auto",
            "knowledgeRetrieval": {
                "status": "grounded",
                "retrievalAttempted": True,
                "chunksFound": 3,
                "sourceCount": 1,
                "sources": ["example.com"],
            },
            "answerProvenance": {
                "origin": "mind_knowledge",
                "sourcePolicy": "auto",
                "retrievalAttempted": True,
                "retrievalChunksFound": 3,
                "evidenceSourceTypes": ["mind_knowledge"],
                "fallbackStatus": "grounded",
                "unsupported": False,
                "recordedAt": "2023-11-14T22:13:20.000Z",
                "verifier": "single-mind-answer-provenance-v1",
            },
            "engine": "fake",
        },
    }


async def test_citation_marks_are_left_out_when_they_are_not_wanted(world: World) -> None:
    mind_id = await world.trained(LINKED)

    answer = await world.client().post(f"/minds/{mind_id}/completion", json={**QUESTION, "citationMarkers": "none"})

    assert answer.json()["content"] == "Tea is a drink."
    assert len(answer.json()["metadata"]["ragCitations"]) == 1


@pytest.mark.parametrize("request_parts", [{}, {"json": {}}, {"json": {"messages": []}}])
async def test_without_messages_a_mind_greets(world: World, request_parts: dict[str, Any]) -> None:
    mind_id = await world.trained()

    answer = await world.client().post(f"/minds/{mind_id}/completion", **request_parts)

    assert (answer.status_code, answer.json()["content"]) == (200, "I am Ada.")
    assert answer.json()["metadata"]["knowledgeRetrieval"]["retrievalAttempted"] is False


async def test_history_parts_language_and_policy_reach_the_engine(world: World) -> None:
    mind_id = await world.trained(LINKED)
    body = {
        "messages": [
            {"role": "user", "content": "Hello"},
            {"role": "assistant", "content": "Good day"},
            {"role": "user", "content": [{"type": "text", "text": "And"}, {"type": "text", "text": "tea?"}]},
        ],
        "language": "de",
        "sourcePolicy": "knowledge_only",
    }

    answer = await world.client().post(f"/minds/{mind_id}/completion", json=body)

    persona, turns, language = world.persona_engine.asked[-1][1]
    assert turns == (Turn("user", "Hello"), Turn("assistant", "Good day"), Turn("user", "And\ntea?"))
    assert (language, persona.source_policy, persona.system_prompt[:11]) == ("de", "knowledge_only", "You are Ada")
    assert answer.json()["metadata"]["sourcePolicy"] == "knowledge_only"


@pytest.mark.parametrize("stream", [False, True])
async def test_before_it_is_ready_a_mind_refuses_with_its_training_status(world: World, stream: bool) -> None:
    mind_id = await world.mind()
    body = {**QUESTION, "responseMode": "stream"} if stream else QUESTION

    refused = await world.client().post(f"/minds/{mind_id}/completion", json=body)

    assert refused.status_code == 409
    assert refused.json()["data"] == {"code": "SPARK_NOT_READY", "mindId": mind_id, "trainingStatus": "queued"}


@pytest.mark.parametrize(
    "body",
    [
        {"messages": "Hi"},
        {"messages": [{"role": "user", "content": "  "}]},
        {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Yes?"}]},
        {"messages": [{"role": "robot", "content": "Hi"}]},
        {"messages": [{"role": "user", "content": [{"type": "image", "url": "x"}]}]},
        {"messages": [{"role": "user", "content": "x" * 100_001}]},
        {"responseMode": "later"},
        {"language": "tlh"},
        {"citationMarkers": "footnotes"},
        {"endUserName": "x" * 121},
        {**QUESTION, "response_format": {"type": "json_object"}},
        {**QUESTION, "tools": [{"type": "function"}]},
        {"messages": [{"role": "user", "content": "Hi", "metadata": {"attachedFiles": [{"url": LINK}]}}]},
    ],
)
async def test_what_cannot_be_answered_is_refused(world: World, body: dict[str, Any]) -> None:
    mind_id = await world.trained()

    refused = await world.client().post(f"/minds/{mind_id}/completion", json=body)

    assert refused.status_code == 400


async def test_an_engine_that_is_away_is_a_503(world: World) -> None:
    mind_id = await world.trained()
    fault = EngineUnavailable("secret host", retryable=True, retry_after=7, kind="busy", status=429, host="llm.example")
    world.persona_engine.down = fault

    with capture_logs() as logs:
        refused = await world.client().post(f"/minds/{mind_id}/completion", json=QUESTION)

    assert (refused.status_code, refused.headers["retry-after"]) == (503, "7")
    told = {"errorType": "ai_generation_error", "retryable": True, "reason": "llm_busy_429", "llmHost": "llm.example"}
    assert refused.json()["data"] == told
    assert "secret" not in refused.text
    told = {"event": "persona_engine.unavailable", "mind": mind_id, "kind": "busy", "status": 429}
    assert logs == [{**told, "log_level": "warning"}]


def _events(body: str) -> list[tuple[str, dict[str, Any]]]:
    """Name and data of each event; comments are left out."""
    found = []
    for block in body.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.split("\n") if line and not line.startswith(":"))
        if fields:
            found.append((fields["event"], orjson.loads(fields["data"])))
    return found


async def test_a_stream_starts_brings_one_result_and_is_done(world: World) -> None:
    mind_id = await world.trained(LINKED)
    client = world.client()
    plain = (await client.post(f"/minds/{mind_id}/completion", json=QUESTION)).json()

    streamed = await client.post(f"/minds/{mind_id}/completion", json={**QUESTION, "responseMode": "stream"})

    assert streamed.headers["content-type"].startswith("text/event-stream")
    assert len(streamed.text.split("\n\n")[0]) >= 2048
    names, data = zip(*_events(streamed.text), strict=True)
    assert names == ("start", "result", "done")
    assert data[0] == {"type": "start", "timestamp": "2023-11-14T22:13:20.000Z"}
    assert {**data[1], "messageId": None} == {**plain, "messageId": None}


async def test_a_stream_sends_heartbeats_while_the_answer_is_thought_out(world: World) -> None:
    mind_id = await world.trained(KEYWORDS)
    world.settings = world.settings.model_copy(update={"stream_heartbeat_seconds": 0.02})
    gate = world.persona_engine.gates["answer"] = Gate()
    client = world.client()

    asked = asyncio.create_task(
        client.post(f"/minds/{mind_id}/completion", json={**QUESTION, "responseMode": "stream"})
    )
    await within(gate.reached.wait())
    beats = 0
    while beats < 5:
        await asyncio.sleep(0.02)
        beats += 1
    gate.open.set()
    streamed = await within(asked)

    assert streamed.text.count(": heartbeat\n\n") >= 1
    assert [name for name, _ in _events(streamed.text)] == ["start", "result", "done"]


@pytest.mark.parametrize(
    ("fault", "status"), [(EngineUnavailable("secret", retryable=True), 503), (RuntimeError("secret"), 500)]
)
async def test_a_stream_tells_of_a_failure_inside_it(world: World, fault: Exception, status: int) -> None:
    mind_id = await world.trained()
    world.persona_engine.broken = fault

    streamed = await world.client().post(f"/minds/{mind_id}/completion", json={**QUESTION, "responseMode": "stream"})

    assert streamed.status_code == 200
    events = _events(streamed.text)
    assert [name for name, _ in events] == ["start", "error", "done"]
    assert (events[1][1]["type"], events[1][1]["status"]) == ("error", status)
    assert "secret" not in streamed.text


PASSAGE = Passage("chunk", "item", "Green tea.", "Guide", None, 3, "Green", 1.7)


def test_a_passage_of_a_paged_document_names_its_page() -> None:
    said = Answer("Green tea. [[CITE:0]]", (PASSAGE,), "mind_knowledge", "offline", 1)

    (citation,) = completion_metadata(said, {"item": "guide.pdf"}, "auto", 0).rag_citations

    assert (citation.title, citation.page) == ("Guide", 3)
    assert (citation.display_source, citation.raw_link) == ("guide.pdf", None)
    assert citation.similarity == 1.0


def test_each_citation_shows_the_sentence_that_it_was_cited_for() -> None:
    filler = "Nothing of note happened that day. " * 12
    passage = replace(
        PASSAGE, text=f"{filler}Green tea is steeped for two minutes. {filler}Black tea takes four minutes."
    )
    content = "Green tea is steeped for two minutes. [[CITE:0]] Black tea takes four minutes. [[CITE:1]]"
    said = Answer(content, (passage, passage), "mind_knowledge", "offline", 2)

    shown = [citation.snippet for citation in completion_metadata(said, {}, "auto", 0).rag_citations]

    assert ["Green tea is steeped" in snippet for snippet in shown] == [True, False]
    assert ["Black tea takes four" in snippet for snippet in shown] == [False, True]
