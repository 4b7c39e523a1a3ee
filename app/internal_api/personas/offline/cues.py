"""Cues of asking and of answering: how a question shows what it is after, and how a sentence shows that it has it."""

import re
from enum import StrEnum


class Ask(StrEnum):
    """What a question is after."""

    WHO = "who"
    WHEN = "when"
    WHERE = "where"
    NUMBER = "number"
    DURATION = "duration"
    WHY = "why"
    HOW = "how"
    COMPARE = "compare"
    RATING = "rating"
    OPINION = "opinion"
    DEFINITION = "definition"
    OPEN = "open"


# In the order of trying: "how long" before "how", "why is X better than Y" is a why. Questions come without accents.
_QUESTIONS: dict[str, tuple[tuple[Ask, str], ...]] = {
    "en": (
        (Ask.RATING, r"scale (?:of|from)|\brate\b|\brating\b|out of (?:5|10|ten|five|100)|\b1\s*(?:-|–|to)\s*(?:5|10)\b"),
        (Ask.OPINION, r"do you (?:like|think|feel|prefer|recommend|believe|agree)|(?:your|any) (?:opinion|view|take|favou?rite)"
         r"|would you (?:recommend|buy|pay|use|prefer|choose|like)|what do you make of|is it worth|worth (?:it|the)"
         r"|should i (?:buy|get|choose)|are you (?:for|against)"),
        (Ask.WHY, r"\bwhy\b|\bhow come\b|what(?:'s| is| are| was)? the (?:reason|cause)|\breasons?\b"),
        (Ask.COMPARE, r"\bcompar|\bdifferen(?:ce|t)|\bversus\b|\bvs\b|\bbetter than\b|\bcheaper than\b|\bor\b.+\bwhich\b"
         r"|which (?:is|one|of)\b.+\bor\b"),
        (Ask.DURATION, r"how (?:long|quickly|fast|soon)|how much time|what duration"),
        (Ask.NUMBER, r"how (?:many|much|far|often|hot|cold|old|big|large|high|heavy|fine)|what (?:temperature|percentage|share|number"
         r"|price|pressure|ratio|amount|dose)|\bcosts?\b|\bprice\b"),
        (Ask.WHEN, r"\bwhen\b|what (?:year|date|day|time)|which (?:year|day)|\bopening (?:hours|times)"),
        (Ask.WHERE, r"\bwhere\b|which (?:city|country|place)|what (?:city|country|place)"),
        (Ask.WHO, r"\bwho(?:m|se)?\b"),
        (Ask.HOW, r"\bhow\b|\bsteps?\b|\btips?\b|\badvice\b|what (?:should|can|must) (?:i|we|you|one)\b"),
        (Ask.DEFINITION, r"what(?:'s| is| are| does)? (?:a|an|the)?\s*[\w' -]{2,40}(?:mean)?\??$|\bdefin|\bmeaning of"),
    ),
    "de": (
        (Ask.RATING, r"\bskala\b|\bbewerte|\bnote\b|von 1 bis"),
        (Ask.OPINION, r"haltst du|halten sie|(?:deine|ihre) meinung|findest du|magst du|empfiehlst du|wurdest du|lohnt"),
        (Ask.WHY, r"\bwarum\b|\bwieso\b|\bweshalb\b|\bgrund\b|\bgrunde\b"),
        (Ask.COMPARE, r"\bunterschied|\bvergleich|\bbesser als\b|\boder\b"),
        (Ask.DURATION, r"wie lange|wie schnell|welche dauer"),
        (Ask.NUMBER, r"wie (?:viele?|oft|hoch|heiss|weit|teuer|gross|alt|fein)|welche(?:r|s)? (?:temperatur|preis|druck|menge)|\bkostet"),
        (Ask.WHEN, r"\bwann\b|in welchem jahr|seit wann"),
        (Ask.WHERE, r"\bwo\b|\bwoher\b|\bwohin\b"),
        (Ask.WHO, r"\bwer\b|\bwem\b|\bwen\b|\bwessen\b"),
        (Ask.HOW, r"\bwie\b|\bschritte?\b|\btipps?\b|was (?:soll|kann|muss)"),
        (Ask.DEFINITION, r"was (?:ist|sind|bedeutet|heisst)"),
    ),
    "fr": (
        (Ask.RATING, r"\bechelle\b|\bnote\b|sur 10|de 1 a"),
        (Ask.OPINION, r"(?:ton|votre) (?:avis|opinion)|pens(?:es|ez)|aim(?:es|ez)[- ](?:tu|vous)|recommand|vaut(?:-il)? la peine"),
        (Ask.WHY, r"\bpourquoi\b|\braisons?\b"),
        (Ask.COMPARE, r"\bdifference|\bcompar|\bmieux que\b|\bou bien\b"),
        (Ask.DURATION, r"combien de temps|quelle duree"),
        (Ask.NUMBER, r"\bcombien\b|quel(?:le)? (?:temperature|prix|pression|quantite|distance|age)|\bcoute"),
        (Ask.WHEN, r"\bquand\b|quelle (?:annee|date|heure)|en quelle"),
        (Ask.WHERE, r"\bou (?:est|sont|se|peut|puis|trouve|a)\b|d'ou"),
        (Ask.WHO, r"^\W*qui\b|\bqui (?:a|est|sont|peut)\b"),
        (Ask.HOW, r"\bcomment\b|\betapes?\b|\bconseils?\b"),
        (Ask.DEFINITION, r"qu'est[- ]ce|\bc'est quoi|que (?:signifie|veut)"),
    ),
    "es": (
        (Ask.RATING, r"\bescala\b|del 1 al|\bpuntua|\bvalora"),
        (Ask.OPINION, r"(?:tu|su) opinion|(?:opinas|piensas|crees)|te gusta|recomiendas|vale la pena"),
        (Ask.WHY, r"\bpor que\b|\brazon(?:es)?\b|\bmotivos?\b"),
        (Ask.COMPARE, r"\bdiferencia|\bcompar|\bmejor que\b"),
        (Ask.DURATION, r"cuanto (?:tiempo|tarda|dura)|que duracion"),
        (Ask.NUMBER, r"\bcuant[oa]s?\b|que (?:temperatura|precio|presion|cantidad|distancia)|\bcuesta"),
        (Ask.WHEN, r"\bcuando\b|en que (?:ano|fecha|dia)|a que hora"),
        (Ask.WHERE, r"\bdonde\b"),
        (Ask.WHO, r"\bquien(?:es)?\b"),
        (Ask.HOW, r"\bcomo\b|\bpasos?\b|\bconsejos?\b"),
        (Ask.DEFINITION, r"que (?:es|son|significa)"),
    ),
}

