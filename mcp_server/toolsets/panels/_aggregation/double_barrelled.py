"""Two questions in one: pairs of qualities, of things rated together, of deeds, and second questions. Pure."""

import re

from mcp_server.toolsets.panels._aggregation.set_phrases import LEADS_TO_DEED, TOGETHER

AND = r"(?:and(?:/or)?|&|und|et|y|sowie)"
WORD = r"[a-z][a-z'-]*"
VERB = r"(?:is|are|was|were|do|does|did|would|will|can|could|should|have|has)"
SHORT_ADJECTIVES = (
    "fast|slow|quick|cheap|fair|good|bad|new|old|clear|simple|safe|smart|nice|fun|short|long|big|small|strong|modern|"
    "fresh|clean|warm|cool|light|dark|hard|soft|loud|quiet|great|poor|honest|unique|accurate|secure|precise|complete|"
    "appropriate|expensive|sweet|tall|deep|high|low|solid|comfortable|different"
)
ENDINGS = "ful|able|ible|ive|ous|less|ical|ish|ed|ing|y|ant|ent|al"
ADJECTIVE = rf"(?:[a-z-]{{2,}}(?:{ENDINGS})|{SHORT_ADJECTIVES})"
GERMAN = (
    r"(?:[a-z]+(?:lich|ig|isch|bar|sam|haft|los|voll|iv|ell|ant|ent|iert|fach)|schnell|gut|schlecht|teuer|billig|fair|"
    r"sicher|schon|modern|klar|bequem|leicht|schwer|neu|frisch|lecker|gesund|stabil|sauber|ehrlich|nutzlich|angenehm|"
    r"genau|kurz|lang|gross|klein|sparsam|nett|stark|leise|robust)"
)
HOW = re.compile(
    rf"\bhow (?!many|much|often|long|far|soon)({WORD}) {AND} (?:how )?(?!(?:why|so|if|to)\b)"
    rf"(?:({ADJECTIVE})|({WORD}) {VERB}\b)"
    rf"|\bhow (?:often|many|much|long) {AND} (?:how|why|when|where)\b"
    rf"|\bwie ({WORD}) und (?:wie )?({WORD}) (?:ist|sind|war|finden|fanden|wirkt)\b"
    rf"|\b(?:que tan|cuan) ({WORD}) y ({WORD})\b"
    rf"|\ba quel point\b[^?,]*?\b(?:est|sont|etait|trouvez-vous [^?,]*?) ?({WORD}) et ({WORD})\s*\?"
)
IS_BOTH = re.compile(
    r"\b(?:is|are|was|were|be|find|found|feel|felt|seem|look|think|consider)\b[^?,:;]*?"
    rf"\b({ADJECTIVE}) {AND} ({ADJECTIVE})(?: (?:to|for|enough)\b[^?]*)?\s*\?"
    r"|\b(?:ist|sind|war|waren|wirkt|wirken|finden sie|fanden sie)\b[^?,:;]*?"
    rf" ({GERMAN}) und ({GERMAN})(?: (?:genug|zu \w+))?\s*\?"
)
RATED = re.compile(
    r"\b(?:satisfied|happy|pleased|content|comfortable) (?:are|were|is) (?:you|they) with|\bsatisfied with|\brate"
    r"|\bhow (?:do|would|did) you (?:rate|score|judge|assess|find|feel about|like)|\bhow important (?:is|are)"
    r"|\bhow (?:good|clear|useful|fair) (?:is|are|was|were)|\b(?:do|did) you like"
    r"|\bzufrieden (?:sind|waren) sie mit|\bwie (?:bewerten|finden|fanden|beurteilen) sie"
    r"|\b(?:satisfaite?s?|content) (?:etes-vous )?(?:de|du|des)|\bcomment (?:evaluez|jugez|trouvez)-vous"
    r"|\bsatisfech[oa]s? (?:esta|estas) con|\bcomo (?:califica|valora|evalua)(?:ria|s)?"
)
THING = r"(?:(?:the|our|your|its|their|this|these|der|die|das|dem|den|le|la|les|du|de la|des|de l'|el|los|las|l') ?)?"
AMONG = rf"(?:, ?{THING}(?:{WORD} ){{0,2}}?{WORD})"
BOTH_THINGS = re.compile(
    rf"(?: the following| these)?:?\s+{THING}(?:{WORD} ){{0,2}}?({WORD})(?:{AMONG}+,?)? {AND} {THING}({WORD})\b"
)
SCALE = r"\b(?:scale|skala|echelle|escala) (?:of|from|von|de|del?) \d+[^?.!\d]{1,12}\d+"
TWO_SCALES = re.compile(rf"{SCALE}.*?({AND} [^?.!]*?{SCALE}[^?.!]*)")
DEEDS = re.compile(
    r"\b(?:would|will|did|do|could|can) you (?!(?:like|rather|prefer)\b)"
    rf"(?:\w+ly )?({WORD})(?: (?:it|this|that|us|them))? {AND} ({WORD})\b"
)
SECOND = re.compile(
    rf"[,;]? {AND} (?:"
    rf"{VERB} (?:you|it|they|we|this|that|the|your|our)\b"
    rf"|(?:how|which|where|when|who) (?:{VERB}|much|many|often|likely)\b"
    r"|(?:wurden|werden|sind|haben|finden|wie|welche[rs]?) (?:sie|oft|viel)\b"
    r"|(?:est-ce que|combien|comment) \w+|(?:recomendaria|compraria|cuanto|como)\b"
    r")[^?]*\?"
)
VERBS = (
    "reduce|lower|raise|increase|improve|expand|extend|add|remove|drop|cut|keep|offer|provide|build|create|open"
    "|close|hire"
    "|train|invest|spend|save|invite|launch|introduce|develop|change|redesign|simplify|replace|support|promote|ban|tax"
    "|protect|limit|allow|require|publish|share|sell|buy|start|stop|fix|update|upgrade|lead|help|make|give|pay|shorten"
    "|have|get|greet|smile|thank|welcome|answer|explain|solve|listen|apologi[sz]e"
)
CONJOINED = re.compile(
    r"(?:^|[.!?:,;] )(?:should|would|will|could|must|can|do|does|did|shall) [^?,;:]{1,60}?"
    rf"\b(?:{VERBS}) (?:{WORD} ){{1,4}}?and (?:also )?(?:{VERBS}) {WORD}[^?]*"
    rf"|\b(?:sollte|sollten|soll|wird|werden) [^?,;:]{{1,60}}? {WORD}(?:en|ern|eln) und [^?,;:]{{1,40}}?{WORD}(?:en"
    rf"|ern|eln)\s*\?"
)
PLACES = r"(?:should|will|would|are|is|were|was|have|has|need|must|can|do)"
SUBJECTS = re.compile(
    rf"\b(?:think|believe|feel|say|agree|expect)(?: that)? {THING}(?:{WORD} )?({WORD}) and {THING}({WORD}) {PLACES}\b"
    rf"|(?:^|[.!?:,;] )should {THING}({WORD}) and {THING}({WORD}) (?!or\b){WORD}"
    rf"|\b(?:glauben|denken|finden|meinen) sie,? dass {THING}({WORD}) und {THING}({WORD}) {WORD}"
    rf"|\b(?:cree|crees|piensa|piensas|considera) que {THING}({WORD}) y {THING}({WORD}) {WORD}"
    rf"|\b(?:pensez|croyez|trouvez)-vous que {THING}({WORD}) et {THING}({WORD}) {WORD}"
)
ASKS = re.compile(
    rf"\b(?:{VERB}|what|which|who|how|when|where|why|you|they|we|it|sie|du|wie|was|wer|wo|wann|warum"
    rf"|welche[rsnm]?|ist|sind"
    r"|haben|vous|tu|est|sont|quel(?:le)?s?|comment|que|quien|cual(?:es)?|como|usted|es|son)\b|¿"
)
PARTED = re.compile(r",| (?:or|oder|o|ou) |/|;")
FEW = 3  # words: "Where do you shop? Online? In stores?"
QUESTION = re.compile(r"[^?]+\?")
FOLLOW_UP = re.compile(
    r"^¿?(?:and |but |if (?:so|not|yes|no),? |please |or )*"
    r"(?:why|why not|how so|how come|what for|what makes|what made|what is (?:your|the) reason|what else|which"
    r"|warum|wieso|weshalb|pourquoi|por que|can you (?:explain|say|tell)|could you|in what way)\b"
)

