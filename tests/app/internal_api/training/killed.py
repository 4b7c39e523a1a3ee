"""A process that trains until it is killed: `python -m tests.app.internal_api.training.killed DATABASE_URL`.

It says `reading` on stdout when it is in the middle of the second source, and then reads for ever.
"""

import asyncio
import sys

import httpx2
from sqlalchemy import make_url

from app.internal_api.factory import create_internal_api
from app.internal_api.knowledge.documents import Document, Reading
from app.internal_api.settings import InternalApiSettings
from app.storage.engine import open_engine
from tests.app.internal_api.support import FakeEngine, FakePrincipals, FakeSearch, FakeWeb, chunk, extract

LEASE_SECONDS = 2.0


async def main(address: str) -> None:
    """Train what is queued; hang at the second source."""
    engine, web = open_engine(make_url(address)), FakeWeb()

    async def fetch(url: str) -> Document:
        if web.asked:
            sys.stdout.write("reading\n")
            sys.stdout.flush()
            await asyncio.Event().wait()
        return await web.fetch(url)

    api = create_internal_api(
        engine=engine,
        principals=FakePrincipals(),
        web=httpx2.AsyncClient(),
        settings=InternalApiSettings(lease_seconds=LEASE_SECONDS),
        persona_engine=FakeEngine(),
        reading=Reading(fetch, extract, chunk, FakeSearch(engine)),
    )
    async with api.lifespan():
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
