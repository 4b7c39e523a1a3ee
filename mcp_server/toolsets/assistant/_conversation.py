"""What is said so far, in the assistant's own form, and the request that goes on with it. Pure."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

import orjson

Message = dict[str, Any]


def turn(question: Message, answer: str, thread: str | None, now: datetime, new_id: Callable[[], str]) -> bytes:
    """A question with its whole answer, as it is kept."""
    said = {
        **_message(f"msg-{new_id()}", "assistant", answer, now),
        "parts": [{"type": "step-start"}, {"type": "text", "text": answer}],
        "revisionId": new_id(),
    }
    return orjson.dumps({"thread": thread, "messages": [question, said]})


def asked(question: str, now: datetime, new_id: Callable[[], str]) -> Message:
    return {**_message(new_id(), "user", question, now), "parts": [{"type": "text", "text": question}]}


def request(project: str, kept: Sequence[bytes], question: Message, messages: int, characters: int) -> dict[str, Any]:
    """The body of the request. Of the `kept` turns the last go along that fit; the thread is that of the last one."""
    turns = [orjson.loads(one) for one in kept]
    earlier: list[Message] = []
    for one in reversed(turns):
        longer = [*one["messages"], *earlier]
        if len(longer) > messages or sum(len(each["content"]) for each in longer) > characters:
            break
        earlier = longer
    thread = turns[-1]["thread"] if turns else None
    return {
        "id": project,
        "fp": project,
        **({} if thread is None else {"threadId": thread}),
        "messages": [*earlier, question],
    }


def _message(id_: str, role: str, content: str, now: datetime) -> Message:
    stamp = now.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return {"id": id_, "role": role, "content": content, "createdAt": stamp}
