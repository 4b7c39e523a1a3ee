"""A new persona."""

from typing import Annotated

from mcp_types import ToolAnnotations
from pydantic import Field

from mcp_server.caller import current_caller
from mcp_server.errors import AuthenticationRequired
from mcp_server.toolkit.arguments import ONE_LINE, OPTIONAL, PLAIN_TEXT, TRIMMED, WEB_LINK, null_as
from mcp_server.toolset import Tool
from mcp_server.toolsets.personas._creation import Mode, NewPersona, Type
from mcp_server.toolsets.personas._words import created
from mcp_server.toolsets.personas.models import CreatedPersona
from mcp_server.toolsets.personas.tools import Personas, Reports, Request

SCOPES = frozenset({"sparks:write"})

FOLLOWED = 20.0
"""Seconds for which a training is followed when the client wants to be told of progress."""

Name = Annotated[str, TRIMMED, Field(min_length=2, max_length=100, description="What to call the persona."), ONE_LINE]
ModeArgument = Annotated[
    Mode,
    Field(
        description="keywords: from words (keywords). clone: a digital twin of a person (personaContext). "
        "link: from a web page (contextLink). manual: empty, to be given knowledge later."
    ),
]
TypeArgument = Annotated[
    Type,
    null_as(default="expert"),
    Field(description="expert: knows a field. creative: has a voice. user: stands for a customer."),
]
Discipline = Annotated[str, TRIMMED, Field(max_length=200, description="Field or role, such as UX research."), ONE_LINE]
Keyword = Annotated[str, TRIMMED, Field(min_length=1, max_length=100), ONE_LINE]
Keywords = Annotated[list[Keyword], Field(max_length=20, description="What it knows; required in mode keywords.")]
Context = Annotated[
    str, TRIMMED, Field(max_length=5_000, description="Who the person is; required in mode clone."), PLAIN_TEXT
]
Link = Annotated[
    str,
    TRIMMED,
    Field(
        max_length=2_048,
        description="Address of a public page; required in mode link.",
        json_schema_extra={"format": "uri"},
    ),
    WEB_LINK,
]
Description = Annotated[str, TRIMMED, Field(max_length=2_000, description="A sentence about the persona."), PLAIN_TEXT]
Demo = Annotated[
    bool,
    null_as(default=True),
    Field(description="Make a temporary persona when nobody is signed in; otherwise ask to sign in."),
]


async def create_ai_persona_or_digital_twin(
    personas: Personas,
    report: Reports,
    request: Request,
    *,
    name: Name,
    mode: ModeArgument,
    type: TypeArgument = "expert",
    discipline: Annotated[Discipline | None, OPTIONAL] = None,
    keywords: Annotated[Keywords | None, OPTIONAL] = None,
    personaContext: Annotated[Context | None, OPTIONAL] = None,
    contextLink: Annotated[Link | None, OPTIONAL] = None,
    description: Annotated[Description | None, OPTIONAL] = None,
    demo: Demo = True,
) -> CreatedPersona:
    """Create an AI persona, or the digital twin of a person, and start its training.

    Choose the mode by what the user has: words (keywords), a description of a person (personaContext), or a public web
    page (contextLink). Training runs on after the call returns, from seconds to a few minutes. Next: call
    check_ai_persona_training_progress with the returned sparkId until readyToChat is true, then talk_to_ai_persona. An
    equal call within ten seconds returns the same persona. Without signing in it makes a temporary demo persona.
    """
    anonymous = current_caller.get().is_anonymous
    if anonymous and not demo:
        raise AuthenticationRequired("Sign in to create a persona that stays", scopes=sorted(SCOPES))
    wanted = NewPersona(
        name=name,
        mode=mode,
        type=type,
        discipline=discipline,
        keywords=tuple(keywords or ()),
        persona_context=personaContext,
        context_link=contextLink,
        description=description,
    )
    wanted.check()
    made, duplicate = await personas.create(wanted)
    training = await personas.look(made)
    if _wants_progress(request):
        async for done, state in personas.watch(made, training, FOLLOWED):
            training = state
            await report(done, 100.0, state.news())
    return created(made, training, duplicate=duplicate, demo=anonymous, manual=mode == "manual")


def _wants_progress(request: Request) -> bool:
    return request.meta is not None and request.meta.get("progress_token") is not None


TOOL = Tool(
    run=create_ai_persona_or_digital_twin,
    title="Create an AI persona or digital twin",
    # A link is fetched from the open web; an equal call is the same creation for ten seconds only.
    annotations=ToolAnnotations(
        read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=True
    ),
    scopes=SCOPES,
    public=True,
    timeout=95.0,  # the creation may take 60 seconds, a look at its training 5, and following it 20
    limit="20/minute",
    cost="high",
    invoking="Creating the persona",
    invoked="Created the persona",
)
