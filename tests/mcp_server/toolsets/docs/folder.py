"""A documentation folder like the one in the source document, and a client of it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from mcp.client import Client

from mcp_server.settings import McpSettings
from mcp_server.toolset import configured_toolsets
from tests.support import Era, FakeApi, serve

ENDPOINTS = """# API Endpoints

No rate limiting by default. Rate limiting is configured with `MCP_RATE_LIMIT_REQUESTS`.

## GET /llms.txt

The index for language models.

### Caching

It is kept for an hour.

## GET /search

Full-text search, as `--flag` or UC-2-002 wants it.
"""

PAGES = {
    "index.md": "# Welcome\n\nStart here. Déjà vu: 文档搜索。\n",
    "api/endpoints.md": ENDPOINTS,
    "configuration.md": '---\ntitle: "Configuration"\n---\n\nSet `MCP_RATE_LIMIT_REQUESTS` as you like.\n',
}
"""What the listing of the document names."""


def written(root: Path, pages: dict[str, str] = PAGES) -> Path:
    for path, text in pages.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root


@asynccontextmanager
async def docs_client(root: Path, era: Era = "auto", **values: Any) -> AsyncIterator[Client]:
    """A client of a gateway that serves the folder and nothing else; its index is kept beside it."""
    given = {"docs_root": root, "cache_root": root.parent / "cache", **values}
    toolsets, own = configured_toolsets(McpSettings(_env_file=None, toolsets="docs"), None, **given)
    async with serve(FakeApi(), toolsets, own=own) as gateway, gateway.connect(era=era) as client:
        yield client
