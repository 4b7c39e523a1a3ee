"""What a question brings along to read: fetched and read before anything is stored, and never silently left out."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass

from app.internal_api.errors import BadRequest, TooLarge
from app.internal_api.knowledge.documents import SourceRefused
from app.internal_api.knowledge.extract import ACCEPTED, is_hopeless
from app.internal_api.models.asking import AskStudy
from app.internal_api.panels.new_rows import Source, context_of
from app.internal_api.panels.outcomes import storable
from app.internal_api.routes.call import Call


@dataclass(frozen=True, slots=True)
class Wanted:
    """One address to read; `place` is where it stands in the request."""

    place: str
    url: str
    name: str
    media_type: str = ""


async def read_context(call: Call, asked: AskStudy) -> str:
    """The text of everything that was attached. Raises ApiError, which says what cannot be read and why."""
    wanted = list(_wanted(asked))
    for each in wanted:
        await _admit(call, each)
    # All are waited for, so that always the first of the faults is told.
    read = await asyncio.gather(*(_read(call, each) for each in wanted), return_exceptions=True)
    sources = []
    for found in read:
        if isinstance(found, BaseException):
            raise found
        sources.append(found)
    return context_of(sources, [keyword.label for keyword in asked.keywords if keyword.url is None])


def _wanted(asked: AskStudy) -> Iterator[Wanted]:
    for number, attachment in enumerate(asked.attachments):
        yield Wanted(f"attachments.{number}", attachment.url or "", attachment.name, attachment.type)
    for field, references in (("links", asked.links), ("keywords", asked.keywords)):
        for number, reference in enumerate(references):
            if reference.url is not None:
                yield Wanted(f"{field}.{number}", reference.url, reference.label)


async def _admit(call: Call, wanted: Wanted) -> None:
    if is_hopeless(wanted.media_type.lower()):
        message = f"{wanted.media_type} is not of an accepted kind: {ACCEPTED}."
        raise _refused(wanted, SourceRefused("not_text", message))
    try:
        await call.services.admit_link(wanted.url)
    except SourceRefused as refusal:
        raise _refused(wanted, refusal) from None


async def _read(call: Call, wanted: Wanted) -> Source:
    try:
        document = await call.services.fetch(wanted.url)
    except SourceRefused as refusal:
        raise _refused(wanted, refusal) from None
    return Source(wanted.name or storable(document.title), document.source, storable(document.text))


def _refused(wanted: Wanted, refusal: SourceRefused) -> BadRequest | TooLarge:
    kind = TooLarge if refusal.code == "too_large" else BadRequest
    return kind(f"{wanted.place}: {refusal.message}", {"code": refusal.code, "field": wanted.place})
