"""Three and more options in the shape of a yes/no question: "Is it too long, too short or just right?"."""

import re

from app.internal_api.panels.understanding.either import OR, OR_NOT, PREPOSITIONS
from app.internal_api.panels.understanding.options import presented
from app.internal_api.panels.understanding.reading import Reading, Sentence

_ASKS_WHICH = re.compile(
    r"\A[¿\"(]?(?:[^,?\n]{1,80}, )?(?:should|is|are|was|were|am"
    r"|would you (?:say|call|describe)|(?:do|did) (?:you|they|we) (?:feel|find|think|consider)"
    r"|(?:does|did|do) (?:\S{1,20} ){1,6}?(?:seem|feel|look|sound|taste)"
    r"|sollten|sollen|soll|ist|sind|war|waren|es|son|era|est-ce que|devrions-nous|faut-il) "
)
_ENDS_A_CHOICE = re.compile(
    r" (?:both|neither|none|other|something else|beides|keins?|ambos|ninguno|les deux|aucun)\W*\Z"
)
_DEGREES = frozenset({"too", "very", "just", "about", "quite", "rather", "more", "less", "zu", "sehr", "muy", "trop"})
_BEHIND = PREPOSITIONS | {"to", "than", "that", "when", "compared", "so", "because"}
_MOST_WORDS = 3


def in_a_row(reading: Reading, sentence: Sentence, _: Sentence | None) -> tuple[str, ...]:
    """As in "Should we launch in spring, summer or autumn?"; the first option has to be told from what leads to it."""
    masked = reading.masked
    joins = list(OR.finditer(masked, sentence.start, sentence.end))
    if len(joins) != 1 or not sentence.asks or OR_NOT.search(masked, sentence.start, sentence.end):
        return ()
    begun = _ASKS_WHICH.match(sentence.text)
    if not (begun or _ENDS_A_CHOICE.search(sentence.text)):
        return ()
    start = sentence.start + (begun.end() if begun else 0)
    lead, *between = (piece.split() for piece in reading.text[start : joins[0].start()].split(", "))
    last = reading.text[joins[0].end() : sentence.end].rstrip("?!. ").partition(",")[0].split()
    if not between or not all(0 < len(piece) <= _MOST_WORDS for piece in between):
        return ()
    last = _without_what_follows(last, max(len(piece) for piece in between))
    return presented(" ".join(piece) for piece in (_first(lead, [*between, last]), *between, last) if piece)


def _first(lead: list[str], others: list[list[str]]) -> list[str]:
    """The end of the lead that is built as the others are: beginning with the same word, or as short as they are."""
    begins = {piece[0].lower() for piece in others if piece}
    for at in range(len(lead) - 1, max(-1, len(lead) - 1 - _MOST_WORDS), -1):
        if lead[at].lower() in begins:
            return lead[at:]
    shortest = min(sum(word.lower() not in _DEGREES for word in piece) for piece in others if piece)
    return lead[-max(1, shortest) :]


def _without_what_follows(last: list[str], longest: int) -> list[str]:
    """As in "... or dissatisfied with the app": what is said of all options stands behind the last one."""
    if len(last) <= longest:
        return last
    end = next((at for at, word in enumerate(last) if at and word.lower() in _BEHIND), None)
    return last[: longest if end is None else end]
