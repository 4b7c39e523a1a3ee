"""What the documentation toolset reads from the environment."""

import hashlib
from pathlib import Path

from pydantic import Field

from mcp_server.settings import ToolsetSettings

OWN_DOCS = Path(__file__).resolve().parents[3] / "docs"


class DocsSettings(ToolsetSettings):
    """Each field is one variable of the same name."""

    docs_root: Path | None = Field(None, description="Folder of Markdown files; unset, this project's own `docs/`.")
    cache_root: Path | None = Field(
        None, description="Where `mcp/search-index.json` is kept; unset, a folder for each root in `DATA_DIR`."
    )
    mcp_enabled: bool = Field(default=True, description="Serve the documentation tools.")
    mcp_max_search_results: int = Field(10, ge=1, le=50, description="Results of `search_docs` without a `limit`.")
    mcp_snippet_length: int = Field(200, ge=50, le=1_000, description="Characters around a match that are shown.")
    mcp_rate_limit_requests: int = Field(
        120, ge=1, le=1_000_000, description="Calls of the documentation tools together, of one caller, in a window."
    )
    mcp_rate_limit_window: int = Field(60, ge=1, le=86_400, description="Seconds of that window.")
    debug: bool = Field(default=False, description="")

    @property
    def root(self) -> Path:
        return (self.docs_root or OWN_DOCS).resolve()

    def index_folder(self, data_dir: Path) -> Path:
        """Where the index is kept. Two servers with a root each do not undo each other's work."""
        digest = hashlib.sha256(str(self.root).encode()).hexdigest()[:12]
        return self.cache_root or data_dir / "cache" / f"docs-{digest}"

    @property
    def is_enabled(self) -> bool:
        return self.mcp_enabled

    @property
    def limit(self) -> str:
        return f"{self.mcp_rate_limit_requests}/{self.mcp_rate_limit_window}seconds"
