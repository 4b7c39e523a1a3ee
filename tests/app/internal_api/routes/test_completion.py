"""Talking to a mind: grounded answers with citations, greetings, streams, and what is refused."""

from typing import Any

import pytest
from dirty_equals import IsStr, IsUUID
from structlog.testing import capture_logs

from app.internal_api.engines.engine import EngineUnavailable, Turn
from tests.app.internal_api.support import LINK, LINKED, World

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
    assert (language, persona.source_policy, persona.system_prompt[:11]) == (
        "de",
        "knowledge_only",
        "You are Ada",
    )
    assert answer.json()["metadata"]["sourcePolicy"] == "knowledge_only"


@pytest.mark.parametrize("stream", [False, True])
async def test_before_it_is_ready_a_mind_refuses_with_its_training_status(world: World, stream: bool) -> None:
    mind_id = await world.mind()
    body = {**QUESTION, "responseMode": "stream"} if stream else QUESTION

    refused = await world.client().post(f"/minds/{mind_id}/completion", json=body)

    assert refused.status_code == 409
    assert refused.json()["data"] == {
        "code": "SPARK_NOT_READY",
        "mindId": mind_id,
        "trainingStatus": "queued",
    }


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
    fault = EngineUnavailable("secret host", retryable=True, retry_after=7, kind="busy", status=429)
    world.persona_engine.down = fault

    with capture_logs() as logs:
        refused = await world.client().post(f"/minds/{mind_id}/completion", json=QUESTION)

    assert (refused.status_code, refused.headers["retry-after"]) == (503, "7")
    assert refused.json()["data"] == {"errorType": "ai_generation_error", "retryable": True}
    assert "secret" not in refused.text
    told = {"event": "persona_engine.unavailable", "mind": mind_id, "kind": "busy", "status": 429}
    assert logs == [{**told, "log_level": "warning"}]
