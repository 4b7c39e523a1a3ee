"""How a persona is inclined where its knowledge leaves room: always the same way for the same question."""

import hashlib
import math

from app.internal_api.engines.engine import Persona
from app.internal_api.engines.sentiment import sentiment_of

_KNOWN, _TEMPER, _CHANCE = 0.95, 0.25, 0.2  # what counts how much where there is knowledge …
_TEMPER_ALONE, _CHANCE_ALONE = 0.35, 0.85  # … and where there is none
_BOLDNESS = {"expert": 0.9, "user": 1.0, "creative": 1.1}
_UNSAID = "Created via API"  # the API's own default says nothing about the persona


def draw(persona: Persona, *about: str) -> float:
    """A number from 0 to 1 that belongs to this persona and this matter."""
    digest = hashlib.sha256("\n".join([persona.id, *about]).encode(errors="replace")).digest()
    return int.from_bytes(digest[:6]) / 2**48


def temper(persona: Persona) -> float:
    """Whether the persona is described as one who sees things darkly (-1) or brightly (1)."""
    described = "" if persona.description == _UNSAID else persona.description
    return sentiment_of(". ".join([described, *persona.tags]))


def leaning(persona: Persona, subject: str, valence: float, *, known: bool) -> float:
    """From -1 (against) to 1 (in favour); `valence` is what the persona's knowledge says of the subject.

    Without knowledge it is drawn evenly, so that a panel spreads over the whole scale instead of meeting in its middle;
    knowledge that takes no side leaves it near the middle.
    """
    chance = 2 * draw(persona, subject) - 1
    if known:
        # The root, because the measure of sentiment seldom leaves its middle.
        told = math.copysign(math.sqrt(abs(valence)), valence)
        inclined = _KNOWN * told + _TEMPER * temper(persona) * (1 - abs(told)) + _CHANCE * chance
    else:
        inclined = _TEMPER_ALONE * temper(persona) + _CHANCE_ALONE * chance
    return max(-1.0, min(1.0, inclined * _BOLDNESS.get(persona.type, 1.0)))
