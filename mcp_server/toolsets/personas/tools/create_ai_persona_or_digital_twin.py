"""A new persona."""

from typing import Annotated, Literal

from pydantic import Field

from mcp_server.caller import current_caller
from mcp_server.errors import AuthenticationRequired, InvalidArguments
from mcp_server.toolkit.arguments import ONE_LINE, PLAIN_TEXT, TRIMMED, WebAddress
from mcp_server.toolkit.attributes import Attributes, tags_of
from mcp_server.toolset import CHANGES, Tool
from mcp_server.toolsets.personas._wire import WORDS, Made, Training, read_training
from mcp_server.toolsets.personas.models import CreatedPersona, DemoTerms, TrainingFacts
from mcp_server.toolsets.personas.resources.spark_widget import TOOL_META
from mcp_server.toolsets.personas.tools import Personas, Reports, Request

FOLLOWED = 20.0
"""Seconds for which a training is followed when the client asks for notifications of progress."""

NEEDS = {"keywords": "keywords", "clone": "personaContext", "link": "contextLink"}
EMPTY = read_training({"status": "failed", "readyToChat": False}, [])  # it waits for knowledge, not for time

Name = Annotated[str, TRIMMED, Field(min_length=2, max_length=100, description="What to call the persona."), ONE_LINE]
Mode = Annotated[
    Literal["keywords", "clone", "link", "manual"],
    Field(
        description="keywords: from words (keywords). clone: a digital twin of a person (personaContext). "
        "link: from a web page (contextLink). manual: empty, to be given knowledge later."
    ),
]
Type = Annotated[
    Literal["creative", "expert", "user"],
    Field(description="expert: knows a field. creative: has a voice. user: stands for a customer."),
]
Discipline = Annotated[str, TRIMMED, Field(max_length=200, description="Field or role, such as UX research."), ONE_LINE]
Keyword = Annotated[str, TRIMMED, Field(min_length=1, max_length=100), ONE_LINE]
Keywords = Annotated[list[Keyword], Field(max_length=20, description="What it knows; required in mode keywords.")]
Context = Annotated[
    str, TRIMMED, Field(max_length=5_000, description="Who the person is; required in mode clone."), PLAIN_TEXT
]
Link = Annotated[WebAddress, Field(description="Address of a public page; required in mode link.")]
Description = Annotated[str, TRIMMED, Field(max_length=2_000, description="A sentence about the persona."), PLAIN_TEXT]
Demo = Annotated[
    bool, Field(description="Make a temporary persona when nobody is signed in; otherwise ask to sign in.")
]


async def create_ai_persona_or_digital_twin(
    personas: Personas,
    report: Reports,
    request: Request,
    *,
    name: Name,
    mode: Mode,
    type: Type = "expert",
    discipline: Discipline | None = None,
    keywords: Keywords | None = None,
    personaContext: Context | None = None,
    contextLink: Link | None = None,
    description: Description | None = None,
    attributes: Attributes | None = None,
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
        raise AuthenticationRequired("Sign in to create a persona that stays")
    sources = {"keywords": keywords, "personaContext": personaContext, "contextLink": contextLink}
    if not sources.get(NEEDS.get(mode, ""), not any(sources.values())):
        raise InvalidArguments(WORDS["missing"][mode])
    said = {
        "name": name,
        "discipline": discipline or next(iter(keywords or ()), name),  # the internal API wants one
        "mode": mode,
        "type": type,
        **sources,
        "description": description,
        "tags": tags_of(attributes or {}),
    }
    body = {field: value for field, value in said.items() if value}
    made, duplicate = await personas.creations.create(body, current_caller.get())
    seen = await personas.look(made.row.id, made.training, made.demo_token)
    training = EMPTY if mode == "manual" and not (duplicate or seen.ready_to_chat) else seen
    if request.meta is not None and request.meta.get("progress_token") is not None:
        async for done, state in personas.watch(made, training, FOLLOWED):
            training = state
            await report(done, 100.0, state.phrase())
    return _created(made, training, duplicate=duplicate, demo=anonymous)


def _created(made: Made, training: Training, *, duplicate: bool, demo: bool) -> CreatedPersona:
    """The answer, which says what happened and what to do next. `demo`: nobody is signed in."""
    empty = training.status == "empty"
    said = [f'{"An earlier, equal call created" if duplicate else "Created"} the AI persona "{made.row.name}".']
    said.append(WORDS["empty"]["demo" if demo else "kept"] if empty else training.phrase().capitalize())
    if demo:
        until = f"until {made.demo_expires_at}" if made.demo_expires_at else "for a short time"
        said.append(f"Nobody is signed in, so this is a demo persona that exists {until}.")
        said.append("Sign in to make personas that stay, and to talk to them.")
    elif not empty:
        said.append(training.next_step())
    return CreatedPersona(
        spark_id=made.row.id,
        name=made.row.name,
        message=" ".join(said),
        duplicate=duplicate,
        demo=DemoTerms(temporary=True, expires_at=made.demo_expires_at) if demo else None,
        demo_token=made.demo_token,
        **training.model_dump(include=set(TrainingFacts.model_fields)),
    )


TOOL = Tool(
    run=create_ai_persona_or_digital_twin,
    title="Create an AI persona or digital twin",
    # A link is fetched from the open web; an equal call is the same creation for ten seconds only.
    annotations=CHANGES.model_copy(update={"open_world_hint": True}),
    scopes=frozenset({"sparks:write"}),
    public=True,
    timeout=95.0,  # the creation may take 60 seconds, a look at its training 5, and following it 20
    limit="20/minute",
    cost="high",
    invoking="Creating the persona",
    invoked="Created the persona",
    meta=TOOL_META,
)
