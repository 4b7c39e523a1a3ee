"""A completion made presentable: citation markers become footnotes, and what the answer stands on is said plainly."""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field

from mcp_server.toolkit import json_coercion as reading
from mcp_server.toolkit.answers import Answer, Untrusted
from mcp_server.toolkit.names import Named
from mcp_server.toolkit.quotations import quoted
from mcp_server.toolsets.personas._wire import WORDS

MARKER = re.compile(r"\[\[CITE:([^\[\]]{0,40})\]\]")
MARKERS = re.compile(rf"[ \t]{{0,4}}{MARKER.pattern}(?:[ \t]{{0,4}}{MARKER.pattern})*")
"""A run of markers with the space before it; bounded, so that a page of blanks is read in linear time."""

SNIPPET = 300
LINK = 2_048
CITATIONS = 50

ORIGINS: Mapping[str, str] = WORDS["origins"]
ENGINES: Mapping[str, str] = WORDS["engines"]


class Citation(Answer):
    """A source that an answer refers to as [index]."""

    index: int
    title: str
    link: str | None
    page: int | None
    snippet: str | None
    similarity: float | None

    def line(self) -> str:
        where = f", page {self.page}" if self.page is not None else ""
        link = f" {self.link}" if self.link else ""
        return f"[{self.index}] {self.title}{where}{link}" + (f'\n    "{self.snippet}"' if self.snippet else "")


class Provenance(Answer):
    """What an answer stands on, as far as the internal API tells."""

    engine: Annotated[str | None, Field(description='What wrote it; "offline" is extractive, without a model.')]
    origin: str | None
    source_policy: str | None
    passages_found: int | None
    unsupported: Annotated[bool | None, Field(description="True: nothing in the persona's knowledge supports it.")]
    explanation: str


class PersonaReply(Answer):
    """What the persona said."""

    spark_id: str
    spark_name: str
    message: Annotated[str, Field(description="The answer; [n] refers to `citations`.")]
    citations: list[Citation]
    provenance: Provenance | None
    untrusted: Untrusted = ("$.sparkName", "$.message", "$.citations")

    def as_text(self) -> str:
        parts = [f"{self.spark_name} [id {self.spark_id}] says:", quoted(self.message)]
        if self.citations:
            parts += ["Sources:", quoted("\n".join(citation.line() for citation in self.citations))]
        if self.provenance is not None:
            parts.append(self.provenance.explanation)
        return "\n\n".join(parts)


def read_reply(body: Any, persona: Named, *, was_asked: bool = False) -> PersonaReply:
    """Read `POST /minds/{id}/completion`; `was_asked` is the client's model. Raises ServiceUnavailable: none in it."""
    data = reading.mapping(body)
    content = data.get("content")
    if not isinstance(content, str) or not content.strip():
        raise reading.unreadable("a message")
    metadata = reading.mapping(data.get("metadata"))
    message, citations = footnoted(content.strip(), reading.items(metadata, "ragCitations")[:CITATIONS])
    return PersonaReply(
        spark_id=persona.id,
        spark_name=persona.name,
        message=message,
        citations=citations,
        provenance=_provenance(metadata, "in_vain" if was_asked else "offline"),
    )


def footnoted(content: str, sources: Sequence[Any]) -> tuple[str, list[Citation]]:
    """`content` with `[[CITE:n]]` (n counts from 0 into `sources`) as [1], [2] … in order of appearance.

    A marker that points nowhere is dropped. Without any marker, all sources are listed.
    """
    known = {str(index): index for index in range(len(sources))}
    numbers: dict[int, int] = {}

    def footnote(run: re.Match[str]) -> str:
        wanted = [known.get(text.strip()) for text in MARKER.findall(run[0])]
        notes = [f"[{numbers.setdefault(index, len(numbers) + 1)}]" for index in wanted if index is not None]
        begins_line = run.start() == 0 or content[run.start() - 1] == "\n"
        return ("" if begins_line or not notes else " ") + "".join(dict.fromkeys(notes))

    message, markers = MARKERS.subn(footnote, content)
    if not markers:
        numbers = {index: index + 1 for index in range(len(sources))}
    return message.strip(), [_citation(number, reading.mapping(sources[index])) for index, number in numbers.items()]


def _citation(number: int, source: Mapping[str, Any]) -> Citation:
    link = reading.text(source, "rawLink", LINK)
    return Citation(
        index=number,
        title=reading.text(source, "title") or reading.text(source, "displaySource") or "Untitled source",
        link=link if link and link.startswith(("https://", "http://")) else None,
        page=reading.whole(source, "page"),
        snippet=reading.text(source, "snippet", SNIPPET),
        similarity=reading.number(source, "similarity"),
    )


def _provenance(metadata: Mapping[str, Any], offline: str) -> Provenance | None:
    provenance = reading.mapping(metadata.get("answerProvenance"))
    engine = reading.word(metadata, "engine") or reading.word(provenance, "engine")
    if not provenance and engine is None:
        return None
    origin, unsupported = reading.word(provenance, "origin"), reading.flag(provenance, "unsupported")
    by = ENGINES[offline] if engine == "offline" else engine and f"It was written by the engine {engine}."
    said = [ORIGINS.get("unsupported" if unsupported else origin or ""), by]
    return Provenance(
        engine=engine,
        origin=origin,
        source_policy=reading.word(provenance, "sourcePolicy") or reading.word(metadata, "sourcePolicy"),
        passages_found=reading.whole(provenance, "retrievalChunksFound"),
        unsupported=unsupported,
        explanation=" ".join(filter(None, said)) or "The internal API does not say what it stands on.",
    )
