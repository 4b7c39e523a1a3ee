"""What a sentence says of its subject: for or against it, how much it counts, what should become of it."""

import re

from app.internal_api.engines.extractive.survey.aims import Aim, Inquiry
from app.internal_api.engines.extractive.terms import plain, stem, tokens
from app.internal_api.engines.sentiment import sentiment_of

_EITHER = re.compile(r"\b(?:whereas|while|während|hingegen|dagegen|tandis que|mientras que)\b|;")
_BUT = re.compile(r"\b(?:but|however|yet|aber|jedoch|mais|cependant|pero|sin embargo)\b")
_CLAUSE = re.compile(
    r"[,;:.!?\u2013\u2014]+\s+|\s+(?=(?:but|whereas|while|because|aber|weil|mais|parce|pero|porque)\b)"
    r"|\s+(?=(?:and|und|et|y)\s+(?:I|the|it|there|they|ich|die|der|das|es|je|la|le|les|el|los)\b)"
)
_COUNTS = re.compile(
    r"(?<!\ba )(?<!the )\b(?:matters?|important|importance|decid(?:es?|ed|ing)|above all|everything|anything else|"
    r"essential|crucial|key|priority|think of first|comes first|all i need|what i need|depends?|one complaint|"
    r"is the problem|only wish|"
    r"cannot do without|big one|most of all|"
    r"wichtig\w*|entscheide\w*|zahlt|vor allem|hauptsache|brauche|unverzichtbar|"
    r"importa\w*|decisiv\w*|sobre todo|necesito|esencial|primero|"
    r"importe|compte|decisif|surtout|besoin|essentiel|avant tout)\b"
)
_COUNTS_NOT = re.compile(
    r"\b(?:irrelevant|unimportant|secondary|indifferent"
    r"|(?:not|t|never|hardly) (?:\w+ )?(?:matter|care|important|decisive)"
    r"|matters (?:little|less)|unwichtig|egal|gleichgultig|nicht (?:so )?wichtig|nebensache|no (?:me )?importa|da igual"
    r"|irrelevante|n importe pas|pas (?:tres )?important|m est egal|peu important)\b"
)
_WISHES = re.compile(
    r"\b(?:(?:should|could|must|ought|wish|wishes|hope|unless|missing|lacks?)\b|(?:only if|need to|needs to)\b"
    r"|would (?:make|bring|help|come|like|love|prefer|need|want|be (?:better|perfect))\b|more (?!than\b)\w+"
    r"|(?:wurde|sollte|konnte|musste|wunsche|hoffe|wenn sie)\w*\b|fehl(?:t|en)\b|mehr (?!als\b)\w+"
    r"|(?:deberia|podria|ojala|gustaria|quisiera|falta|hace falta)\w*\b"
    r"|(?:devrai|pourrai|faudrai|aimerai|souhait|manque)\w*\b)"
)
_DENIED = re.compile(r"^\W*(?:but |and |)(?:not|nicht|kein\w*|no|ni|pas|non)\b")
_FIRST_PERSON = re.compile(
    r"\b(?:I|[Mm]y|[Mm]e|mine|[Ii]ch|[Mm]ir|[Mm]ich|[Mm]eine?[nmrs]?|[Yy]o|[Mm]is?|[Jj]e|[Mm]on|[Mm]es|[Mm]oi)\b|\b[Jj]'|\b[Mm]'"
)
_LEANS = re.compile(
    r"(?:It|Its|This|That|These|Those|They|Their|He|She|Such|Er|Sie|Es|Dies|Dabei|Elle|Ils|Elles|Cela|Ceci|Esto|Ello"
    r"|Ellos)\b"
)
_LATER = 2.0  # what stands behind a "but" counts that much more
_BESIDE = 0.35  # what a clause counts beside the one that names the subject
_WISHED = 0.3  # what is only wished is not yet liked
_MENTIONED, _FELT = 0.05, 0.3  # what is spoken of counts a little, what is praised or blamed somewhat more


