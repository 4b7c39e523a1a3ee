"""Manifests like those of the source document, and a gateway that serves them."""

import gzip
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from mcp.client import Client

from mcp_server.settings import McpSettings
from mcp_server.toolset import configured_toolsets
from mcp_server.toolsets.manifests.models import Manifest, Page
from mcp_server.toolsets.manifests.store import folder_of, save
from tests.loopback import reply
from tests.support import Era, FakeApi, Gateway, serve

CONFIRM = "https://docs.stripe.com/api/payment_intents/confirm"
HTML = (
    b"<html><head><title>Confirm</title></head><body><nav><a href='/'>Home</a></nav><main>"
    b"<h1>Confirm a PaymentIntent</h1><p>Confirm that your customer intends to pay with the current method.</p>"
    b"<pre><code>stripe.confirm()</code></pre></main></body></html>"
)


def manifest(name: str, url: str, pages: Iterable[tuple[str, str] | tuple[str, str, str]]) -> Manifest:
    """With pages of paths, titles and headings."""
    made = tuple(Page(url=f"{url}{path}", title=title, heading="".join(more)) for path, title, *more in pages)
    return Manifest(name=name, url=url, source="sitemap", fetched_at=datetime.now(UTC), pages=made)


def stripe() -> Manifest:
    """The document's: 412 pages, 138 of them below /api, 67 below /payments and 41 below /billing."""
    sizes = {"/api": 138, "/payments": 67, "/billing": 41}
    pages = [
        (f"{section}/part/n{number}", f"Part {number}") for section, size in sizes.items() for number in range(size)
    ]
    pages[0] = ("/api/payment_intents/confirm", "Confirm a PaymentIntent")
    pages[1] = ("/api/payment_intents/create", "Create a PaymentIntent")
    rest = [(f"/more{number // 40}/n{number}", f"More {number}") for number in range(412 - len(pages))]
    return manifest("stripe", "https://docs.stripe.com", [*pages, *rest])


def react() -> Manifest:
    pages = [(f"/learn/step-{number}", f"Step {number}") for number in range(171)]
    return manifest(
        "react", "https://react.dev", [("/reference/use-effect", "useEffect", "Hooks"), ("/confirm", "Confirm"), *pages]
    )


def written(data_dir: Path, *manifests: Manifest) -> Path:
    for one in manifests:
        save(folder_of(data_dir), one)
    return data_dir


@asynccontextmanager
async def serving_manifests(data_dir: Path, *hosts: str, **values: Any) -> AsyncIterator[Gateway]:
    """A gateway that serves this toolset and nothing else, and may fetch from those `hosts` on loopback."""
    given: dict[str, Any] = {"data_dir": data_dir, "fetch_allow_hosts": hosts}
    toolsets, own = configured_toolsets(McpSettings(_env_file=None, toolsets="manifests"), None, **values)
    async with serve(FakeApi(), toolsets, own=own, **given) as gateway:
        yield gateway


@asynccontextmanager
async def client_of(data_dir: Path, *hosts: str, era: Era = "auto", **values: Any) -> AsyncIterator[Client]:
    async with serving_manifests(data_dir, *hosts, **values) as gateway, gateway.connect(era=era) as client:
        yield client


def page(body: bytes | str = HTML, kind: str = "text/html", **headers: str) -> bytes:
    return reply("200 OK", body if isinstance(body, bytes) else body.encode(), Content_Type=kind, **headers)


def sitemap_of(*urls: str, kind: str = "urlset", packed: bool = False) -> bytes:
    inner = "sitemap" if kind == "sitemapindex" else "url"
    rows = "".join(f"<{inner}><loc>{url}</loc></{inner}>" for url in urls)
    body = f'<?xml version="1.0"?><{kind} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</{kind}>'.encode()
    return reply("200 OK", gzip.compress(body) if packed else body, Content_Type="application/xml")
