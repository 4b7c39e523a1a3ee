"""A new beginning with the assistant of a documentation site."""

from mcp_server.toolset import CHANGES, Tool
from mcp_server.toolsets.assistant.models import HistoryCleared
from mcp_server.toolsets.assistant.tools import Asked, ProjectId


async def clear_history(assistant: Asked, *, project: ProjectId | None = None) -> HistoryCleared:
    """Clear conversation history to start fresh.

    Use it before a question to `ask` that has nothing to do with the earlier ones, or when the assistant confuses them.
    Without a project it clears the conversations about all; other callers keep theirs.
    """
    return await assistant.clear(project)


TOOL = Tool(
    run=clear_history,
    title="Clear the conversation history",
    annotations=CHANGES.model_copy(update={"idempotent_hint": True}),
    public=True,
    invoking="Clearing the history",
    invoked="The history is cleared",
)
