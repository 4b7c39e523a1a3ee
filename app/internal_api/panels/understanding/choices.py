"""Cues of choosing: from a list, several at once, how many at most. Lower case, without accents."""

import re

from app.internal_api.panels.understanding.numbers import NUMBER, whole

_VERB = (
    r"(?:pick|choose|select|check|tick|mark|name|circle|rank|wahle?n?|auswahlen|nennen?|ordnen?|sortieren?|ankreuzen"
    r"|kreuzen?"
    r"|elija|elige|elijan|escoja|escoge|selecciona|seleccione|marque|marca|nombre"
    r"|choisi\w{0,6}|selectionne\w{0,2}|cochez|coche|citez)"
)
_ALL = re.compile(
    r"\b(?:all|any|each|everything|those|which) (?:of (?:these|them|the following) )?(?:that|which|of these) apply\b"
    r"|\b(?:check|tick|mark|select|choose|pick) (?:all|any|several|multiple|as many)\b|\bas many as\b"
    r"|\b(?:select|choose|pick|choice of|allow) (?:one or more|more than one|at least one)\b"
    r"|\bmultiple (?:answers|choices|responses|select\w*)"
    r"|\bseveral (?:answers|choices) (?:are )?(?:possible|allowed|permitted)"
    r"|\bmulti-?select\b|\b(?:one or more|more than one) (?:answers?|options?|of)\b|\bapply to you\b"
    r"|(?<!keine )\bmehrfach(?:auswahl|nennung|antwort)\w*|\bmehrere (?:antworten|optionen|nennungen)"
    r"|\balle[sn]? (?:zutreffend\w*|passend\w*)"
    r"|\balles(?: an)?,? was (?:auf sie )?zutrifft"
    r"|\b(?:wahlen|nennen|kreuzen) sie (?:alle|mehrere)\b|\bwas trifft (?:alles )?zu\b"
    r"|\btod[oa]s l[oa]s que|\b(?:varias|multiples) (?:respuestas|opciones)|\belegir (?:varias|mas de una)\b"
    r"|\bmas de una (?:respuesta|opcion)|\bque correspondan\b"
    r"|\btoutes (?:les|celles) (?:\w{1,12} )?qui|\btous ceux qui|\bplusieurs (?:reponses|choix|options)"
)
_AT_MOST = re.compile(
    rf"\b{_VERB}\b[^.?!\n\d]{{0,40}}?(?:\bup to|\bat most|\bno more than|\bmax(?:imum|imal)?(?: of)?|\bbis zu"
    r"|\bhochstens"
    rf"|\bhasta|\bun maximo de|\bcomo maximo|\bjusqu'a|\bau plus|\bau maximum)\.? ({NUMBER})"
    r"|[(\[,:;-] ?(?:up to|at most|max(?:imum|imal)?\.?(?: of)?|bis zu|hochstens|hasta|maximo"
    r"|jusqu'a|au maximum|no more than)"
    rf" ({NUMBER})(?= ?(?:[)\].,;:]|\Z|\n|of\b|options?\b|answers?\b|antworten\b|nennungen\b"
    r"|respuestas\b|opciones\b|reponses\b|choix\b))"
    rf"|\b{_VERB} (?:sie |du |me |us )?(?:exactly |only |just |any |the |your |ihre |deine |genau |las |los "
    r"|sus |tus |les |vos |tes )*"
    rf"(?:top |best |favou?rite |most \w{{1,16}} |wichtigsten? |besten )?"
    rf"(?:{NUMBER} (?:or|oder) )?({NUMBER})(?! (?:to|and|-|bis|of 1\d)\b)\b"
    rf"|\b(?:which|what) (?:are )?(?:your )?(?:top )?({NUMBER}) (?:of|matter|do|would|are|appeal|describe"
    rf"|\w{{2,24}}s\b)"
    rf"|\b(?:which|what) (?:are|were) (?:your|the) (?:top|best|most \w{{1,16}})? ?({NUMBER})\b"
    rf"|\bwelche (?:der )?({NUMBER})\b|\b(?:cuales|que) ({NUMBER})\b|\bquel(?:le)?s ({NUMBER})\b"
)
_OWNED = re.compile(
    r"\bwhich (?:ones? )?of (?:the|these|those|our|your)\b[^.?!\n:]{0,60}? (?:have you|do you (?:already "
    r"|currently |regularly )?(?:use|own|have|know))\b"
    r"(?![^.?!\n:]{0,40}\b(?:most|least|best|mainly|primarily|first)\b"
    r"(?! (?:days|weeks|mornings|evenings|of the time)\b))"
    r"(?![^.!\n]{0,200}[, ](?:or|and) both\b)"
    r"|\bwhich of the(?:se)? (?:following )?(?:apply|applies)\b"
)
_CHOICE = re.compile(
    rf"\b{_VERB}\b|\bwhich\b|\bprefer(?:red|ence)?\b|\brather\b|\boptions?\b|\bbest describes?\b|\bfavou?rite\b"
    r"|\bone of\b"
    r"|\bthe following\b|\bwhat (?:is|are|was) your\b|\bwho would you vote\b|\bvote for\b"
    r"|\breihenfolge\b|\border of\b|\bsort (?:these|the|them)\b"
    r"|\bwelche[srnm]?\b|\bbevorzug\w*|\blieber\b|\boption(?:en)?\b"
    r"|\bcual(?:es)?\b|\bprefier\w*|\bpreferiri\w*|\bopcion(?:es)?\b"
    r"|\bquel(?:le)?s?\b|\blequel\b|\blaquelle\b|\bprefer\w*|\bplutot\b"
)
_OPEN = re.compile(
    r"\A[¿\"(]?(?:(?:and|so|but|also|und|y|et|please|overall|first|finally),? )?(?:why\b|how come\b|explain"
    r"|describe|tell (?:me|us)"
    r"|how (?:should|could|can|might|do|did|does|would|will) (?:we|i|they|it|this|that|these|those|the|our|your)\b"
    r"|how (?:do|did|would) you (?:feel|think|imagine|see|react|describe|improve|change|explain|respond)"
    r"|what (?:do|did|would|does|should|could|can|might|will) (?:you|we|i|they|it|this|these|our|your"
    r"|the) (?:\w{2,12} )?"
    r"(?:think|feel|change|improve|add|remove|say|do|mean|expect|make of|learn|need|tell|suggest)\b"
    r"|what (?:else|if anything|,? if anything|(?:is|are|was|were|'s) (?:missing|unclear|wrong|the reasons?"
    r"|the problems?)"
    r"|makes?|made|would make|comes? to mind)|what about|warum|wieso|weshalb|was (?:denken|halten|meinen"
    r"|wurden|sollten|fehlt|stort)"
    r"|por que|que (?:opina|piensa|mejorar|falta|cambiar)|pourquoi|que pensez|qu'en pensez|que (?:manque|changer))"
)
# "What would you change first: the price or the lock?" asks for one of them.
_RANKED = re.compile(r"\A[¿\"(]?(?:what|was) [^?\n:]{0,200}\b(?:first|rather|sooner|zuerst|eher|lieber|am ehesten)\b")
# "How does it make you feel: happy, sad or angry?" names the feelings.
_FEELINGS = re.compile(
    r"\A[¿\"(]?how (?:do|does|did|would) [^?\n:]{1,120}\b(?:feel|describe|look|sound"
    r"|taste)\b[^?\n:]{0,80}: [^?\n]{1,60},"
)
_WHY = re.compile(r"\A[¿\"(]?(?:(?:and|so|but|und|y|et),? )?(?:why|how come|warum|wieso|weshalb|por que|pourquoi)\b")
_FEWEST, _MOST = 2, 50


def at_most(text: str) -> int | None:
    """How many may be chosen, where the wording says so."""
    for match in _AT_MOST.finditer(text):
        found = whole(next(group for group in match.groups() if group))
        if found is not None and 1 <= found <= _MOST:
            return found
    return None


def takes_several(text: str) -> bool:
    """Whether more than one option may be chosen."""
    most = at_most(text)
    return most >= _FEWEST if most is not None else bool(_ALL.search(text) or _OWNED.search(text))


def asks_to_choose(text: str) -> bool:
    """Whether something shall be picked."""
    return bool(_CHOICE.search(text))


def is_open(sentence: str) -> bool:
    """Whether a sentence asks for thoughts, whatever is listed beside it."""
    if _OPEN.match(sentence) is None or _FEELINGS.match(sentence):
        return False
    return _RANKED.match(sentence) is None


def asks_why(sentence: str) -> bool:
    """Whether a sentence asks for reasons."""
    return _WHY.match(sentence) is not None
