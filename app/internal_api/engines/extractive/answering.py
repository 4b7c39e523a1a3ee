"""Cues of answering: how a sentence shows that it holds a person, a date, a price, a reason."""

import re

from app.internal_api.engines.extractive.asking import Ask

_MONTHS = (
    "January|February|March|April|May|June|July|August|September|October|November|December"
    "|Januar|Februar|März|Mai|Juni|Juli|Oktober|Dezember"
    "|janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre"
    "|enero|febrero|abril|junio|julio|agosto|septiembre|octubre|noviembre|diciembre"
)
_DURATIONS = (
    r"(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?"
    r"|sekunden?|minuten?|stunden?|tagen?|tage|wochen?|monate?|jahren?|jahre"
    r"|secondes?|heures?|jours?|semaines?|mois|ans"
    r"|segundos?|minutos?|horas?|días?|semanas?|meses|años)"
)


def _compiled(exact: tuple[str, ...] = (), any_case: tuple[str, ...] = ()) -> re.Pattern[str]:
    folded = (f"(?i:{'|'.join(any_case)})",) if any_case else ()
    return re.compile("|".join((*exact, *folded)))


# All four languages together: a sentence shows its language less clearly than a question.
_ANSWERS: dict[Ask, re.Pattern[str]] = {
    Ask.WHO: _compiled(
        exact=(
            r"(?<=\w )[A-ZÀ-Þ][\w'\u2019-]+ (?:(?:[A-Z]\.|de|van|von|di|da|del) )*[A-ZÀ-Þ][\w'\u2019-]+",
            r"\bby (?:(?:an?|the|his|her) )?[A-ZÀ-Þ]",
            r"^[A-ZÀ-Þ][\w'\u2019-]+ (?:de |van |von |di )?[A-ZÀ-Þ][\w'\u2019-]+",
        ),
        any_case=(
            r"\bby (?:an?|the) \w+|\bfounder|\binventor|\bengineer|\bmembers?\b|\bvolunteers?\b",
            r"\blibrarians?\b|\bingenieur|\bwurde von\b|\bpar un|\bpor (?:un|el)",
        ),
    ),
    Ask.WHEN: _compiled(
        exact=(
            rf"\b(?:{_MONTHS})\b",
            r"\b(?:1\d|20)\d\d\b|\d{1,2}:\d\d|\d\s?(?:am|pm|Uhr|h)\b|\d{1,2}h\d\d",
        ),
        any_case=(
            r"\bcentur|jahrhundert|siècle|\bsiglo|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b",
            r"\b(?:mon|diens|donners|frei|sams|sonn)tag|\bmittwoch|\b(?:lun|mar|mercre|jeu|vendre|same)di\b",
            r"\bdimanche|\b(?:lunes|martes|miércoles|jueves|viernes|sábado|domingo)\b",
            r"\bmorning|\bevening|\bafter\b|\bbefore\b|\bonce\b|\bwhen\b|\bevery\b",
        ),
    ),
    Ask.WHERE: _compiled(
        exact=(r"\b(?:in|at|near|from|im|bei|aus|nach|en|à|au|dans|chez) (?:(?:the|der|dem|la|le|el) )?[A-ZÀ-Þ]",),
        any_case=(
            r"\bstreet\b|\bfloor\b|\bbuilding\b|\bnext to\b|\bbehind\b|\bstra[sß]+e\b|\brue\b|\bcalle\b",
            r"\boutside\b|\binside\b",
        ),
    ),
    Ask.NUMBER: _compiled(
        exact=(r"\d",),
        any_case=(
            r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|dozen|half|third|quarter|hundred|thousand)\b",
            r"\b(?:million|free|zwei|drei|vier|fünf|sechs|zehn|hälfte|kostenlos|deux|trois|quatre|cinq|dix)\b",
            r"\b(?:moitié|gratuit\w*|dos|tres|cuatro|cinco|diez|mitad|gratis)\b",
        ),
    ),
    Ask.PRICE: _compiled(
        exact=(r"[€$£]\s?\d|\d\s?(?:€|\$|£)",),
        any_case=(
            r"\d\s?(?:euros?|dollars?|pounds?|cents?|usd|eur|chf|pesos?|francs?)\b|\bfree\b|\bcosts?\b",
            r"\bkoste[nt]|\bkostenlos|\bgratis\b|\bgratuit|\bcoûte|\bprix\b|\bcuesta|\bprecio",
        ),
    ),
    Ask.DEGREE: _compiled(
        exact=(r"°",),
        any_case=(r"\d\s?(?:degrees?|grad|degrés?|grados?|kelvin)\b|\bcelsius\b|\bfahrenheit\b",),
    ),
    Ask.DURATION: _compiled(
        exact=(r"\d\s?(?:min|s|h)\b",),
        any_case=(rf"\b{_DURATIONS}\b",),
    ),
    Ask.WHY: _compiled(
        any_case=(
            r"\bbecause\b|\bsince\b|\bso that\b|\btherefore\b|\bdue to\b|\breason|\bas a result\b",
            r"\bwhich is why\b|\bleads? to\b|\bcauses?\b|\botherwise\b|\bmeans that\b|\bin order to\b",
            r"\bso (?:the|it|they|you)\b|\bweil\b|\bdenn\b|\bdeshalb\b|\bdamit\b|\bdadurch\b|\bdaher\b",
            r"\bsonst\b|parce que|\bafin\b|\bpuisque\b|\bdonc\b|\bcar\b (?=l|il|elle|ce)|\bporque\b",
            r"\bya que\b|\bdebido\b|\bpor eso\b",
        ),
    ),
    Ask.HOW: _compiled(
        exact=(
            r"^(?:Use|Keep|Take|Put|Try|Add|Set|Choose|Check|Clean|Wear|Ride|Start|Begin|Ask|Bring|Fill)\b",
            r"^(?:Heat|Mix|Write|Read|Open|Plan|Wipe|Adjust|Weigh|Avoid|Never|Always|If|To)\b",
        ),
        any_case=(
            r"\bfirst\b|\bthen\b|\bnext\b|\bfinally\b|\bby \w+ing\b|\bmake sure\b|\bshould\b|\bneed to\b",
            r"\bsteps?\b|\bstart\b|\bzuerst\b|\bdann\b|\bsollte|\bmuss\b|\bd'abord\b|\bensuite\b|\bpuis\b",
            r"\bil faut\b|\bprimero\b|\bluego\b|\bdespués\b|\bhay que\b",
        ),
    ),
    Ask.COMPARE: _compiled(
        any_case=(
            r"\bthan\b|\bwhereas\b|\bwhile\b|\bcompared\b|\bunlike\b|\binstead\b|\bboth\b|\bas \w+ as\b",
            r"\bin contrast\b|\bbut\b|\bals\b|\bwährend\b|\bhingegen\b|\bdagegen\b|\btandis que\b",
            r"\bplus \w+ que\b|\bmoins\b|\bmientras\b|\bmás \w+ que\b|\bmenos\b",
        ),
    ),
    Ask.OPINION: _compiled(
        any_case=(
            r"\bbest\b|\bbetter\b|\bworth\b|\brecommend|\bexcellent\b|\bgreat\b|\bworse\b|\bworst\b",
            r"\bprefer|\bpoor(?:ly)?\b|\bideal\b|\bunfortunately\b|\bdisappoint|\bfavou?rite\b",
            r"\badvantage|\bdrawback|\bdownside|\bshould\b|\bmistake\b|\boverrated\b|\bsuperb\b",
            r"\bbesser\b|\bbeste|\bempfehl|\blohnt\b|\bschlecht|\bvorteil|\bnachteil|\bmieux\b|\bmeilleur",
            r"\bvaut la peine\b|\brecommand|\bavantage|\binconvénient|\bmejor\b|\bpeor\b|\brecomiend",
            r"\bvale la pena\b|\bventaja|\bdesventaja",
        ),
    ),
    Ask.DEFINITION: _compiled(
        any_case=(
            r"\b(?:is|are|was|were) (?:a|an|the)\b|\bmeans\b|\brefers? to\b|\bcalled\b|\bknown as\b",
            r"\b(?:ist|sind|war|waren) (?:ein|der|die|das)|\bbezeichnet\b|\b(?:est|sont|était) (?:un|une|le|la|des)\b",
            r"\bappelle|\b(?:es|son|era) (?:un|una|el|la|los|las)\b|\bse llama",
        ),
    ),
}
_SHARES: dict[Ask, Ask] = {Ask.RATING: Ask.OPINION}


def shows(sentence: str, ask: Ask) -> bool:
    """Whether a sentence has the form of such an answer; an open question asks for no form."""
    pattern = _ANSWERS.get(_SHARES.get(ask, ask))
    return pattern is None or pattern.search(sentence) is not None
