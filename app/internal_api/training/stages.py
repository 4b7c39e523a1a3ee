"""The four stages of a training: profile, collect, index, prompt. Each takes up where a killed process left it."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from sqlalchemy.ext.asyncio import AsyncConnection

from app.internal_api.engines.engine import EngineUnavailable, PersonaEngine, Profile
from app.internal_api.engines.minds import persona_of
from app.internal_api.knowledge.documents import Chunk, Document, SourceRefused
from app.internal_api.knowledge.reading import Fetch
from app.internal_api.store.jobs import KNOWLEDGE, TRAINING
from app.internal_api.store.knowledge import (
    Item,
    count_chunks,
    count_items,
    find_item,
    list_items,
    outline,
    read_text,
    replace_chunks,
    update_item,
)
from app.internal_api.store.leases import end
from app.internal_api.store.minds import Mind
from app.internal_api.store.rows import update_row
from app.internal_api.training.leased_write import LeasedJob, StageFailed

READ = frozenset({"collected", "completed", "failed"})
"""States of an item that was read, by this job before it was cut off or by a job of the item's own."""


@dataclass(frozen=True, slots=True)
class Tools:
    """What the stages need from outside the database."""

    persona_engine: PersonaEngine
    fetch: Fetch
    chunk: Callable[[Document], list[Chunk]]


async def run_stage(stage: str, work: LeasedJob, tools: Tools) -> None:
    """Raises StageFailed when the job cannot be finished, and LeaseLost when it is another's now."""
    match stage:
        case "profile":
            await make_profile(work, tools.persona_engine)
        case "collect":
            await collect(work, tools.fetch)
        case "index":
            await index(work, tools.chunk)
        case _:
            await finish(work, tools.persona_engine)


async def make_profile(work: LeasedJob, persona_engine: PersonaEngine) -> None:
    """Work out who the persona is, from the owner's few words. Raises StageFailed."""
    async with work.report("profile", "Working out who this is") as connection:
        count = await count_items(connection, work.job.mind_id)
    mind = await work.mind()
    if count == 0:
        raise StageFailed("PROFILE_GEN_FAILED", "Add knowledge, then regenerate the prompt", retryable=True)
    profile = await _ask_profile(mind, persona_engine)
    async with work.write() as connection:
        await update_row(connection, Mind, mind.id, profile=asdict(profile))


async def _ask_profile(mind: Mind, persona_engine: PersonaEngine) -> Profile:
    try:
        return await persona_engine.profile(persona_of(mind), mind.keywords, mind.context)
    except EngineUnavailable as error:
        message = "The persona engine could not describe this mind"
        raise StageFailed("PROFILE_GEN_FAILED", message, retryable=error.retryable) from error


async def collect(work: LeasedJob, fetch: Fetch) -> None:
    """Read every source that has not been read. Raises StageFailed when none could ever be."""
    items = await _items(work)
    for number, item in enumerate(items, 1):
        if item.status not in READ:
            message = f"Reading {number} of {len(items)} sources"
            async with work.report("collect", message, number - 1, len(items)) as connection:
                await update_item(connection, item.id, work.clock(), status="running")
            await _read(work, item, fetch)
    if work.job.kind != TRAINING:
        return
    items = await _items(work)
    if not any(item.has_text for item in items):
        message = next((item.error for item in items if item.error), "No source could be read")
        retryable = any(item.error_retryable for item in items)
        raise StageFailed("COLLECTION_FAILED", message, retryable=retryable, reason=_common_code(items))


async def _items(work: LeasedJob) -> list[Item]:
    """The sources that the job is about."""
    async with work.read() as connection:
        items = await list_items(connection, work.job.mind_id)
    return [item for item in items if work.job.item_id in {None, item.id}]


def _common_code(items: Sequence[Item]) -> str | None:
    """Why the items failed, where it was the same for all of them."""
    codes = {item.error_code for item in items}
    return codes.pop() if len(codes) == 1 else None


