"""What a chat endpoint's JSON says: text, the end, or a fault."""

import json
import re
from dataclasses import dataclass
from typing import Any

DONE = "[DONE]"
_TAG = r"(?:think|thinking|thought|reasoning)>"
_THINKING = re.compile(rf"\A(?:\s*<{_TAG}.*?(?:</{_TAG}|\Z))+", re.DOTALL | re.IGNORECASE)
# The opening tag may have been part of the prompt; a tag in the middle of a line is something that is spoken of.
_END_OF_THINKING = re.compile(
    rf"\A(?:(?!<{_TAG}).)*?(?:^</{_TAG}|</{_TAG}[ \t]*$)", re.DOTALL | re.IGNORECASE | re.MULTILINE
)


class UnreadableReply(ValueError):
    """The endpoint sent something that is not a chat completion."""


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of the answer; `ends` says that the model has finished."""

    text: str
    ends: bool


def read_delta(data: str) -> Delta:
    """One event of a stream, or a whole answer that was not streamed. Raises UnreadableReply."""
    if data.strip() == DONE:
        return Delta("", ends=True)
    try:
        payload = json.loads(data)
    except (ValueError, RecursionError) as fault:
        raise UnreadableReply from fault
    if not isinstance(payload, dict) or payload.get("error"):
        raise UnreadableReply
    choices = payload.get("choices")
    if not isinstance(choices, list):
        raise UnreadableReply
    if not choices:
        return Delta("", ends=False)  # the event that only counts tokens
    return _read_choice(choices[0])


def without_thinking(text: str) -> str:
    """The answer of a reasoning model without the thoughts that some servers leave in it."""
    return _END_OF_THINKING.sub("", _THINKING.sub("", text)).strip()


def _read_choice(choice: Any) -> Delta:
    if not isinstance(choice, dict):
        raise UnreadableReply
    message = choice.get("delta") or choice.get("message") or {}
    if not isinstance(message, dict):
        raise UnreadableReply
    return Delta(_text(message.get("content")), ends=bool(choice.get("finish_reason")))


def _text(content: Any) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list):
        raise UnreadableReply
    parts = [part.get("text") for part in content if isinstance(part, dict)]
    return "".join(part for part in parts if isinstance(part, str))
