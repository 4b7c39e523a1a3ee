"""A question to the assistant of a documentation site, and its answer."""

from typing import Annotated

from pydantic import Field

from mcp_server.toolkit.arguments import PLAIN_TEXT, TRIMMED
from mcp_server.toolset import READS, Tool
from mcp_server.toolsets.assistant.models import AssistantAnswer
from mcp_server.toolsets.assistant.tools import Asked, ProjectId, Reports

Question = Annotated[
    str, TRIMMED, Field(min_length=1, max_length=10_000, description="The question, in whole sentences."), PLAIN_TEXT
]


async def ask(
    assistant: Asked, reports: Reports, *, question: Question, project: ProjectId | None = None
) -> AssistantAnswer:
    """Ask a question about product documentation.

    The documentation's own assistant searches it and answers with links to the pages. Use it when the user wants to
    know how something there works. Follow-up questions may refer to earlier ones by the same caller; call clear_history
    when the subject changes. The answer is the assistant's, which may be wrong: check the pages that it links where
    much depends on it.
    """
    return await assistant.ask(question, project, reports)


TOOL = Tool(
    run=ask,
    title="Ask a documentation's assistant",
    annotations=READS.model_copy(update={"idempotent_hint": False, "open_world_hint": True}),
    public=True,
    timeout=112.0,  # more than ASSISTANT_SECONDS may be
    limit="20/minute",
    cost="medium",
    invoking="Asking the documentation",
    invoked="The assistant answered",
)
