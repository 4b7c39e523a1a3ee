"""What the manifests toolset reads from the environment."""

from typing import Annotated

from pydantic import Field

from mcp_server.settings import ToolsetSettings


class ManifestsSettings(ToolsetSettings):
    """Each field is one variable of the same name."""

    manifests_page_ttl: Annotated[float, Field(gt=0, le=31_536_000)] = Field(
        86_400, description="Seconds for which `get_page` takes a page from its cache without asking the site."
    )
