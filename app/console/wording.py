"""What tools answer, in words for people: no names of tools and arguments, and addresses that may be followed."""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from app.console.calls import CallRefused

TABLES: Mapping[str, Mapping[str, Any]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
WORDS, FIELDS, DOING, BADGES = (TABLES[name] for name in ("refusals", "fields", "doing", "badges"))
OVER = frozenset({"completed", "failed", "empty"})
ENDS = re.compile(r"\b(?:min|max)\b")
TOOL_NAMES = re.compile(r" \([a-z_]+\)")


def in_words(refused: CallRefused) -> CallRefused:
    """The same refusal, said to a person."""
    message = refused.message
    if refused.code in WORDS:
        message = WORDS[refused.code].format_map({"retryAfter": "a few", **refused.details})
    elif refused.code == "invalid_arguments":
        place, colon, fault = message.partition(": ")
        argument = place.partition(".")[0]
        if argument in {"sparkId", "panelId", "questionId"}:  # it stands in the address of the page
            return CallRefused("not_found", WORDS["not_found"], refused.details)
        named = next((FIELDS[name] for name in reversed(place.split(".")) if name in FIELDS), argument)
        message = f"{named}: {ENDS.sub(lambda end: FIELDS[end[0]], fault)}" if colon else message
    return CallRefused(refused.code, sentence(message), refused.details)


def sentence(text: str) -> str:
    """`text` with a capital and an end."""
    return f"{text[:1].upper()}{text[1:]}" + ("" if text.endswith((".", "?", "!")) else ".")


def badge(status: str | None, progress: int | None = None) -> dict[str, str] | None:
    """The state of a training in a word or two; None where it is not told."""
    if (known := BADGES.get(status or "")) is None:
        return None
    words, tone = known
    return {"words": f"{words} {progress} %" if tone == "warn" and progress is not None else words, "tone": tone}


def training(progress: Mapping[str, Any]) -> dict[str, Any]:
    """What the page of a persona shows of its training, which goes on while a source is still to be read."""
    status, knowledge, failure = progress["status"], progress["knowledge"] or {}, progress["failure"] or {}
    is_reading = bool(knowledge.get("inProgress"))
    percent = None if status in OVER else progress["progress"]
    shown = "running" if is_reading and status in {"failed", "empty"} else status
    return {
        "status": shown,
        "badge": badge(shown, percent),
        "percent": percent,
        "is_over": not is_reading and (status in OVER or progress["pollAfterMs"] is None),
        "is_ready": progress["readyToChat"] or status == "unknown",  # talking to it tells
        "doing": DOING.get(progress["stage"], DOING["collect"]),
        "knowledge": knowledge,
        "explanation": failure.get("explanation", ""),
        "advice": TOOL_NAMES.sub("", failure.get("whatToDo", "")),
    }


def web_link(address: str | None) -> str | None:
    """The address if a browser may be led there: http or https, and nothing that runs."""
    try:
        parts = urlsplit(address or "")
    except ValueError:
        return None
    return address if parts.scheme in {"http", "https"} and parts.hostname else None