_MONTHS = (
    r"January|February|March|April|May|June|July|August|September|October|November|December|Januar|Februar|März|Mai|Juni|Juli"
    r"|Oktober|Dezember|janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre|enero|febrero|abril"
    r"|junio|julio|agosto|septiembre|octubre|noviembre|diciembre"
)
_DURATIONS = (
    r"(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|sekunden?|minuten?|stunden?|tagen?|tage|wochen?|monate?|jahren?|jahre"
    r"|secondes?|heures?|jours?|semaines?|mois|ans|segundos?|minutos?|horas?|días?|semanas?|meses|años|min|s|h)\b"
)
# The answers' cues of all four languages together: a sentence shows its language less clearly than a question.
_ANSWERS: dict[Ask, re.Pattern[str]] = {
    Ask.WHO: re.compile(
        r"(?<=\w )[A-ZÀ-Þ][\w'’-]+ (?:(?:[A-Z]\.|de|van|von|di|da|del) )*[A-ZÀ-Þ][\w'’-]+|(?i:\bby (?:a|an|the|his|her)?\s?\w+"
        r"|\bfounder|\binventor|\bengineer|\bmembers?\b|\bvolunteers?\b|\blibrarians?\b|\bingenieur|\bwurde von\b|\bpar un|\bpor (?:un|el))"
        r"|^[A-ZÀ-Þ][\w'’-]+ (?:de |van |von |di )?[A-ZÀ-Þ][\w'’-]+"
    ),
    Ask.WHEN: re.compile(
        rf"\b(?:1\d|20)\d\d\b|\b(?:{_MONTHS})\b|\d{{1,2}}[:h]\d\d|\d\s?(?:am|pm|Uhr)\b|(?i:\bcentur|jahrhundert|siècle|\bsiglo"
        r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\bmorning|\bevening|\bafter\b|\bbefore\b|\bonce\b|\bwhen\b|\bevery\b)"
    ),
    Ask.WHERE: re.compile(
        r"\b(?:in|at|near|from|im|bei|aus|nach|en|à|au|dans|chez)\s+(?:the |der |dem |la |le |el )?[A-ZÀ-Þ]"
        r"|(?i:\bstreet\b|\bfloor\b|\bbuilding\b|\bnext to\b|\bbehind\b|\bstra[sß]+e\b|\brue\b|\bcalle\b|\boutside\b|\binside\b)"
    ),
    Ask.NUMBER: re.compile(
        r"\d|(?i:\b(?:one|two|three|four|five|six|seven|eight|nine|ten|dozen|half|third|quarter|hundred|thousand|million|free"
        r"|zwei|drei|vier|fünf|sechs|zehn|hälfte|kostenlos|deux|trois|quatre|cinq|dix|moitié|gratuit\w*|dos|tres|cuatro|cinco|diez"
        r"|mitad|gratis)\b)"
    ),
    Ask.DURATION: re.compile(rf"(?:\d|(?:one|two|three|four|five|six|ten|half|few|zwei|drei|deux|trois|dos|tres))\s+(?i:{_DURATIONS})"),
    Ask.WHY: re.compile(
        r"(?i:\bbecause\b|\bsince\b|\bso that\b|\btherefore\b|\bdue to\b|\breason|\bas a result\b|\bwhich is why\b|\bleads? to\b|\bcauses?\b"
        r"|\botherwise\b|\bmeans that\b|\bin order to\b|\bso (?:the|it|they|you)\b|\bweil\b|\bdenn\b|\bdeshalb\b|\bdamit\b|\bdadurch\b"
        r"|\bdaher\b|\bsonst\b|parce que|\bafin\b|\bpuisque\b|\bdonc\b|\bcar\b (?=l|il|elle|ce)|\bporque\b|\bya que\b|\bdebido\b|\bpor eso\b)"
    ),
    Ask.HOW: re.compile(
        r"(?i:\bfirst\b|\bthen\b|\bnext\b|\bfinally\b|\bby \w+ing\b|\bmake sure\b|\bshould\b|\bneed to\b|\bsteps?\b|\bstart\b|\bzuerst\b"
        r"|\bdann\b|\bsollte|\bmuss\b|\bd'abord\b|\bensuite\b|\bpuis\b|\bil faut\b|\bprimero\b|\bluego\b|\bdespués\b|\bhay que\b)"
        r"|^(?:Use|Keep|Take|Put|Try|Add|Set|Choose|Check|Clean|Wear|Ride|Start|Begin|Ask|Bring|Fill|Heat|Mix|Write|Read|Open|Plan|Wipe"
        r"|Adjust|Weigh|Avoid|Never|Always|If|To)\b"
    ),
    Ask.COMPARE: re.compile(
        r"(?i:\bthan\b|\bwhereas\b|\bwhile\b|\bcompared\b|\bunlike\b|\binstead\b|\bboth\b|\bas \w+ as\b|\bin contrast\b|\bbut\b|\bals\b"
        r"|\bwährend\b|\bhingegen\b|\bdagegen\b|\btandis que\b|\bplus \w+ que\b|\bmoins\b|\bmientras\b|\bmás \w+ que\b|\bmenos\b)"
    ),
    Ask.OPINION: re.compile(
        r"(?i:\bbest\b|\bbetter\b|\bworth\b|\brecommend|\bexcellent\b|\bgreat\b|\bworse\b|\bworst\b|\bprefer|\bpoor(?:ly)?\b|\bideal\b"
        r"|\bunfortunately\b|\bdisappoint|\bfavou?rite\b|\badvantage|\bdrawback|\bdownside|\bshould\b|\bmistake\b|\boverrated\b|\bsuperb\b"
        r"|\bbesser\b|\bbeste|\bempfehl|\blohnt\b|\bschlecht|\bvorteil|\bnachteil|\bmieux\b|\bmeilleur|\bvaut la peine\b|\brecommand|\bavantage"
        r"|\binconvénient|\bmejor\b|\bpeor\b|\brecomiend|\bvale la pena\b|\bventaja|\bdesventaja)"
    ),
    Ask.DEFINITION: re.compile(
        r"(?i:\b(?:is|are) (?:a|an|the)\b|\bmeans\b|\brefers? to\b|\bcalled\b|\bknown as\b|\b(?:ist|sind) (?:ein|der|die|das)|\bbezeichnet\b"
        r"|\b(?:est|sont) (?:un|une|le|la|des)\b|\bappelle|\b(?:es|son) (?:un|una|el|la|los|las)\b|\bse llama)"
    ),
}
_SHARES: dict[Ask, Ask] = {Ask.RATING: Ask.OPINION}


def asked_for(plain: str, language: str) -> Ask:
    """What a question is after; `plain` is lower case and without accents."""
    for ask, pattern in _QUESTIONS.get(language, _QUESTIONS["en"]):
        if re.search(pattern, plain):
            return ask
    return Ask.OPEN


def shows(sentence: str, ask: Ask) -> bool:
    """Whether a sentence has the form of such an answer; an open question asks for no form."""
    pattern = _ANSWERS.get(_SHARES.get(ask, ask))
    return pattern is None or pattern.search(sentence) is not None
