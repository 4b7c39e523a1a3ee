"""What a survey question is after: which side of things, by which verdict, and about what."""

import re
from dataclasses import dataclass
from enum import StrEnum

from app.internal_api.engines.extractive.questions import WEAK_WEIGHT, Question
from app.internal_api.engines.extractive.scoring import stems_of
from app.internal_api.engines.extractive.stopwords import DEFAULT
from app.internal_api.engines.extractive.survey import asking_words
from app.internal_api.engines.extractive.terms import plain, stem, tokens
from app.internal_api.engines.sentiment import sentiment_of

_LANGUAGES = ("en", "de", "es", "fr")
_ANCHORS = re.compile(r"\([^)]*\)|-?\d+\s*(?:=|means?|is|steht für|bedeutet|significa|signifie)\s*[^,;.?]*")
_IMPROVES = re.compile(
    r"\b(?:would|could|should|wurde|konnte|haria|ferait|pourrait)\b.*\b(?:better|besser|mejor|mieux)\b"
)


class Aim(StrEnum):
    """Which side of its subject a question asks for."""

    JUDGE = "judge"
    LIKE = "like"
    DISLIKE = "dislike"
    CHANGE = "change"
    WEIGH = "weigh"


def _stems(words: dict[str, str]) -> dict[str, frozenset[str]]:
    return {language: frozenset(stem(word, language) for word in said.split()) for language, said in words.items()}


_SIDES = {
    Aim.LIKE: _stems(asking_words.LIKE),
    Aim.DISLIKE: _stems(asking_words.DISLIKE),
    Aim.CHANGE: _stems(asking_words.CHANGE),
    Aim.WEIGH: _stems(asking_words.WEIGH),
}
_VERDICTS = {verdict: _stems(words) for verdict, words in asking_words.VERDICTS.items()}
_REST = _stems(asking_words.REST)
_GENERAL = _stems(asking_words.GENERAL)
_PLAIN = {language: frozenset(words.split()) for language, words in asking_words.PLAIN.items()}
_ASKING = {
    language: (_REST[language] | _GENERAL[language]).union(
        *(side[language] for side in _SIDES.values()), *(words[language] for words in _VERDICTS.values())
    )
    for language in _LANGUAGES
}


@dataclass(frozen=True, slots=True)
class Inquiry:
    """A question without its way of asking.

    Attributes:
        sided: its answers go from no to yes, or from little to much.
        bad: much means bad, so that who is in favour answers low or no: "How worried are you?"
        verdicts: the kinds of statement that answer it wherever they stand: "I recommend it".
        general: words for the subject that say little, such as "service": a verdict that uses the same one is about it.
        loose: the subject is taken from what was attached, and is one of several things that it speaks of.
        subject: the stems of what it is about, with their weight; empty when it is about everything.

    """

    aim: Aim
    sided: bool
    bad: bool
    verdicts: frozenset[str]
    general: frozenset[str]
    subject: dict[str, float]
    loose: bool = False

    def rules(self, stems: frozenset[str], language: str) -> bool:
        """Whether a sentence of this language gives such a verdict."""
        spoken = language if language in _LANGUAGES else DEFAULT
        return any(not stems.isdisjoint(_VERDICTS[verdict][spoken]) for verdict in self.verdicts)


def asks(cut: str, language: str) -> bool:
    """Whether a stem is of the words with which surveys ask, and names nothing itself."""
    return cut in _ASKING[language if language in _LANGUAGES else DEFAULT]


def read_inquiry(question: Question, options: tuple[str, ...] = (), *, sided: bool = False) -> Inquiry:
    """What the question is after; its options are no subject, since each of them is one of its own."""
    language = question.language if question.language in _LANGUAGES else DEFAULT
    asked = frozenset(stem(word, language) for word in tokens(question.text))
    offered = {word for option in options for word in stems_of(option, language)}
    subject = {
        term: weight
        for term, weight in question.terms.items()
        if weight > WEAK_WEIGHT and term not in _ASKING[language] | offered and not term[0].isdigit()
    }
    verdicts = frozenset(name for name, words in _VERDICTS.items() if not asked.isdisjoint(words[language]))
    aim = _aim(asked, plain(question.text), language)
    if sided and aim is not Aim.WEIGH:
        aim = Aim.JUDGE  # both sides of the matter count
    general = asked & _GENERAL[language]
    return Inquiry(aim, sided, asks_for_bad(question.text, language), verdicts, general, subject)


def asks_for_bad(text: str, language: str) -> bool:
    """Whether the first word that takes a side takes the bad one, as in "How worried are you about safety?"."""
    spoken = language if language in _LANGUAGES else DEFAULT
    words = tokens(_ANCHORS.sub(" ", text))
    for at, word in enumerate(words):
        if word not in _PLAIN[spoken] and sentiment_of(word, spoken):
            # With what stands before it, which may turn it round: "not difficult", "solve a problem".
            return sentiment_of(" ".join(words[max(0, at - 3) : at + 1]), spoken) < 0
    return False


def _aim(asked: frozenset[str], simple: str, language: str) -> Aim:
    sides = {aim for aim, words in _SIDES.items() if not asked.isdisjoint(words[language])}
    if Aim.CHANGE in sides or _IMPROVES.search(simple):
        return Aim.CHANGE
    if {Aim.LIKE, Aim.DISLIKE} <= sides:
        return Aim.DISLIKE if not asked.isdisjoint({"least", "wenig", "men", "moin"}) else Aim.JUDGE
    return next((aim for aim in (Aim.DISLIKE, Aim.WEIGH, Aim.LIKE) if aim in sides), Aim.JUDGE)
