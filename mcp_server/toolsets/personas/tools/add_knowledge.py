"""A source, given to a persona."""

from typing import Annotated

from pydantic import Field

from mcp_server.toolkit.arguments import ONE_LINE, PLAIN_TEXT, TRIMMED, WEB_LINK
from mcp_server.toolset import CHANGES
from mcp_server.toolsets.personas._editing import MOST_TEXT, ChangedPersona, FileResource
from mcp_server.toolsets.personas.tools import Personas, TheirId, TheirName, editing

Text = Annotated[str, TRIMMED, Field(min_length=1, max_length=MOST_TEXT, description="What it is to know."), PLAIN_TEXT]
Link = Annotated[str, TRIMMED, Field(max_length=2_048, description="A public page or document to read."), WEB_LINK]
File = Annotated[FileResource, Field(description="A file up to 3 MB, as the contents of an MCP resource.")]
Title = Annotated[
    str, TRIMMED, Field(min_length=1, max_length=200, description="What the source is called in citations."), ONE_LINE
]


async def add_knowledge(
    personas: Personas,
    *,
    sparkId: TheirId = None,
    sparkName: TheirName = None,
    text: Text | None = None,
    link: Link | None = None,
    file: File | None = None,
    title: Title | None = None,
) -> ChangedPersona:
    """Give an AI persona something to know: a text, a public link, or a file, such as a PDF.

    Use it for personas of mode manual, which begin empty, and to teach others more. One that is not trained yet is
    trained with it at once. Next: check_ai_persona_training_progress until readyToChat, then talk_to_ai_persona.
    """
    persona = await personas.meant(sparkId, sparkName)
    return await personas.editor.add(persona, text=text, link=link, file=file, title=title)


FETCHES = CHANGES.model_copy(update={"open_world_hint": True})
TOOL = editing(
    add_knowledge, "Give an AI persona knowledge", "Adding the source", "Added the source", annotations=FETCHES
)