QUESTION_WORDS = """
    why how what when where which who then if that this it so not or whether please explain tell say him her them
    warum wieso pourquoi por dann puis luego
"""
NO_THINGS = frozenset(QUESTION_WORDS.split())
ONE_CHOICE = re.compile(
    r"\b(?:which|what|choose|pick|select|prefer|rank|welche[rsmn]?|wahlen|quel(?:le)?s?|choisi\w+"
    r"|cual(?:es)?|elij\w+)\b"
)
BETWEEN = re.compile(
    rf"\bbetween [^?]*? {AND} \w+|\bboth [^?]*? {AND} \w+|\b\d+ {AND} \d+"
    r"|\bzwischen [^?]*? und \w+|\bentre [^?]*? (?:et|y) \w+"
)
LIST = re.compile(r":\s*[^?]*(?:,| or | oder | ou | o |;|\n)[^?]*")


def two_questions(text: str) -> str | None:
    """The words that ask for two things; None where one thing is asked. `text` is folded, in one line."""
    asked = BETWEEN.sub(" ", _without_list(text))
    return (
        _two_scales(asked)
        or _second_question(asked)
        or _pair(HOW, asked)
        or _pair(IS_BOTH, asked)
        or _two_things(asked)
        or _deeds(asked)
    )


def _without_list(text: str) -> str:
    """Options that are listed after a colon are no questions."""
    before = text.partition(":")[0]
    # What only introduces the list, "Pick up to 2", is no question beside the one that stands before it.
    return LIST.sub("" if "?" in before else " ?", text) if ONE_CHOICE.search(before) else text