def clauses(text: str) -> list[str]:
    """The parts of a sentence that may speak of different things."""
    return [part for part in _CLAUSE.split(text) if part and part.strip()]


def judgement(text: str, language: str, subject: frozenset[str]) -> float:
    """For (1) or against (-1): of two things the part on the subject, and what follows a "but" above all.

    The subject's own name takes no side: "safety" is not safe.
    """
    told = []
    for part in _on_subject(text, language, subject):
        first, *later = [_of_clauses(piece, language, subject) for piece in _BUT.split(part)]
        told.append((first + _LATER * sum(later)) / (1 + _LATER * len(later)) if any(later) else first)
    return sum(told) / len(told) if told else 0.0


def denies(clause: str) -> bool:
    """Whether a clause only says that it is not so: "not the price"."""
    return bool(_DENIED.match(clause))


def _of_clauses(text: str, language: str, subject: frozenset[str]) -> float:
    """What the clauses that name the subject say, and with less weight the others; all alike where none does."""
    if not subject:
        return sentiment_of(text, language)
    said = [(clause, sentiment_of(clause, language, besides=subject)) for clause in clauses(text)]
    names = [len(said) > 1 and _names(clause, language, subject) > 0 for clause, _ in said]
    told = whole = 0.0
    for (_, sentiment), named in zip(said, names, strict=True):
        counts = 1.0 if named or not any(names) else _BESIDE
        told += counts * sentiment
        whole += counts if sentiment else 0.0
    return told / whole if whole else 0.0


def _names(text: str, language: str, subject: frozenset[str]) -> int:
    return len(subject.intersection(stem(word, language) for word in tokens(text)))


def weight(text: str, language: str, subject: frozenset[str]) -> float:
    """How much a thing counts with the speaker by what it says of it, from -1 to 1; 0 where that is not said."""
    told = 0.0
    for part in _on_subject(text, language, subject):
        simple = " ".join(tokens(part))
        if denies(part) or _COUNTS_NOT.search(simple):
            return -1.0
        told = 1.0 if _COUNTS.search(simple) else told
    return told


def wishes(text: str) -> bool:
    """Whether it says what should be otherwise."""
    return bool(_WISHES.search(plain(text)))


def fit(inquiry: Inquiry, text: str, language: str, sentiment: float) -> float:
    """How well a statement is of the kind that is asked for, from 0 to 1."""
    match inquiry.aim:
        case Aim.LIKE:
            return max(0.0, sentiment) * (_WISHED if wishes(text) else 1.0)
        case Aim.DISLIKE:
            return max(0.0, -sentiment)
        case Aim.CHANGE:
            return min(1.0, (0.6 if wishes(text) else 0.0) + 0.6 * max(0.0, -sentiment))
        case Aim.WEIGH:
            told = weight(text, language, frozenset(inquiry.subject))
            return min(1.0, (abs(told) if inquiry.sided else max(0.0, told)) + _FELT * abs(sentiment))
        case _:
            return abs(sentiment)


def leaning_of(inquiry: Inquiry, text: str, language: str, sentiment: float) -> float:
    """What a statement amounts to on the question's own scale: liking, or weight where weight is asked for."""
    if inquiry.aim is not Aim.WEIGH:
        return sentiment
    return weight(text, language, frozenset(inquiry.subject)) or _MENTIONED + _FELT * abs(sentiment)


def _on_subject(text: str, language: str, subject: frozenset[str]) -> list[str]:
    parts = [part for part in _EITHER.split(text) if part.strip()]
    if len(parts) <= 1 or not subject:
        return parts
    counts = [_names(part, language, subject) for part in parts]
    return [part for part, count in zip(parts, counts, strict=True) if count == max(counts)]


def personal(text: str) -> bool:
    """Whether somebody speaks of themselves."""
    return bool(_FIRST_PERSON.search(text))


def leans_on(text: str) -> bool:
    """Whether it begins with a word for what was named before."""
    return bool(_LEANS.match(text))
