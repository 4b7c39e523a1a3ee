"""What a persona can talk about: read from its system prompt, or from the passages and its own labels."""

import re
from collections.abc import Iterable, Sequence

from app.internal_api.engines.engine import Persona
from app.internal_api.engines.extractive.terms import fold, plain
from app.internal_api.knowledge.documents import Passage

HEADING = "Topics you know about:"
_MOST = 6
_LONGEST = 80
_BULLET = re.compile(r"^- (.+)$")


def topic_lines(outline: Iterable[str]) -> list[str]:
    """The topics of an outline as the system prompt lists them, each once."""
    return [f"- {topic}" for topic in _distinct(outline, 24)]


def topics_of(persona: Persona, passages: Sequence[Passage]) -> list[str]:
    """A few topics, best source first; empty when nothing is known yet."""
    own = plain(f"About {fold(persona.name)}")  # the title of what its owner said of it, which is no topic
    listed = [name for name in _listed(persona.system_prompt or "") if plain(name) != own]
    read = [name for passage in passages if plain(name := passage.heading or passage.title) != own]
    return _distinct(listed or read or [*persona.tags, *filter(None, [persona.discipline])], _MOST)


def _listed(prompt: str) -> list[str]:
    _, found, after = prompt.partition(HEADING)
    topics: list[str] = []
    for line in after.strip().splitlines() if found else ():
        match = _BULLET.match(line)
        if not match:
            break
        topics.append(match.group(1))
    return topics


def _distinct(names: Iterable[str], most: int) -> list[str]:
    kept: dict[str, str] = {}
    for name in names:
        short = fold(name).strip(" .:;-#*|")
        usable = short and len(short) <= _LONGEST and short.isprintable() and "[[" not in short
        if usable and len(kept) < most:
            kept.setdefault(plain(short), short)
    return list(kept.values())
