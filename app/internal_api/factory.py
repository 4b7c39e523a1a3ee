"""Composes the embedded API from what it is given; nothing runs before its lifespan is entered."""

import hmac
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from hashlib import sha256

import httpx2
from pydantic import SecretStr
from sqlalchemy.ext.asyncio import AsyncEngine

from app.internal_api.engines.extractive.engine import ExtractiveEngine
from app.internal_api.http.api import Api
from app.internal_api.knowledge.chunk import chunk_document
from app.internal_api.knowledge.documents import Reading
from app.internal_api.knowledge.embeddings import Embedder
from app.internal_api.knowledge.index import KnowledgeIndex
from app.internal_api.knowledge.reader import fetch_document, read_document
from app.internal_api.panels.exporter import Exporter
from app.internal_api.panels.worker import PanelWorker
from app.internal_api.principals import Principals
from app.internal_api.resources.table import operations
from app.internal_api.services import Services
from app.internal_api.settings import InternalApiSettings
from app.internal_api.store.rows import find_row
from app.internal_api.store.studies import Study
from app.internal_api.training.worker import TrainingWorker


@dataclass(frozen=True, slots=True)
class InternalApi:
    """The host mounts `app`, opens and closes `web`, and enters `lifespan` once."""

    services: Services
    app: Api
    web: httpx2.AsyncClient
    worker: TrainingWorker
    panel_worker: PanelWorker
    exporter: Exporter

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """Trains minds, asks them and makes exports beside the body, unless another process is to do that."""
        if not self.services.settings.run_worker:
            yield
            return
        async with self.worker.running(), self.panel_worker.running(), self.exporter.running():
            yield

    async def has_study(self, study_id: str) -> bool:
        async with self.services.read() as connection:
            return await find_row(connection, Study, study_id) is not None


def create_internal_api(
    *,
    engine: AsyncEngine,
    principals: Principals,
    web: httpx2.AsyncClient,
    settings: InternalApiSettings,
    persona_engine: ExtractiveEngine,
    admit_link: Callable[[str], Awaitable[None]],
    secret: SecretStr,
    reading: Reading | None = None,
    clock: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
) -> InternalApi:
    """The embedded API on a migrated database.

    `web` fetches what users name, so it is the guarded client. `admit_link` may refuse an address with
    SourceRefused before anything is stored; either way `web` has the last word when the address is fetched.
    `secret` is what links are signed with: the same in all processes.
    """
    fetch = partial(fetch_document, web, max_bytes=settings.max_fetch_bytes, deadline=settings.fetch_seconds)
    services = Services(
        engine=engine,
        principals=principals,
        settings=settings,
        persona_engine=persona_engine,
        reading=reading
        or Reading(fetch, read_document, chunk_document, KnowledgeIndex(engine, Embedder.installed()).search),
        admit_link=admit_link,
        clock=clock,
        # For links alone: who learns it can make no credential of it, nor the other way about.
        link_key=hmac.digest(secret.get_secret_value().encode(), b"links to exports, version 1", sha256),
    )
    workers = TrainingWorker(services), PanelWorker(services), Exporter(services)
    return InternalApi(services, Api(services, operations()), web, *workers)
