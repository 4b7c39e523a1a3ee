"""The four stages of a training: profile, collect, index, prompt. Each takes up where a killed process left it.

Every write is one transaction with the proof that the lease on the job still holds, and with the job's progress.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from app.internal_api.engines.engine import EngineUnavailable, Profile
from app.internal_api.engines.extractive.profiles import phrases_of
from app.internal_api.knowledge.documents import Document, Fetch, SourceRefused
from app.internal_api.services import Services
from app.internal_api.store import knowledge as store
from app.internal_api.store.leases import Lease, LeaseLost
from app.internal_api.store.minds import KNOWLEDGE, PROMPT, TRAINING, Job, Mind
from app.internal_api.store.rows import find_row, update_row

READ = frozenset({"collected", "completed", "failed"})
"""States of an item that was read, by this job before it was cut off or by a job of the item's own."""


@dataclass(eq=False)
class StageFailed(Exception):
    """The job cannot be finished; `message` is shown to the owner, `reason` is a stable word for it, where known."""

    code: str
    message: str
    retryable: bool = field(kw_only=True)
    reason: str | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True)
class LeasedJob:
    """A claimed job and the right to work on it."""

    services: Services
    job: Job
    lease: Lease

    async def run(self) -> None:
        """Work through the stages still to do, the one that was begun first: it may have been cut off.

        Raises `StageFailed`: the job cannot be finished; `LeaseLost`: it is another worker's now.
        """
        stages = list(STAGES)
        first = self.job.stage if self.job.stage in stages else FIRST[self.job.kind]
        for stage in stages[stages.index(first) :]:
            await STAGES[stage][0](self)

    @property
    def now(self) -> int:
        return self.services.clock()

    def report(
        self, stage: str, message: str, done: int = 0, total: int = 1
    ) -> AbstractAsyncContextManager[AsyncConnection]:
        """A write that also says how far the job is: `done` of `total` parts of a stage are finished."""
        _, begin, end = STAGES[stage]
        return self.lease.write(stage=stage, message=message, progress=begin + (end - begin) * done // max(total, 1))

    async def mind(self) -> Mind:
        """The mind of the job; LeaseLost when it was deleted meanwhile, since its jobs went with it."""
        async with self.services.read() as connection:
            mind = await find_row(connection, Mind, self.job.mind_id)
        if mind is None:
            raise LeaseLost
        return mind

    async def items(self) -> list[store.Item]:
        """The sources that the job is about."""
        async with self.services.read() as connection:
            items = await store.list_items(connection, self.job.mind_id)
        return [item for item in items if self.job.item_id in {None, item.id}]


async def make_profile(work: LeasedJob) -> None:
    """Work out who the persona is, from the owner's few words."""
    async with work.report("profile", "Working out who this is") as connection:
        count = await store.count_items(connection, work.job.mind_id)
    mind = await work.mind()
    if count == 0:
        raise StageFailed("PROFILE_GEN_FAILED", "Add knowledge, then regenerate the prompt", retryable=True)
    with _asking("The persona engine could not describe this mind"):
        profile = await work.services.persona_engine.profile(mind)
    async with work.lease.write() as connection:
        await update_row(connection, Mind, mind.id, profile=asdict(profile))


async def collect(work: LeasedJob) -> None:
    """Read every source that has not been read; fails when none could ever be."""
    items = await work.items()
    for number, item in enumerate(items, 1):
        if item.status not in READ:
            message = f"Reading {number} of {len(items)} sources"
            async with work.report("collect", message, number - 1, len(items)) as connection:
                await store.update_item(connection, item.id, work.now, status="running")
            changed = await _read(item, work.services.reading.fetch)
            async with work.lease.write() as connection:
                await store.update_item(connection, item.id, work.now, **changed)
    items = await work.items()
    if work.job.kind == TRAINING and not any(item.has_text for item in items):
        message = next((item.error for item in items if item.error), "No source could be read")
        retryable = any(item.error_retryable for item in items)
        raise StageFailed("COLLECTION_FAILED", message, retryable=retryable, reason=_common_code(items))


async def index(work: LeasedJob) -> None:
    """Make findable what was collected and is not indexed yet; fails for a mind without any text."""
    items = await work.items()
    for number, item in enumerate(items, 1):
        if item.status == "collected":
            message = f"Indexing {number} of {len(items)} sources"
            async with work.report("index", message, number - 1, len(items)) as connection:
                text = await store.read_text(connection, item.id)
            pages = None if item.pages is None else tuple(item.pages)
            document = Document(item.title, text, item.source, item.link, item.media_type, pages)
            try:
                chunks = await asyncio.to_thread(work.services.reading.chunk, document)
                empty = _failure("no_text", "No readable text", retryable=False)
                changed = {"status": "completed"} if chunks else empty
            except SourceRefused as refusal:
                chunks, changed = [], _failure(refusal.code, refusal.message, retryable=False)
            async with work.lease.write() as connection:
                await store.replace_chunks(connection, item, chunks)
                await store.update_item(connection, item.id, work.now, **changed)
    if work.job.kind == TRAINING:
        async with work.services.read() as connection:
            known = await store.count_chunks(connection, mind_id=work.job.mind_id)
        if known == 0:
            reason = _common_code(await work.items())
            raise StageFailed("COLLECTION_FAILED", "No source has readable text", retryable=False, reason=reason)


async def finish(work: LeasedJob) -> None:
    """Write the system prompt where the job asks for one, and complete the job in the same transaction."""
    async with work.report("prompt", "Writing the prompt"):
        pass
    mind, wanted = await work.mind(), True
    if work.job.kind == KNOWLEDGE and work.job.item_id is not None:
        async with work.services.read() as connection:
            item = await store.find_item(connection, mind.id, work.job.item_id)
        # A mind becomes ready by its training only, so that its status and its readiness never disagree.
        wanted = mind.ready and item is not None and item.regenerate_prompt and item.status == "completed"
    prompt = await _prompt(work, mind) if wanted else None
    message = "Indexed" if prompt is None else "Ready to chat"
    async with work.lease.write() as connection:
        if prompt is not None:
            await update_row(connection, Mind, mind.id, system_prompt=prompt, updated_at=work.now)
            if work.job.item_id is not None:
                await store.update_item(connection, work.job.item_id, work.now, prompt_regenerated=True)
        await work.lease.end(connection, "completed", message=message, progress=100)


STAGES: Mapping[str, tuple[Callable[[LeasedJob], Awaitable[None]], int, int]] = {
    "profile": (make_profile, 3, 10),
    "collect": (collect, 10, 55),
    "index": (index, 55, 85),
    "prompt": (finish, 85, 99),
}
"""In their order, with the progress when each begins and when it ends; collecting waits for the network most."""
FIRST: Mapping[str, str] = {TRAINING: "profile", KNOWLEDGE: "collect", PROMPT: "prompt"}
"""The stage that each kind of job begins with."""


async def _prompt(work: LeasedJob, mind: Mind) -> str:
    async with work.services.read() as connection:
        known = await store.outline(connection, mind.id)
    said = phrases_of(mind.context) or filter(None, [mind.discipline])
    about = list(dict.fromkeys([*mind.keywords, *known])) or list(said)
    engine, stored = work.services.persona_engine, mind.profile
    with _asking("The persona engine could not write the prompt"):
        told = stored and Profile(stored["discipline"], stored["description"], tuple(stored["traits"]))
        return await engine.prompt(mind, told or await engine.profile(mind), about)


@contextmanager
def _asking(failure: str) -> Iterator[None]:
    """The engine's failure becomes that of the stage, in the words `failure`; the sources are not at fault."""
    try:
        yield
    except EngineUnavailable as error:
        raise StageFailed("PROFILE_GEN_FAILED", failure, retryable=True, reason=error.code) from error


async def _read(item: store.Item, fetch: Fetch) -> Mapping[str, Any]:
    """What reading the source changes of its item."""
    if item.link is None:
        return {"status": "collected"}
    try:
        read = asdict(await fetch(item.link))
    except SourceRefused as refusal:
        return _failure(refusal.code, refusal.message, retryable=refusal.is_passing)
    del read["link"]
    return {**read, "status": "collected"}


def _failure(code: str, error: str, *, retryable: bool) -> Mapping[str, Any]:
    """`error` is shown to the owner; `code` is the stable word for it."""
    return {"status": "failed", "error": error, "error_code": code, "error_retryable": retryable}


def _common_code(items: Sequence[store.Item]) -> str | None:
    """Why the items failed, where it was the same for all of them."""
    codes = {item.error_code for item in items}
    return codes.pop() if len(codes) == 1 else None
