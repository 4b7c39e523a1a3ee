"""What a persona can rest its answer to a survey question on: its passages, and what was attached to the question."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from app.internal_api.engines.engine import Persona, SurveyQuestion, Turn
from app.internal_api.engines.extractive.questions import Question, read_question
from app.internal_api.engines.extractive.stopwords import DEFAULT, FUNCTION, WEAK
from app.internal_api.engines.extractive.survey.aims import Inquiry, read_inquiry
from app.internal_api.engines.extractive.survey.statements import Statement, best, read_statements
from app.internal_api.engines.extractive.survey.weighing import leaning_of
from app.internal_api.engines.extractive.terms import stem, tokens
from app.internal_api.engines.extractive.units import MAX_PASSAGES, Unit
from app.internal_api.knowledge.documents import Passage

MOST_QUOTED = 2  # before a value, which rests on these above all
_MOST_CHARACTERS = 8_000  # of all passages: it bounds the time that an answer takes
_MOST_ATTACHED = 3_000
_MOST_SUBJECTS = 8  # of what was attached
_SHORTEST_SUBJECT = 4
_ATTACHED = "attached"


@dataclass(frozen=True, slots=True)
class Material:
    """The question as it was read, what answers it, and everything that was read.

    Attributes:
        statements: what answers it, best first; empty when nothing touches the question.
        every: all that was read, in its order.
        valence: how far the best statements speak for (1) or against (-1) their subject.

    """

    question: Question
    inquiry: Inquiry
    statements: tuple[Statement, ...]
    every: tuple[Statement, ...]
    passages: tuple[Passage, ...]
    valence: float

    @property
    def touched(self) -> bool:
        """Whether anything that was read speaks of the subject, if only beside the point."""
        return any(each.named for each in self.every)

    def owns(self, unit: Unit) -> bool:
        """Whether it comes from the persona's own knowledge, and not from what was attached."""
        return unit.passage < len(self.passages)

    def cited(self, quoted: Iterable[Statement]) -> tuple[Passage, ...]:
        """The persona's own passages that are quoted, in the order of their first quotation."""
        used = dict.fromkeys(each.unit.passage for each in quoted if self.owns(each.unit))
        return tuple(self.passages[number] for number in used)

    def origin(self, quoted: Sequence[Statement]) -> str:
        """What an answer with these quotations stands on, by the contract's word."""
        if self.cited(quoted):
            return "mind_knowledge"
        return "request_evidence" if quoted else "mind_personality"


def read_material(
    persona: Persona, asked: SurveyQuestion, passages: Sequence[Passage], *, sided: bool = False
) -> Material:
    """Find what answers the question; `sided` when the answers go from no to yes or from little to much."""
    question = read_question([*asked.earlier, Turn("user", asked.text)], persona.name, None)
    inquiry = read_inquiry(question, asked.options, sided=sided)
    if asked.context.strip() and not inquiry.subject:
        inquiry = replace(inquiry, subject=_subjects(asked.context[:_MOST_ATTACHED], question.language), loose=True)
    own = tuple(passages[: MAX_PASSAGES - 1])
    question = replace(question, terms=dict(inquiry.subject), key=frozenset(inquiry.subject))
    every = read_statements(question, inquiry, [*_within(own), *_attached(asked)])
    # Everybody is given the same attachment: it is quoted only by whom it reminds of nothing.
    found = best(each for each in every if each.unit.passage < len(own)) or best(every)
    return Material(question, inquiry, tuple(found), tuple(every), own, _valence(found, inquiry))


def _within(passages: Sequence[Passage]) -> list[Passage]:
    """As much of the passages, the best first, as is read in a few milliseconds."""
    kept: list[Passage] = []
    left = _MOST_CHARACTERS
    for passage in passages:
        kept.append(replace(passage, text=passage.text[:left]))
        left = max(0, left - len(passage.text))
    return kept


def _attached(asked: SurveyQuestion) -> list[Passage]:
    if not asked.context.strip():
        return []
    return [Passage(_ATTACHED, _ATTACHED, asked.context[:_MOST_ATTACHED], "", None, None, None, 0.5)]


def _subjects(context: str, language: str) -> dict[str, float]:
    """What an attachment is about, for "What do you think of it?" shares no word with it."""
    dull = FUNCTION.get(language, FUNCTION[DEFAULT]) | WEAK.get(language, WEAK[DEFAULT])
    words = [word for word in tokens(context) if len(word) >= _SHORTEST_SUBJECT and word.isalpha() and word not in dull]
    counts = Counter(stem(word, language) for word in words)
    return {word: 1.0 for word, _ in counts.most_common(_MOST_SUBJECTS)}


def _valence(found: Sequence[Statement], inquiry: Inquiry) -> float:
    """What answers best, and is therefore quoted first, counts by far the most."""
    whole = told = 0.0
    for each in found:
        counts = each.worth**2
        whole += counts
        told += counts * leaning_of(inquiry, each.unit.text, each.language, each.sentiment)
    return max(-1.0, min(1.0, told / whole)) if whole else 0.0
