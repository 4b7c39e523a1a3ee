"""A conversation with a persona, carried by its page from one message to the next: nothing of it is kept here."""

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, TypeAdapter, ValidationError

from app.console.wording import web_link

MOST_TURNS, MOST_CHARACTERS = 50, 20_000
"""What `talk_to_ai_persona` takes of earlier messages."""
UNSUPPORTED = "Nothing in its knowledge supports this answer."
QUOTED = "Put together from quotations: this server has no language model (LLM_BASE_URL)."


class Source(BaseModel):
    """What an answer refers to as [index]."""

    index: int
    title: str
    link: Annotated[str | None, AfterValidator(web_link)] = None
    page: int | None = None
    snippet: str | None = None


class Turn(BaseModel):
    """One message; `note` says what an answer stands on."""

    role: Literal["user", "assistant"]
    content: str
    sources: list[Source] = []
    note: str = ""


TURNS = TypeAdapter(list[Turn])


def read(carried: str) -> list[Turn]:
    """The turns that a form brought back. What is none of ours begins a new conversation."""
    try:
        return TURNS.validate_json(carried)[-MOST_TURNS:] if carried else []
    except ValidationError:
        return []


def written(turns: Sequence[Turn]) -> str:
    return TURNS.dump_json(list(turns), exclude_defaults=True).decode() if turns else ""


def answered(reply: Mapping[str, Any]) -> Turn:
    """The answer of a persona."""
    provenance = reply["provenance"] or {}
    notes = [UNSUPPORTED] if provenance.get("unsupported") else []
    notes += [QUOTED] if provenance.get("engine") == "offline" and reply["citations"] else []
    sources = [Source.model_validate(each) for each in reply["citations"]]
    return Turn(role="assistant", content=reply["message"], sources=sources, note=" ".join(notes))


def history(turns: Sequence[Turn]) -> list[dict[str, str]]:
    """The turns as the tool takes them: plain text, none of them empty."""
    told = [{"role": turn.role, "content": _plain(turn.content)} for turn in turns[-MOST_TURNS:]]
    return [turn for turn in told if turn["content"]]


def _plain(text: str) -> str:
    kept = (sign for sign in text if sign in "\t\n\r" or unicodedata.category(sign) not in {"Cc", "Cs"})
    return "".join(kept)[:MOST_CHARACTERS].strip()
