"""The stage `profile`: who the persona is, from the owner's few words."""

from dataclasses import asdict

from app.internal_api.engines.engine import EngineUnavailable, PersonaEngine, Profile
from app.internal_api.engines.minds import persona_of
from app.internal_api.store.knowledge import count_items
from app.internal_api.store.minds import Mind, set_profile
from app.internal_api.training.desk import Desk, StageFailed


async def make_profile(desk: Desk, persona_engine: PersonaEngine) -> None:
    """Write the mind's profile.

    Raises:
        StageFailed: there is nothing to know, or the engine did not answer.

    """
    await desk.say("profile", "Working out who this is")
    mind = await desk.mind()
    async with desk.read() as connection:
        if await count_items(connection, mind.id) == 0:
            message = "Add knowledge, then regenerate the prompt"
            raise StageFailed("PROFILE_GEN_FAILED", message, retryable=True)
    profile = await ask_profile(mind, persona_engine)
    async with desk.write() as connection:
        await set_profile(connection, mind.id, asdict(profile))


async def ask_profile(mind: Mind, persona_engine: PersonaEngine) -> Profile:
    """Raises StageFailed."""
    try:
        return await persona_engine.profile(persona_of(mind), mind.keywords, mind.context)
    except EngineUnavailable as error:
        message = "The persona engine could not describe this mind"
        raise StageFailed("PROFILE_GEN_FAILED", message, retryable=error.retryable) from error
