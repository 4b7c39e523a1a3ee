"""Manifests: which pages documentation sites have, and these pages as Markdown."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pydantic import Field

from mcp_server.runtime import Runtime
from mcp_server.settings import ToolsetSettings
from mcp_server.toolsets.manifests.pages import CACHE_FILE, PageCache, PageReader
from mcp_server.toolsets.manifests.service import Manifests
from mcp_server.toolsets.manifests.store import ManifestStore

TITLE = "Documentation sites"
INSTRUCTIONS = (
    "list_docs shows the documentation sites that are mounted, search_pages finds pages by title and path, "
    "list_sections and get_section_pages walk a site, and get_page reads a page as Markdown."
)


class ManifestsSettings(ToolsetSettings):
    """What the toolset reads from the environment."""

    manifests_page_seconds: int = Field(
        86_400, ge=0, le=31_536_000, description="Seconds for which a page of a site is taken from the cache."
    )


SETTINGS = ManifestsSettings


@asynccontextmanager
async def open_service(runtime: Runtime) -> AsyncIterator[Manifests]:
    """The service of this toolset, on the files below DATA_DIR."""
    folder, seconds = runtime.settings.data_dir, runtime.settings_of(ManifestsSettings).manifests_page_seconds
    reader = PageReader(runtime.web, PageCache(folder / CACHE_FILE), seconds)
    service = Manifests(ManifestStore(folder), reader)
    runtime.sources[__name__.rpartition(".")[2]] = service
    try:
        yield service
    finally:
        service.close()
