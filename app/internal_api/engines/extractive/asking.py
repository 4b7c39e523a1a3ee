"""Cues of asking: how a question shows what it is after."""

import re
from enum import StrEnum


class Ask(StrEnum):
    """What a question is after."""

    WHO = "who"
    WHEN = "when"
    WHERE = "where"
    NUMBER = "number"
    DURATION = "duration"
    PRICE = "price"
    DEGREE = "degree"
    WHY = "why"
    HOW = "how"
    COMPARE = "compare"
    RATING = "rating"
    OPINION = "opinion"
    DEFINITION = "definition"
    OPEN = "open"


def _any(*alternatives: str) -> str:
    return "|".join(alternatives)


# In the order of trying: "how long" before "how", "why is X better than Y" is a why.
# Questions come in lower case and without accents.
_QUESTIONS: dict[str, tuple[tuple[Ask, str], ...]] = {
    "en": (
        (
            Ask.RATING,
            _any(
                r"scale (?:of|from)|\brate\b|\brating\b|out of (?:5|10|ten|five|100)",
                r"\b1\s*(?:-|\u2013|to)\s*(?:5|10)\b",
            ),
        ),
        (
            Ask.OPINION,
            _any(
                r"do you (?:like|think|feel|prefer|recommend|believe|agree)",
                r"(?:your|any) (?:opinion|view|take|favou?rite)",
                r"would you (?:recommend|buy|pay|use|prefer|choose|like)|what do you make of|is it worth",
                r"worth (?:it|the)|should i (?:buy|get|choose)|are you (?:for|against)",
            ),
        ),
        (
            Ask.WHY,
            _any(
                r"\bwhy\b|\bhow come\b|what(?:'s| is| are| was)? the (?:reason|cause)|\breasons?\b",
            ),
        ),
        (
            Ask.COMPARE,
            _any(
                r"\bcompar|\bdifferen(?:ce|t)|\bversus\b|\bvs\b|\bbetter than\b|\bcheaper than\b",
                r"\bor\b.+\bwhich\b|which (?:is|one|of)\b.+\bor\b",
            ),
        ),
        (Ask.DURATION, r"how (?:long|quickly|fast|soon)|how much time|what duration"),
        (
            Ask.PRICE,
            _any(
                r"\bcosts?\b|\bprices?\b|\bexpensive\b|\bcheap\b|\bfees?\b",
                r"how much (?:is|are|do i pay|money)",
            ),
        ),
        (Ask.DEGREE, r"how (?:hot|cold|warm)|\btemperature"),
        (
            Ask.NUMBER,
            _any(
                r"how (?:many|much|far|often|old|big|large|high|heavy)",
                r"what (?:percentage|share|number|pressure|ratio|amount|dose)",
                r"what(?: is|'s| are|) the (?:weight|height|length|width|size|speed|capacity|age)",
            ),
        ),
        (
            Ask.WHEN,
            _any(
                r"\bwhen\b|what (?:year|date|day|time)|which (?:year|day)|\bopening (?:hours|times)",
            ),
        ),
        (Ask.WHERE, r"\bwhere\b|which (?:city|country|place)|what (?:city|country|place)"),
        (Ask.WHO, r"\bwho(?:m|se)?\b"),
        (
            Ask.HOW,
            _any(
                r"\bhow\b|\bsteps?\b|\btips?\b|\badvice\b|what (?:should|can|must) (?:i|we|you|one)\b",
            ),
        ),
        (
            Ask.DEFINITION,
            _any(
                r"what(?:'s| is| are) (?:(?:an?|the) )?[\w'-]+(?: [\w'-]+)?\s*\?*$",
                r"what does .{2,40} mean\b|\bdefin|\bmeaning of",
            ),
        ),
    ),
    "de": (
        (Ask.RATING, r"\bskala\b|\bbewerte|\bnote\b|von 1 bis"),
        (
            Ask.OPINION,
            _any(
                r"haltst du|halten sie|(?:deine|ihre) meinung|findest du|magst du|empfiehlst du|wurdest du",
                r"lohnt",
            ),
        ),
        (Ask.WHY, r"\bwarum\b|\bwieso\b|\bweshalb\b|\bgrund\b|\bgrunde\b"),
        (Ask.COMPARE, r"\bunterschied|\bvergleich|\bbesser als\b|\boder\b"),
        (Ask.DURATION, r"wie lange|wie schnell|welche dauer"),
        (Ask.PRICE, r"\bkoste[nt]\b|\bpreise?\b|wie teuer|wie viel (?:geld|zahl)"),
        (Ask.DEGREE, r"wie (?:heiss|kalt|warm)|\btemperatur"),
        (Ask.NUMBER, r"wie (?:viele?|oft|hoch|weit|gross|alt)|welche[rs]? (?:druck|menge|anteil)"),
        (Ask.WHEN, r"\bwann\b|in welchem jahr|seit wann"),
        (Ask.WHERE, r"\bwo\b|\bwoher\b|\bwohin\b"),
        (Ask.WHO, r"\bwer\b|\bwem\b|\bwen\b|\bwessen\b"),
        (Ask.HOW, r"\bwie\b|\bschritte?\b|\btipps?\b|was (?:soll|kann|muss)"),
        (Ask.DEFINITION, r"was (?:ist|sind|bedeutet|heisst)"),
    ),
    "fr": (
        (Ask.RATING, r"\bechelle\b|\bnote\b|sur 10|de 1 a"),
        (
            Ask.OPINION,
            _any(
                r"(?:ton|votre) (?:avis|opinion)|pens(?:es|ez)|aim(?:es|ez)[- ](?:tu|vous)|recommand",
                r"vaut(?:-il)? la peine",
            ),
        ),
        (Ask.WHY, r"\bpourquoi\b|\braisons?\b"),
        (Ask.COMPARE, r"\bdifference|\bcompar|\bmieux que\b|\bou bien\b"),
        (Ask.DURATION, r"combien de temps|quelle duree"),
        (Ask.PRICE, r"\bcoute|\bprix\b|\bcher\b"),
        (Ask.DEGREE, r"\btemperature|\bchaude?\b|\bfroide?\b"),
        (Ask.NUMBER, r"\bcombien\b|quel(?:le)? (?:pression|quantite|distance|age)"),
        (Ask.WHEN, r"\bquand\b|quelle (?:annee|date|heure)|en quelle"),
        (Ask.WHERE, r"\bou (?:est|sont|se|peut|puis|trouve|a)\b|d'ou"),
        (Ask.WHO, r"^\W*qui\b|\bqui (?:a|est|sont|peut)\b"),
        (Ask.HOW, r"\bcomment\b|\betapes?\b|\bconseils?\b"),
        (Ask.DEFINITION, r"qu'est[- ]ce|\bc'est quoi|que (?:signifie|veut)"),
    ),
    "es": (
        (Ask.RATING, r"\bescala\b|del 1 al|\bpuntua|\bvalora"),
        (
            Ask.OPINION,
            _any(
                r"(?:tu|su) opinion|(?:opinas|piensas|crees)|te gusta|recomiendas|vale la pena",
            ),
        ),
        (Ask.WHY, r"\bpor que\b|\brazon(?:es)?\b|\bmotivos?\b"),
        (Ask.COMPARE, r"\bdiferencia|\bcompar|\bmejor que\b"),
        (Ask.DURATION, r"cuanto (?:tiempo|tarda|dura)|que duracion"),
        (Ask.PRICE, r"\bcuestan?\b|\bprecios?\b|\bcaro\b"),
        (Ask.DEGREE, r"\btemperatura|\bcaliente\b|\bfri[oa]\b"),
        (Ask.NUMBER, r"\bcuant[oa]s?\b|que (?:presion|cantidad|distancia)"),
        (Ask.WHEN, r"\bcuando\b|en que (?:ano|fecha|dia)|a que hora"),
        (Ask.WHERE, r"\bdonde\b"),
        (Ask.WHO, r"\bquien(?:es)?\b"),
        (Ask.HOW, r"\bcomo\b|\bpasos?\b|\bconsejos?\b"),
        (Ask.DEFINITION, r"que (?:es|son|significa)"),
    ),
}


def asked_for(plain: str, language: str) -> Ask:
    """What a question is after; `plain` is lower case and without accents."""
    for ask, pattern in _QUESTIONS.get(language, _QUESTIONS["en"]):
        if re.search(pattern, plain):
            return ask
    return Ask.OPEN
