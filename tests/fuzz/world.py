"""The whole product in one process, its embedded API included, and what no answer of it may be."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from app.composition import Parts
from tests.edge import Edge, make_keys, running, settings_for
from tests.fuzz.sizes import HANG
from tests.support import ALL_SCOPES

TRACES = ("Traceback (most recent", '.py", line', "sqlalchemy.", "site-packages", "object at 0x")


@dataclass
class World:
    """A gateway and a key that may do everything."""

    edge: Edge
    key: str

    async def answer(self, method: str, target: str, *, place: int = 1, **request: Any) -> httpx2.Response:
        """What comes back, from a client at an address of its own.

        Raises:
            TimeoutError: nothing does.

        """
        address = f"10.{place >> 16 & 255}.{place >> 8 & 255}.{place & 255}"
        transport = httpx2.ASGITransport(self.edge.app, raise_app_exceptions=False, client=(address, 4_711))
        async with (
            asyncio.timeout(HANG),
            httpx2.AsyncClient(transport=transport, base_url=str(self.edge.client.base_url)) as client,
        ):
            return await client.request(method, target, **request)


@asynccontextmanager
async def opened(folder: Path, **settings: Any) -> AsyncIterator[World]:
    """Without limits, which would answer most of what is sent instead of the parts that are to be tried."""
    chosen = settings_for(folder, rate_limit_enabled=False, **settings)
    key, _ = await make_keys(chosen, ALL_SCOPES)
    async with running(chosen, Parts()) as edge:
        yield World(edge, key)


def sound(response: httpx2.Response, sent: Mapping[str, Any]) -> None:
    """No fault of the server, and nothing of its inside."""
    assert response.status_code < 500 or response.status_code == 503, (response.status_code, sent, response.text[:500])
    assert not [trace for trace in TRACES if trace in response.text], (sent, response.text[:500])
    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.headers["x-request-id"]
