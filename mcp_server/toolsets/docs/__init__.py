"""Documentation: search, read and list the Markdown pages of one folder."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from mcp_server.errors import ServiceUnavailable
from mcp_server.runtime import Runtime
from mcp_server.toolkit.tasks import beside
from mcp_server.toolsets.docs.index import DocsIndex
from mcp_server.toolsets.docs.service import DocsService
from mcp_server.toolsets.docs.settings import DocsSettings

DEFAULT = 3
SETTINGS = DocsSettings
INSTRUCTIONS = (
    "search_docs finds pages of the documentation, get_doc_page reads one or only some sections of it, "
    "and list_doc_pages shows what there is."
)
LISTING_SECONDS = 0.3
"""A thread that loads takes its time from the first answers of the process: it begins when they are given."""


@asynccontextmanager
async def open_service(runtime: Runtime) -> AsyncIterator[DocsService]:
    """The service; its index is loaded or built soon, so that no list of tools waits for it, and hardly any call."""
    settings = runtime.settings_of(DocsSettings)
    cache = settings.index_folder(runtime.settings.data_dir)
    index = DocsIndex(settings.root, cache, rebuild=settings.debug)
    most, snippet = settings.mcp_max_search_results, settings.mcp_snippet_length
    service = DocsService(index, most=most, snippet=snippet, base_url=runtime.site_url)
    runtime.sources[__name__.rpartition(".")[2]] = service
    try:
        async with beside(_load(service)):
            yield service
    finally:
        await asyncio.to_thread(index.close)


async def _load(service: DocsService) -> None:
    await asyncio.sleep(LISTING_SECONDS)
    try:
        await service.pages()
    except ServiceUnavailable:
        return  # it is logged, and every call says so