def _second_question(text: str) -> str | None:
    if found := SECOND.search(text):
        return _shown(found[0])
    asked = [one.strip(" .,;") for one in QUESTION.findall(text)]
    more = [one for one in asked[1:] if not (FOLLOW_UP.match(one.rpartition(". ")[2]) or _only_lists(one))]
    return _shown(more[0]) if more else None


def _only_lists(text: str) -> bool:
    """As in "Coffee, tea or nothing?", which offers answers to the question before it."""
    return (PARTED.search(text) is not None or len(text.split()) <= FEW) and not ASKS.search(text)


def _two_scales(text: str) -> str | None:
    found = TWO_SCALES.search(text)
    return _shown(found[1]) if found else None


def _pair(pattern: re.Pattern[str], text: str) -> str | None:
    for found in pattern.finditer(text):
        named = [word for word in found.groups() if word]
        if not (_one_thing(named) or (pattern is DEEDS and named[0] in LEADS_TO_DEED)):
            return _shown(found[0])
    return None


def _two_things(text: str) -> str | None:
    for rated in RATED.finditer(text):
        found = BOTH_THINGS.match(text, rated.end())
        if found and not _one_thing(list(found.groups())):
            return _shown(found[0])
    return None


def _deeds(text: str) -> str | None:
    """Two things that are done, or that something is done to; what leads to the next deed is none."""
    if ONE_CHOICE.search(text):
        return None
    if found := CONJOINED.search(text):
        return _shown(found[0])
    return _pair(DEEDS, text) or _pair(SUBJECTS, text)


def _one_thing(named: list[str]) -> bool:
    first, last = (named[0], named[-1]) if named else ("", "")
    spelt = {f"{one} {other}" for one in (first, first.removesuffix("s")) for other in (last, last.removesuffix("s"))}
    return not spelt.isdisjoint(TOGETHER) or not NO_THINGS.isdisjoint(named)


def _shown(text: str) -> str:
    return " ".join(text.strip(" .,;:¿").split()[:10])
