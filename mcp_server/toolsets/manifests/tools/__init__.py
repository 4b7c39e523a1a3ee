"""The five tools of the documentation sites: one file, one function and one TOOL each."""

from collections.abc import Mapping
from functools import partial
from typing import Annotated

from pydantic import Field

from mcp_server.toolkit.arguments import PLAIN_TEXT
from mcp_server.toolkit.signature import PROVIDED
from mcp_server.toolset import READS, Tool
from mcp_server.toolsets.manifests.service import ManifestService

Manifests = Annotated[ManifestService, PROVIDED]
Docs = Annotated[str, Field(max_length=100, description="Only this site, by its name in list_docs."), PLAIN_TEXT] | None

CODES: Mapping[str, str] = {"invalid_arguments": "invalid_args", "internal": "internal"}
"""The words of the document, which has these besides not_found, fetch_failed and cache_error."""

tool = partial(Tool, annotations=READS, public=True, timeout=60, error_codes=CODES)
