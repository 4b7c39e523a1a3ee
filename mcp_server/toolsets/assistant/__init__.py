"""The assistants of documentation sites that Mintlify hosts: ask them, and let them forget."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from mcp_server.runtime import Runtime
from mcp_server.toolkit.shared_lists import MemoryLists
from mcp_server.toolset import Tool, Toolset
from mcp_server.toolsets.assistant.service import NAME, OPERATION, Assistant
from mcp_server.toolsets.assistant.settings import AssistantSettings, Project

SETTINGS = AssistantSettings
INSTRUCTIONS = (
    "Call ask for a question about a product whose documentation it names: it answers from that documentation, and "
    "knows what a signed-in caller asked before. Call clear_history before a question about something else."
)


@asynccontextmanager
async def open_service(runtime: Runtime) -> AsyncIterator[Assistant]:
    """The service of this toolset, with a client of its own upstream."""
    settings = runtime.settings_of(AssistantSettings)
    timeouts = {OPERATION: settings.assistant_seconds}
    client = runtime.upstream(settings.assistant_base_url, name=NAME, timeouts=timeouts)
    lists = runtime.lists or MemoryLists(settings.assistant_history_seconds)
    yield Assistant(client, settings, lists, is_personal=not runtime.site_url)


def configure(toolset: Toolset, settings: AssistantSettings) -> Toolset:
    """The tools name the documentation that can be asked, and take `project` where there is a choice."""
    return replace(toolset, tools=tuple(_configured(tool, settings.projects) for tool in toolset.tools))


def _configured(tool: Tool, projects: Sequence[Project]) -> Tool:
    schema: dict[str, Any] = dict(tool.definition.input_schema)
    about = dict(schema["properties"])
    chosen = about.pop("project")
    names = projects[0].title
    if len(projects) > 1:
        about["project"] = {**chosen, "enum": [one.id for one in projects]}
        names = ", ".join(f"{one.title} ({one.id})" for one in projects)
        if "question" in about:
            schema["required"] = ["question", "project"]
    prompt = tool.description.replace("product documentation", f"{names} documentation")
    return replace(tool, prompt=prompt, input_schema={**schema, "properties": about})
