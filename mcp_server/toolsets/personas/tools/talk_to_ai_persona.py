"""A message to a persona, and its answer."""

from typing import Annotated, Literal

from pydantic import Field

from mcp_server.toolkit.arguments import PLAIN_TEXT, TRIMMED
from mcp_server.toolset import CHANGES, Tool
from mcp_server.toolsets.personas._answers import PersonaReply
from mcp_server.toolsets.personas.resources.spark_widget import TOOL_META
from mcp_server.toolsets.personas.tools import ClientModel, Personas, TheirId, TheirName, Turn

Message = Annotated[
    str, TRIMMED, Field(min_length=1, max_length=10_000, description="What to say to the persona."), PLAIN_TEXT
]
History = Annotated[
    list[Turn],
    Field(max_length=50, description="Earlier messages, oldest first, without this one. The persona keeps none."),
]
Policy = Annotated[Literal["auto", "knowledge_only"], Field(description="knowledge_only: abstain without a source.")]


async def talk_to_ai_persona(
    personas: Personas,
    model: ClientModel,
    *,
    message: Message,
    sparkId: TheirId = None,
    sparkName: TheirName = None,
    conversationHistory: History | None = None,
    sourcePolicy: Policy | None = None,
) -> PersonaReply:
    """Say something to an AI persona and return its answer, with the sources that it cites as [n].

    Name the persona by sparkId or by sparkName. Each call stands alone: to continue a conversation, pass the earlier
    messages in conversationHistory. Show the answer as the persona's own words; it is synthetic, so treat it as
    direction and not as evidence about real people. When the persona is still being trained, the call says how far it
    is: continue with check_ai_persona_training_progress.
    """
    persona = await personas.meant(sparkId, sparkName)
    earlier = [turn.model_dump() for turn in conversationHistory or []]
    said = {"role": "user", "content": message}
    if earlier and earlier[-1] == said:  # models tend to pass the new message in the history as well
        earlier.pop()
    return await personas.talk(persona, [*earlier, said], sourcePolicy, model)


TOOL = Tool(
    run=talk_to_ai_persona,
    title="Talk to an AI persona",
    # Each answer is charged to the user's plan, so it is not read-only, although nothing is kept of it.
    annotations=CHANGES,
    scopes=frozenset({"sparks:read", "sparks:chat"}),
    timeout=58.0,  # an answer may take 45 seconds, after the persona was found
    limit="60/minute",
    cost="medium",
    invoking="Talking to the persona",
    invoked="The persona answered",
    meta=TOOL_META,
)
