"""The stage `prompt`: write the system prompt, after which the mind is ready."""

from collections.abc import Mapping
from typing import Any

from app.internal_api.engines.engine import EngineUnavailable, PersonaEngine, Profile
from app.internal_api.engines.minds import persona_of
from app.internal_api.store.chunks import outline
from app.internal_api.store.jobs import KNOWLEDGE
from app.internal_api.store.knowledge import find_item, mark_prompt_regenerated
from app.internal_api.store.minds import Mind, set_prompt
from app.internal_api.store.training_claims import complete
from app.internal_api.training.desk import Desk, StageFailed
from app.internal_api.training.profile import ask_profile


async def finish(desk: Desk, persona_engine: PersonaEngine) -> None:
    """Write the prompt where the job asks for one, and complete the job in the same transaction.

    Raises:
        StageFailed: the engine did not answer.

    """
    await desk.say("prompt", "Writing the prompt")
    mind = await desk.mind()
    if not await _wants_prompt(desk, mind):
        async with desk.write() as connection:
            await complete(connection, desk.lease, desk.clock(), "Indexed")
        return
    prompt = await _ask_prompt(desk, mind, persona_engine)
    async with desk.write() as connection:
        await set_prompt(connection, mind.id, prompt, desk.clock())
        if desk.job.item_id is not None:
            await mark_prompt_regenerated(connection, desk.job.item_id, desk.clock())
        await complete(connection, desk.lease, desk.clock(), "Ready to chat")


async def _wants_prompt(desk: Desk, mind: Mind) -> bool:
    if desk.job.kind != KNOWLEDGE or desk.job.item_id is None:
        return True
    async with desk.read() as connection:
        item = await find_item(connection, mind.id, desk.job.item_id)
    # A mind becomes ready by its training only, so that its status and its readiness never disagree.
    return mind.ready and item is not None and item.regenerate_prompt and item.status == "completed"


async def _ask_prompt(desk: Desk, mind: Mind, persona_engine: PersonaEngine) -> str:
    async with desk.read() as connection:
        read = await outline(connection, mind.id)
    about = list(dict.fromkeys([*mind.keywords, *read])) or list(filter(None, [mind.discipline]))
    known = _profile_of(mind.profile)
    profile = known if known is not None else await ask_profile(mind, persona_engine)
    try:
        return await persona_engine.prompt(persona_of(mind), profile, about)
    except EngineUnavailable as error:
        message = "The persona engine could not write the prompt"
        raise StageFailed("PROFILE_GEN_FAILED", message, retryable=error.retryable) from error


def _profile_of(stored: Mapping[str, Any] | None) -> Profile | None:
    if stored is None:
        return None
    traits = tuple(stored["traits"])
    return Profile(discipline=stored["discipline"], description=stored["description"], traits=traits)
