"""Manifests of two sites, and a client of a gateway that serves them."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from mcp.client import Client

from mcp_server.settings import McpSettings
from mcp_server.toolset import configured_toolsets
from mcp_server.toolsets.manifests.models import Manifest, ManifestPage
from mcp_server.toolsets.manifests.store import ManifestStore
from tests.support import Era, FakeApi, serve

STRIPE = "https://docs.stripe.com"
PAGES = (
    ("/api/payment_intents/confirm", "Confirm a PaymentIntent"),
    ("/api/payment_intents/create", "Create a PaymentIntent"),
    ("/api/refunds", "Refunds"),
    ("/payments/checkout", "Checkout"),
    ("/billing", "Billing"),
)
REACT = (("/reference/react/useState", "useState"), ("/learn/confirm", "Confirm what you have learnt"))


def manifest(name: str, url: str, pages: Sequence[tuple[str, str]]) -> Manifest:
    listed = tuple(ManifestPage(url=f"{url}{path}", title=title) for path, title in pages)
    at = datetime(2026, 11, 20, tzinfo=UTC)
    return Manifest(name=name, url=url, source="llms.txt", listed_at=f"{url}/llms.txt", fetched_at=at, pages=listed)


def stored(folder: Path, *manifests: Manifest) -> ManifestStore:
    store = ManifestStore(folder)
    for one in manifests or (manifest("stripe", STRIPE, PAGES), manifest("react", "https://react.dev", REACT)):
        store.save(one)
    return store


@asynccontextmanager
async def client_of(folder: Path, era: Era = "auto", *, allow: str = "", **own: Any) -> AsyncIterator[Client]:
    """`allow` is a host that may be fetched although it is on this machine; `own` are settings of the toolset."""
    toolsets, read = configured_toolsets(McpSettings(_env_file=None, toolsets="manifests"), None, **own)
    values: dict[str, Any] = {"data_dir": folder, "fetch_allow_hosts": (allow,) if allow else ()}
    async with serve(FakeApi(), toolsets, own=read, **values) as gateway, gateway.connect(era=era) as client:
        yield client
