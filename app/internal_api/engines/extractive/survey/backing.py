"""How much a persona's knowledge speaks for each of the options that a question offers."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.internal_api.engines.extractive.scoring import stems_of
from app.internal_api.engines.extractive.survey.aims import Aim, Inquiry
from app.internal_api.engines.extractive.survey.material import Material
from app.internal_api.engines.extractive.survey.statements import Statement
from app.internal_api.engines.extractive.survey.weighing import clauses, denies, judgement, weight, wishes
from app.internal_api.engines.extractive.synonyms import synonyms
from app.internal_api.engines.extractive.terms import plain

_PREFIX = 5  # letters in which two forms of a word agree
_RELATED = 0.4  # what a form or a near synonym of an option's word counts
_MENTION = {Aim.WEIGH: 0.25, Aim.CHANGE: 0.15, Aim.DISLIKE: 0.1}
_NAMED = 0.3  # what it counts for an option that it is spoken of at all
_SUBJECT = 0.5  # what the worth of the statement adds
_OTHER_SIDE = 0.5
_PERIODS = frozenset(
    [
        "day",
        "dai",
        "dail",
        "week",
        "weekli",
        "month",
        "monthli",
        "year",
        "yearli",
        "annual",
        "tag",
        "tagl",
        "woch",
        "monat",
        "jahr",
        "jahrlich",
        "dia",
        "diari",
        "seman",
        "mes",
        "ano",
        "anual",
        "jour",
        "semain",
        "mois",
        "annee",
        "annuel",
        "mensuel",
    ]
)
_PAID = re.compile(
    r"[€$£]|\b(?:euros?|dollars?|pounds?|cents?|pa(?:y|id|ys)|price|cost|subscription|plan|ticket|fee|"
    r"zahle?n?|preis|kosten|abo|precio|pago|cuesta|abono|prix|paie|coute|abonnement)\b"
)


@dataclass(frozen=True, slots=True)
class Backed:
    """An option, how much the knowledge speaks for it (below 0: against it), and the statement that does so most.

    `clear` when that statement takes a side, and does not only mention the option.
    """

    option: str
    support: float
    statement: Statement | None
    clear: bool


def back(options: Sequence[str], material: Material) -> list[Backed]:
    """How much everything that was read says for each option; a word that all options have tells nothing."""
    language = material.question.language
    terms = {option: frozenset(stems_of(option, language)) for option in options}
    shared = frozenset.intersection(*terms.values())
    told: dict[str, list[tuple[float, Statement]]] = {option: [] for option in options}
    near = {option: _relatives(words - shared, language) for option, words in terms.items()}
    for statement in material.every:
        beginnings = statement.stems | {word[:_PREFIX] for word in statement.stems if len(word) >= _PREFIX}
        for option in options:
            if not beginnings.isdisjoint(near[option]):
                worth = _worth(terms[option] - shared, near[option], statement, material.inquiry, language)
                told[option] += [(worth, statement)] if worth else []
    return [_backed(option, told[option]) for option in options]


def _backed(option: str, told: Sequence[tuple[float, Statement]]) -> Backed:
    """The clearest statement counts fully, further ones less and less."""
    if not told:
        return Backed(option, 0.0, None, clear=False)
    order = sorted(told, key=lambda each: -abs(each[0]))
    support = sum(worth / (1 + place) for place, (worth, _) in enumerate(order))
    worth, statement = max(told, key=lambda each: each[0])
    return Backed(option, support, statement if worth > 0 else None, clear=worth >= _NAMED + _RELATED)


def _relatives(terms: frozenset[str], language: str) -> Mapping[str, float]:
    """What may stand for the words of an option, and how much each of it counts."""
    found: dict[str, float] = {}
    for term in terms:
        found |= dict.fromkeys(synonyms(term, language), _RELATED)
        if len(term) >= _PREFIX:
            found[term[:_PREFIX]] = _RELATED
    return found | dict.fromkeys(terms, 1.0)


def _worth(
    terms: frozenset[str], near: Mapping[str, float], statement: Statement, inquiry: Inquiry, language: str
) -> float:
    """What the clauses that name the option say for it."""
    text = statement.unit.text
    if terms & _PERIODS and not _PAID.search(plain(text)):
        return 0.0  # "twice a year" tells nothing about a yearly price
    best = 0.0
    for clause in clauses(text):
        named = _named(clause, near, language)
        if not named:
            continue
        if denies(clause):
            return -named * _NAMED
        value = _value(clause, text, inquiry, statement.language, terms)
        best = max(best, named * value, key=abs)
    return best * (1 + _SUBJECT * min(1.0, statement.worth))


def _named(clause: str, near: Mapping[str, float], language: str) -> float:
    words = stems_of(clause, language)
    return max((near.get(word, near.get(word[:_PREFIX], 0.0)) for word in words), default=0.0)


def _value(clause: str, text: str, inquiry: Inquiry, language: str, terms: frozenset[str]) -> float:
    """What a clause says for the option by what is asked: praise for a pick, blame for a nuisance, weight for both."""
    sentiment = judgement(clause, language, terms)
    mentioned = _MENTION.get(inquiry.aim, _NAMED)
    match inquiry.aim:
        case Aim.WEIGH:
            return mentioned + 1.2 * weight(text, language, terms) + 0.5 * abs(sentiment)
        case Aim.DISLIKE:
            return mentioned - sentiment
        case Aim.CHANGE:
            return mentioned + (0.5 if wishes(text) else 0.0) - sentiment
        case _:
            return mentioned + sentiment
