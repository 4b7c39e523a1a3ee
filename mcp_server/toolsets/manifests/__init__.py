"""Documentation sites by their manifests: list, search and read pages of the web."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pydantic import Field

from mcp_server.runtime import Runtime
from mcp_server.settings import ToolsetSettings
from mcp_server.toolsets.manifests.pages import PageCache, PageReader
from mcp_server.toolsets.manifests.service import ManifestService
from mcp_server.toolsets.manifests.store import Library, folder_of


class ManifestsSettings(ToolsetSettings):
    manifests_page_ttl: float = Field(
        86_400, gt=0, le=31_536_000, description="Seconds for which `get_page` takes a page from its cache at once."
    )


SETTINGS = ManifestsSettings
INSTRUCTIONS = (
    "list_docs names documentation sites. search_pages finds pages by address, title and section, get_page reads one "
    "as Markdown; list_sections and get_section_pages walk a site. Leave out docs to ask all sites."
)


@asynccontextmanager
async def open_service(runtime: Runtime) -> AsyncIterator[ManifestService]:
    """The service, on the manifests in `DATA_DIR` and the guarded client."""
    settings, data_dir = runtime.settings_of(ManifestsSettings), runtime.settings.data_dir
    library = Library(folder_of(data_dir))
    cache = PageCache(data_dir / "cache" / "pages.sqlite3")
    service = ManifestService(library, PageReader(runtime.web, cache, ttl=settings.manifests_page_ttl))
    runtime.sources[__name__.rpartition(".")[2]] = service
    try:
        yield service
    finally:
        await asyncio.to_thread(library.close)
