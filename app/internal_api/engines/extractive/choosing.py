"""From a question and passages to what is quoted."""

from collections.abc import Sequence

from app.internal_api.engines.extractive.asking import Ask
from app.internal_api.engines.extractive.questions import WEAK_WEIGHT, Question
from app.internal_api.engines.extractive.scoring import score_units
from app.internal_api.engines.extractive.selection import Selection, overview, select
from app.internal_api.engines.extractive.units import read_units
from app.internal_api.knowledge.documents import Passage

_VAGUE = frozenset({Ask.OPEN, Ask.HOW, Ask.DEFINITION})


def choose(question: Question, passages: Sequence[Passage]) -> Selection:
    """What to quote of the passages in answer to the question."""
    units = [unit for unit in read_units(passages) if not (question.wants_more and unit.text in question.said)]
    scored, matcher = score_units(question, units, passages)
    # "tell me something" has no subject of its own
    if question.ask in _VAGUE and all(weight <= WEAK_WEIGHT for weight in question.terms.values()):
        return overview(scored)
    return select(question, scored, matcher)