async def _read(work: LeasedJob, item: Item, fetch: Fetch) -> None:
    if item.link is None:
        async with work.write() as connection:
            await update_item(connection, item.id, work.clock(), status="collected")
        return
    try:
        document = await fetch(item.link)
    except SourceRefused as refusal:
        async with work.write() as connection:
            await _fail(connection, item, work.clock(), refusal.code, refusal.message, retryable=refusal.is_passing)
        return
    read = asdict(document)
    # PostgreSQL stores no NUL; a space keeps the offsets of the pages.
    read |= {"text": document.text.replace("\0", " "), "title": document.title.replace("\0", " ")}
    read.pop("link")
    async with work.write() as connection:
        await update_item(connection, item.id, work.clock(), **read, status="collected")


async def index(work: LeasedJob, chunk: Callable[[Document], list[Chunk]]) -> None:
    """Make findable what was collected and is not indexed yet. Raises StageFailed for a mind without any text."""
    items = await _items(work)
    for number, item in enumerate(items, 1):
        if item.status == "collected":
            message = f"Indexing {number} of {len(items)} sources"
            async with work.report("index", message, number - 1, len(items)) as connection:
                text = await read_text(connection, item.id)
            await _index_item(work, item, text, chunk)
    if work.job.kind == TRAINING:
        async with work.read() as connection:
            known = await count_chunks(connection, mind_id=work.job.mind_id)
        if known == 0:
            reason = _common_code(await _items(work))
            raise StageFailed("COLLECTION_FAILED", "No source has readable text", retryable=False, reason=reason)


async def _index_item(work: LeasedJob, item: Item, text: str, chunk: Callable[[Document], list[Chunk]]) -> None:
    pages = None if item.pages is None else tuple(item.pages)
    document = Document(item.title, text, item.source, item.link, item.media_type, pages)
    chunks = await asyncio.to_thread(chunk, document)
    async with work.write() as connection:
        await replace_chunks(connection, item, chunks)
        if chunks:
            await update_item(connection, item.id, work.clock(), status="completed")
        else:
            await _fail(connection, item, work.clock(), "no_text", "No readable text", retryable=False)


async def _fail(connection: AsyncConnection, item: Item, now: int, code: str, error: str, *, retryable: bool) -> None:
    """`error` is shown to the owner; `code` is the stable word for it."""
    why = {"error": error, "error_code": code, "error_retryable": retryable}
    await update_item(connection, item.id, now, status="failed", **why)


async def finish(work: LeasedJob, persona_engine: PersonaEngine) -> None:
    """Write the system prompt where the job asks for one, and complete the job in the same transaction.

    Raises StageFailed when the engine does not answer.
    """
    async with work.report("prompt", "Writing the prompt"):
        pass
    mind = await work.mind()
    if not await _wants_prompt(work, mind):
        async with work.write() as connection:
            await end(connection, work.lease, work.clock(), "completed", message="Indexed", progress=100)
        return
    prompt = await _ask_prompt(work, mind, persona_engine)
    async with work.write() as connection:
        await update_row(connection, Mind, mind.id, system_prompt=prompt, updated_at=work.clock())
        if work.job.item_id is not None:
            await update_item(connection, work.job.item_id, work.clock(), prompt_regenerated=True)
        await end(connection, work.lease, work.clock(), "completed", message="Ready to chat", progress=100)


async def _wants_prompt(work: LeasedJob, mind: Mind) -> bool:
    if work.job.kind != KNOWLEDGE or work.job.item_id is None:
        return True
    async with work.read() as connection:
        item = await find_item(connection, mind.id, work.job.item_id)
    # A mind becomes ready by its training only, so that its status and its readiness never disagree.
    return mind.ready and item is not None and item.regenerate_prompt and item.status == "completed"


async def _ask_prompt(work: LeasedJob, mind: Mind, persona_engine: PersonaEngine) -> str:
    async with work.read() as connection:
        known = await outline(connection, mind.id)
    about = list(dict.fromkeys([*mind.keywords, *known])) or list(filter(None, [mind.discipline]))
    if mind.profile is None:
        profile = await _ask_profile(mind, persona_engine)
    else:
        stored = mind.profile
        profile = Profile(stored["discipline"], stored["description"], tuple(stored["traits"]))
    try:
        return await persona_engine.prompt(persona_of(mind), profile, about)
    except EngineUnavailable as error:
        message = "The persona engine could not write the prompt"
        raise StageFailed("PROFILE_GEN_FAILED", message, retryable=error.retryable) from error
