"""What a language model is told: who it is, what it may say, and what its sources hold."""

from collections.abc import Sequence

from app.internal_api.engines.chat.citations import DECLINE, without_marks
from app.internal_api.engines.chat.endpoint import Message
from app.internal_api.engines.chat.material import MOST_SOURCES, UNTRUSTED, fence, fenced, sources
from app.internal_api.engines.engine import Persona, Profile, Turn
from app.internal_api.engines.extractive.profiles import write_prompt
from app.internal_api.knowledge.documents import Passage

_LONGEST_TURN = 8_000
_MOST_TURNS = 16
_GREET = "Greet me in one or two sentences: say who you are and what I can ask you about."
_DECLINING = {
    "knowledge_only": (
        f"Answer from the sources only. When they do not cover the question, begin your answer with {DECLINE} and say"
        " in one sentence that you have nothing on that in your knowledge."
    ),
    "auto": (
        "Rest facts on the sources where they have them. You may speak from your character where the question asks"
        f" about you. When it asks for facts that you do not have, begin your answer with {DECLINE} and say in one"
        " sentence that you have nothing on that in your knowledge. Never invent."
    ),
}


def answer_messages(
    persona: Persona, turns: Sequence[Turn], passages: Sequence[Passage], language: str | None
) -> list[Message]:
    """The conversation for the model; without turns it is asked for a greeting."""
    used = passages[:MOST_SOURCES]
    notes = [without_marks(turn.content[:_LONGEST_TURN]) for turn in turns if turn.role == "system"]
    parts = [persona.system_prompt or usual_prompt(persona, used), *notes, _rules(persona, language)]
    if used:
        parts.append(sources(used))
    system = Message(role="system", content="\n\n".join(part for part in parts if part))
    return [system, *history(turns)]


def profile_messages(persona: Persona, keywords: Sequence[str], context: str) -> list[Message]:
    """Ask for a profile as JSON."""
    material = "\n".join([persona.name, persona.description, ", ".join([*keywords, *persona.tags]), context])
    task = (
        "You describe a persona for a research tool. Answer with one JSON object and nothing else:"
        ' {"discipline": "a few words", "description": "two to four sentences in the third person",'
        ' "traits": ["three to eight short traits"]}.'
        f" The persona is of the type {persona.type}; its discipline is given as {persona.discipline or 'unknown'}."
        " State nothing as a fact that the material does not say."
    )
    return [
        Message(role="system", content=f"{task}\n{UNTRUSTED.format(fence=fence(material))}"),
        Message(role="user", content=fenced("MATERIAL", material[:_LONGEST_TURN], fence(material))),
    ]


def character_messages(persona: Persona, profile: Profile, outline: Sequence[str]) -> list[Message]:
    """Ask for the paragraph of the system prompt that gives the persona its voice."""
    material = "\n".join([persona.name, profile.discipline, profile.description, *profile.traits, *outline])
    task = (
        'Write one paragraph of three to six sentences that tells the persona below, addressed as "you", how it speaks:'
        " its voice, its point of view and what it cares about. No headings, no lists, no facts beyond the material."
    )
    return [
        Message(role="system", content=f"{task}\n{UNTRUSTED.format(fence=fence(material))}"),
        Message(role="user", content=fenced("MATERIAL", material[:_LONGEST_TURN], fence(material))),
    ]


def usual_prompt(persona: Persona, passages: Sequence[Passage]) -> str:
    """The system prompt of a persona that training has not written one for."""
    profile = Profile(persona.discipline or "general knowledge", persona.description, persona.tags)
    return write_prompt(persona, profile, [passage.heading or passage.title for passage in passages])


def _rules(persona: Persona, language: str | None) -> str:
    spoken = (
        f"Answer in the language with the code {language}." if language else "Answer in the language of the question."
    )
    declining = _DECLINING.get(persona.source_policy, _DECLINING["auto"])
    return f"Speak in the first person and stay yourself.\n{spoken}\n{declining}"


def history(turns: Sequence[Turn]) -> list[Message]:
    """The last turns, alternating from the person on, as the stricter chat templates demand."""
    messages: list[Message] = []
    for turn in [turn for turn in turns if turn.role != "system"][-_MOST_TURNS:]:
        role = "assistant" if turn.role == "assistant" else "user"
        content = without_marks(turn.content[:_LONGEST_TURN])
        if messages and messages[-1]["role"] == role:
            messages[-1]["content"] += f"\n\n{content}"
        elif messages or role == "user":
            messages.append(Message(role=role, content=content))
    return messages or [Message(role="user", content=_GREET)]
