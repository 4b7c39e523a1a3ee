"""A process that serves the API: `python -m tests.app.internal_api.panels.killed DATABASE_URL PORT CALLS MOST`.

Everybody who is asked is written to the file CALLS first, one name a line, so that calls are counted across lives.
After MOST of them the process gets no answer any more.
"""

import asyncio
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import httpx2
import uvicorn
from sqlalchemy import make_url

from app.internal_api.engines.coding import Code, Coded, Coding
from app.internal_api.engines.engine import SurveyQuestion
from app.internal_api.factory import create_internal_api
from app.internal_api.settings import InternalApiSettings
from app.internal_api.store.minds import Mind
from app.storage.engine import open_engine
from tests.app.internal_api.support import SECRET, FakeEngine, FakePrincipals, any_link

CODING = "coding"  # is written to CALLS when answers are coded
LEASE_SECONDS = 3.0  # long beside what a busy machine may hold a heartbeat up, short to wait for after a kill


class CountedEngine(FakeEngine):
    """Names its process, so that an answer that was given twice could be told."""

    def __init__(self, calls: Path, most: int) -> None:
        super().__init__(name=f"process {os.getpid()}", on_survey=self._count)
        self._calls, self._left = calls, most

    async def _count(self, persona: Mind, _question: SurveyQuestion) -> None:
        with self._calls.open("a", encoding="utf-8") as calls:
            calls.write(f"{persona.name}\n")
        self._left -= 1
        if self._left < 0:
            await asyncio.Event().wait()

    async def code(
        self, question: str, texts: Mapping[str, str], known: Sequence[Code], examples: Mapping[str, Sequence[str]]
    ) -> Coded | None:
        """Every answer has the code of this process, unless the process was to be stopped by now."""
        await self._called("code", (question, dict(texts), tuple(known), dict(examples)))
        with self._calls.open("a", encoding="utf-8") as calls:
            calls.write(f"{CODING}\n")
        if self._left <= 0:
            await asyncio.Event().wait()
        code = Code("c1", f"Coded by {self.name}")
        return Coded((code,), {mind: Coding({code.id: "I am"}) for mind in texts}, "model")


async def main(address: str, port: int, calls: Path, most: int) -> None:
    """Serve and ask until killed."""
    api = create_internal_api(
        engine=open_engine(make_url(address)),
        principals=FakePrincipals(),
        web=httpx2.AsyncClient(),
        settings=InternalApiSettings(panel_lease_seconds=LEASE_SECONDS, poll_seconds=0.1),
        persona_engine=CountedEngine(calls, most),
        admit_link=any_link,
        secret=SECRET,
    )
    config = uvicorn.Config(api.app, port=port, lifespan="off", log_level="warning", log_config=None)
    async with api.lifespan():
        await uvicorn.Server(config).serve()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4])))
