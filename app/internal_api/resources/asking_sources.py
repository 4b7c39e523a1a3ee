"""What is attached to a question: read once, before anything is stored, and given to everybody as one text."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from app.internal_api.errors import BadRequest, TooLarge
from app.internal_api.http.call import Call
from app.internal_api.knowledge.documents import Document, SourceRefused
from app.internal_api.knowledge.media_types import ACCEPTED, is_hopeless
from app.internal_api.models.asking import AskStudy, Attachment, Reference

MAX_CONTEXT = 20_000  # characters of all sources together


def context_of(sources: Sequence[Document], keywords: Sequence[str] = ()) -> str:
    """What every persona is given to read, as one text; where something is left out, the text says so."""
    rooms, left = [0] * len(sources), MAX_CONTEXT
    by_length = sorted(range(len(sources)), key=lambda index: len(sources[index].text))
    for served, index in enumerate(by_length):  # short ones get all their room, long ones equal shares of the rest
        rooms[index] = min(len(sources[index].text), left // (len(sources) - served))
        left -= rooms[index]
    parts = [f"Keywords: {', '.join(keywords)}"] if keywords else []
    for number, (source, room) in enumerate(zip(sources, rooms, strict=True), 1):
        name = source.title if source.title == source.source else f"{source.title} ({source.source})"
        cut = f"\n[cut: only the first {room:,} of {len(source.text):,} characters are given]"
        text = source.text if room >= len(source.text) else f"{source.text[:room].rstrip()}{cut}"
        parts.append(f"[{number}] {name}\n{text}")
    return "\n\n".join(parts)


async def read_context(call: Call, asked: AskStudy) -> str:
    """The text of everything that was attached. Raises ApiError, which says what cannot be read and why."""
    named: Mapping[str, Sequence[Attachment | Reference]] = {
        "attachments": asked.attachments,
        "links": asked.links,
        "keywords": asked.keywords,
    }
    wanted = {
        f"{field}.{number}": each
        for field, sources in named.items()
        for number, each in enumerate(sources)
        if each.url is not None
    }
    for place, each in wanted.items():
        with _refusing(place):
            if is_hopeless(each.type.lower()):
                raise SourceRefused("not_text", f"{each.type} is not of an accepted kind: {ACCEPTED}.")
            await call.services.admit_link(each.url or "")
    reading = [asyncio.create_task(_read(call, place, each)) for place, each in wanted.items()]
    # All are waited for, so that the first of the faults is always the one that is reported.
    await asyncio.gather(*reading, return_exceptions=True)
    documents = [read.result() for read in reading]
    return context_of(documents, [keyword.label for keyword in asked.keywords if keyword.url is None])


async def _read(call: Call, place: str, wanted: Attachment | Reference) -> Document:
    with _refusing(place):
        document = await call.services.reading.fetch(wanted.url or "")
    return replace(document, title=wanted.label or document.title)


@contextmanager
def _refusing(place: str) -> Iterator[None]:
    """A source that is refused becomes a refusal of the request that names it at this place."""
    try:
        yield
    except SourceRefused as refusal:
        kind = TooLarge if refusal.code == "too_large" else BadRequest
        raise kind(f"{place}: {refusal.message}", {"code": refusal.code, "field": place}) from None
