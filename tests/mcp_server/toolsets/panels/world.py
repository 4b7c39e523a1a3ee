"""Bodies of the internal API that panels need: what its contract documents, and nothing that the embedded one adds."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import NAMESPACE_DNS, uuid5

import orjson

from tests.support import Reply

CREATED_AT = "2026-11-20T09:00:00.000Z"
SCALE = {"type": "scale", "scaleRange": [1, 10]}


def id_of(name: str) -> str:
    return str(uuid5(NAMESPACE_DNS, name))


def mind(name: str) -> dict[str, Any]:
    return {"id": id_of(name), "name": name, "discipline": "Cycling", "profileImageUrl": None}


def audience(name: str, *members: str) -> dict[str, Any]:
    return {"id": id_of(name), "name": name, "mindCount": len(members), "minds": [mind(one) for one in members]}


def listing(rows: Sequence[Mapping[str, Any]]) -> Reply:
    return Reply({"data": list(rows), "pagination": {"total": len(rows), "limit": 100, "offset": 0}})


def minds(*names: str) -> Reply:
    described = {"description": "Created via API", "type": "expert", "tags": []}
    times = {"createdAt": CREATED_AT, "updatedAt": CREATED_AT}
    return listing([{**mind(name), **described, **times} for name in names])


def study(name: str, *audiences: Mapping[str, Any], messages: Sequence[Mapping[str, Any]] = ()) -> dict[str, Any]:
    """A StudyDetail."""
    return {
        "id": id_of(name),
        "name": name,
        "studyMode": "study",
        "createdAt": CREATED_AT,
        "updatedAt": CREATED_AT,
        "isLinkSharingEnabled": False,
        "publicShareId": None,
        "audiences": list(audiences),
        "messages": list(messages),
    }


def summary(name: str, *audiences: Mapping[str, Any], messages: int = 0) -> dict[str, Any]:
    row = study(name, *audiences)
    del row["messages"]
    return {**row, "messageCount": messages}


def answer(persona: str, value: str, message: str = "", **more: Any) -> dict[str, Any]:
    """One entry of `answers[]`, which tells a name and no id."""
    said = message or f"I say {value}."
    return {"value": value, "rawValue": value, "persona": persona, "discipline": "Cycling", "message": said, **more}


def output(question: str, groups: Mapping[str, Sequence[dict[str, Any]]], **classification: Any) -> dict[str, Any]:
    """A StudyOutputData."""
    understood = classification or SCALE
    audiences = [{"audience": name, "value": "7", "answers": list(answers)} for name, answers in groups.items()]
    return {"title": question, "type": understood["type"], "classification": understood, "audiences": audiences}


def asked(question: str, *, at: str = CREATED_AT, **metadata: Any) -> dict[str, Any]:
    """The user's message."""
    return {
        "id": id_of(f"asked {question}"),
        "role": "user",
        "content": question,
        "metadata": metadata,
        "createdAt": at,
    }


def told(question: str, result: Mapping[str, Any], **metadata: Any) -> dict[str, Any]:
    """The assistant's message."""
    return {
        "id": id_of(f"told {question}"),
        "role": "assistant",
        "content": "Done",
        "metadata": {"outputData": result, **metadata},
        "createdAt": CREATED_AT,
    }


def landed(persona: str, group: str, value: str, message: str = "") -> dict[str, Any]:
    """An `answer` event."""
    return {
        "type": "answer",
        "mindId": id_of(persona),
        "mindName": persona,
        "discipline": None,
        "profileImageUrl": None,
        "audienceId": id_of(group),
        "audienceName": group,
        "answer": answer(persona, value, message),
    }


def stream(*events: Mapping[str, Any]) -> Reply:
    """A whole answer as server-sent events."""
    body = b": padding\n\n" + b"".join(b"data: " + orjson.dumps(event) + b"\n\n" for event in events)
    return Reply(body, headers={"content-type": "text/event-stream"})


def run(result: Mapping[str, Any], *events: Mapping[str, Any], total: int | None = None) -> Reply:
    """The events of an ask from its start to its end."""
    return stream(
        {"type": "start", "total": len(events) if total is None else total},
        {"type": "classification", "classification": result["classification"]},
        *events,
        {"type": "aggregating"},
        {"type": "result", "outputData": result, "outputType": "bar"},
        {"type": "done"},
    )
