"""What the assistant is sent, in its own form: who asks, what was said so far, and the question."""

from collections.abc import Sequence
from datetime import UTC, datetime
from secrets import token_hex
from typing import Any
from urllib.parse import urlsplit

import orjson

from mcp_server.toolsets.assistant.settings import Project


def headers(project: Project) -> dict[str, str]:
    """Those of the documentation's own page, without which some sites refuse."""
    parts = urlsplit(project.url)
    origin = f"{parts.scheme}://{parts.netloc}"
    about = {"Origin": origin, "Referer": f"{origin}/"} if project.url else {}
    return {"Content-Type": "application/json", "User-Agent": "Mozilla/5.0 (compatible)", **about}


def turn(question: dict[str, Any], answer: str, thread: str | None) -> bytes:
    """A question with its whole answer, as it is kept."""
    said = {**message("assistant", answer, {"type": "step-start"}), "revisionId": token_hex(8)}
    return orjson.dumps({"thread": thread, "messages": [question, said]})


def request(project: str, kept: Sequence[bytes], question: dict[str, Any], most: tuple[int, int]) -> dict[str, Any]:
    """The body. Of the `kept` turns the last go along that are at `most` so many messages with so many characters."""
    turns, earlier = [orjson.loads(one) for one in kept], list[dict[str, Any]]()
    for one in reversed(turns):
        longer = [*one["messages"], *earlier]
        if len(longer) > most[0] or sum(len(each["content"]) for each in longer) > most[1]:
            break
        earlier = longer
    thread = {"threadId": turns[-1]["thread"]} if turns and turns[-1]["thread"] else {}
    return {"id": project, "fp": project, **thread, "messages": [*earlier, question]}


def message(role: str, text: str, *parts: dict[str, str]) -> dict[str, Any]:
    stamp = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    whole = [*parts, {"type": "text", "text": text}]
    return {"id": f"msg-{token_hex(8)}", "role": role, "content": text, "createdAt": stamp, "parts": whole}
