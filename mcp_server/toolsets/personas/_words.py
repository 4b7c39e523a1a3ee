"""The sentences that tell a model where things stand and what to do next."""

from mcp_server.errors import NotReady
from mcp_server.toolsets.personas._training import POLL_AFTER_MS, Training
from mcp_server.toolsets.personas._wire import Made
from mcp_server.toolsets.personas.models import CreatedPersona, DemoTerms, PersonaRow

SECONDS = POLL_AFTER_MS // 1_000

MANUAL = (
    "It begins empty and cannot talk yet: add knowledge to it (POST /api/v1/minds/{id}/knowledge), "
    "and then have it trained (POST /api/v1/minds/{id}/retrain)."
)


def next_step(training: Training) -> str:
    """What to do with a persona in this state."""
    if training.ready:
        return "Talk to it with talk_to_ai_persona."
    if training.failure is not None:
        return training.failure.what_to_do
    if training.over:
        return "Create it again with create_ai_persona_or_digital_twin, with more material."
    return (
        f"Call check_ai_persona_training_progress with its sparkId again in {SECONDS} seconds, "
        "until readyToChat is true; then use talk_to_ai_persona."
    )


def not_ready(persona: PersonaRow, training: Training) -> NotReady:
    """Why it cannot talk now, and when it may."""
    details = {
        "sparkId": persona.id,
        "trainingStatus": training.status,
        "stage": training.stage,
        "progress": training.progress,
        "pollAfterMs": training.poll_after_ms,
    }
    message = f'"{persona.name}" cannot talk yet: {sentence(training.phrase())} {next_step(training)}'
    return NotReady(message, **{name: value for name, value in details.items() if value is not None})


def created(made: Made, training: Training, *, duplicate: bool, demo: bool, manual: bool) -> CreatedPersona:
    """The answer about a new persona. `demo`: nobody was signed in."""
    terms = DemoTerms(temporary=True, expires_at=made.demo_expires_at) if demo else None
    said = [f'{"An earlier, equal call created" if duplicate else "Created"} the AI persona "{made.row.name}".']
    if manual and not training.ready:
        said.append(MANUAL)
    else:
        said.append(sentence(training.phrase().capitalize()))
    if terms is not None:
        said.append(_terms(terms))
    elif not manual or training.ready:
        said.append(next_step(training))
    return CreatedPersona(
        spark_id=made.row.id,
        name=made.row.name,
        message=" ".join(said),
        duplicate=duplicate,
        demo=terms,
        demo_token=made.demo_token,
        **training.facts(),
    )


def sentence(phrase: str) -> str:
    """`phrase`, ended once."""
    return phrase if phrase.endswith(".") else f"{phrase}."


def _terms(terms: DemoTerms) -> str:
    until = f" until {terms.expires_at}" if terms.expires_at else " for a short time"
    return (
        f"Nobody is signed in, so this is a demo persona that exists{until}. "
        "Sign in to make personas that stay, and to talk to them."
    )
