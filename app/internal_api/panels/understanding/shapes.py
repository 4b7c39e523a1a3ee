"""The shape of a yes/no question: which verb opens it, whom it asks, and where what follows them begins.

Patterns read lower case without accents.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

BE, DO, HAVE, CAN = "be", "do", "have", "can"
_BEFORE = (
    r"\A[¿\"(]?(?:(?!why\b|what\b|which\b|who\b|how\b|was \w+ sie\b|wie\b|warum\b|welche|por que\b|que\b|cual|como\b"
    r"|pourquoi\b|quel|comment\b)[^,?!\n]{1,160}, ¿?(?:then |dann )?)??"
)
_EN_ADVERBS = (
    r"(?:(?:usually|mostly|mainly|generally|normally|typically|currently|still|really|also|often|already|now|personally"
    r"|ever|primarily|regularly|tend to|prefer to|want to|plan to|intend to|expect to|hope to|need to|have to"
    r"|like to|planning to|going to|looking to|hoping to|thinking of|thinking about|supposed to|trying to) )*"
)
_EN_SAYS = (
    r"(?:(?:would|do|did|should) (?:you|they|people|we) (?:honestly |really |personally )?(?:say|think|feel|believe"
    r"|consider|expect|guess|find|call|describe)(?: that)? )"
)
_EN_INNER = (
    r"(?P<inner>(?:it|they|[^,?\n]{1,60}?) (?P<verb3>is|are|was|were|(?:will|would|should) be|will|would|should|has"
    r"|have"
    r"|had) )?"
)
_ENGLISH = re.compile(
    _BEFORE + rf"(?:(?P<says>{_EN_SAYS}){_EN_INNER}|(?P<verb>is|are|was|were|am|do|does|did|have|has|had|can|could"
    r"|would|will|should|shall|may|might|must)(?:n't)? (?:not )?"
    rf"(?:(?P<person>(?:you|we|they|i|he|she)\b ?{_EN_ADVERBS})|(?:it|things)\b ?)?)"
)
_DE_ADVERBS = (
    r"(?:(?:meistens|meist|normalerweise|gewohnlich|hauptsachlich|derzeit|aktuell|noch|auch|eher|lieber|gern|gerne|oft"
    r"|uberwiegend|personlich|sich|mir|uns) )*"
)
_GERMAN = re.compile(
    _BEFORE + r"(?:(?P<says>(?:finden|fanden|empfinden|empfanden|halten|findest|fandest) (?:sie|du) )"
    r"|(?P<verb>(?:ist|sind|bist|seid|war|waren|wird|werden|wirkt|hat|hatte)(?= (?!sie\b|du\b|ihr\b))"
    r"|(?!(?:wie|was|wer|wo|wann|welche\w*|warum|wor\w+|wes\w+|oder|wenn|falls|ob|seit|bei|als|bevor|nachdem|sofern"
    r"|dass)\b)[a-z]{2,18})"
    rf" (?:(?P<person>(?:sie|du|ihr|wir|man)\b ?{_DE_ADVERBS})"
    r"|(?:es|(?:ihnen|dir|euch|fur sie))\b ?|(?=der |die |das |ihre? |unsere? |dein|euer|eure|dies))"
    r")"
)
_ES_BE = (
    r"es|son|esta|estan|estas|eres|era|eran|fue|fueron|estaba|estaban|parece|parecen|resulta|resulto|sera|seria|sigue"
)
_SPANISH = re.compile(
    _BEFORE + r"¿?(?:(?:cree|crees|piensa|piensas|diria|dirias|considera|consideras) que "
    r"(?P<says>)(?:(?:el|la|los|las|su|sus|este|esta|nuestr\w+|tu) [^,?\n]{1,60}? )?"
    rf"(?:{_ES_BE}) |(?:el|la|los|las|su|sus|este|esta|estos|estas|nuestr\w+|tu|tus) [^,?\n]{{1,60}}? "
    rf"(?:(?:le|les|te|me|se|nos) )?(?P<thing>ha|han|habia|{_ES_BE}|parecio|parecieron|quedo|llego|sabe"
    rf"|tiene) (?:(?:sido|estado) )?"
    r"|(?:(?:usted|ustedes|tu|le|les|te|se|lo|la|los|las|nos|no|ya|ahora) )*"
    r"(?P<verb>(?!(?:que|cual|cuales|como|cuando|cuanto\w*|cuanta\w*|donde|quien\w*|por|para|en|de|a|al|con|el|un"
    r"|una|si|hoy|durante|antes|despues|desde|segun|pero|y)\b)"
    r"[a-z]{2,18}) (?P<person>(?:(?:usted|ustedes|normalmente|habitualmente|generalmente|mas|sus?|principalmente)"
    r" (?=\w))?))"
)
_FR_SUBJECT = r"(?:-t)?-(?:vous|tu|il|elle|ils|elles|on|ce)\b ?"
_FR_ADVERBS = r"(?:(?:plutot|generalement|habituellement|principalement|souvent|actuellement|surtout|deja) )*"
_FRENCH = re.compile(
    _BEFORE + r"(?:(?P<says>(?:trouvez|trouves|diriez|dirais|pensez|penses)-(?:vous|tu) (?:que )?"
    r"(?:[^,?\n]{1,60}? (?:est|sont|etait|etaient|soit) )?)"
    r"|(?:est-ce que |est-ce qu')(?:(?P<person>(?:vous|tu) )|[^,?\n]{1,60}? (?=(?:est|sont|etait|etaient|a|ont) ))"
    rf"(?P<verb>[a-z']{{1,18}}) {_FR_ADVERBS}"
    r"|(?:(?:le|la|les|l'|ce|cet|cette|ces|votre|vos|notre|nos|ton|ta|tes)[^,?\n]{1,60}? )?"
    rf"(?:[nlmts]')?(?P<verb2>(?!qu)[a-z]{{1,18}}){_FR_SUBJECT}{_FR_ADVERBS})"
)
_SHAPES: Mapping[str, re.Pattern[str]] = {"en": _ENGLISH, "de": _GERMAN, "es": _SPANISH, "fr": _FRENCH}
_KINDS: Mapping[str, str] = {
    verb: kind
    for kind, verbs in (
        (BE, "is are was were am ist sind bist seid war waren wirkt etes es est sont etait etaient sommes "),
        (BE, _ES_BE.replace("|", " ")),
        (HAVE, "have has had haben hast habt hat hatte hatten ha han has he habia avez as ont a avait"),
        (CAN, "can could konnen kannst konnten puede puedes podria podrias pouvez peux pourriez"),
    )
    for verb in verbs.split()
}


@dataclass(frozen=True, slots=True)
class Shape:
    """How a yes/no question is built.

    Attributes:
        kind: of the verb that opens it: BE, HAVE, CAN, or DO for every other.
        verb: that verb.
        person: whether somebody is asked about himself, so that his deed or what it concerns follows.
        told: whether its subject is a pronoun or has been passed, so that it is no part of what follows.
        rest: where what follows them begins, in the sentence.

    """

    language: str
    kind: str
    verb: str
    person: bool
    told: bool
    rest: int

    @property
    def leads_to_deed(self) -> bool:
        """Whether the deed stands behind the subject: "Do you own …?"."""
        return self.verb in _HELPERS


def shape_of(sentence: str, language: str) -> Shape | None:
    """None where the question does not open with a verb."""
    match = _SHAPES.get(language, _ENGLISH).match(sentence)
    if match is None:
        return None
    named = match.groupdict()
    if named.get("says") is not None:
        inner = named.get("verb3") or "is"
        kind = DO if _KINDS.get(inner, DO) in {DO, HAVE} and not inner.endswith(" be") else BE
        return Shape(language, kind, "", person=False, told=match.end() > match.end("says"), rest=match.end())
    verb = named.get("verb") or named.get("verb2") or named.get("thing") or ""
    if match[0].endswith((" to ", " of ", " about ")) and _KINDS.get(verb) == BE:
        verb = "do"
    person = named["person"] is not None or match[0].rstrip().endswith(("-vous", "-tu"))
    told = person or named.get("thing") is not None or _TOLD.search(match[0]) is not None
    return Shape(language, _KINDS.get(verb, DO), verb, person, told, match.end())


_HELPERS = frozenset("do does did would will should shall can could may might must".split())  # noqa: SIM905 - reads better
_TOLD = re.compile(r"(?:\b(?:it|es|ihnen|dir|things)|-(?:il|elle|ils|elles|ce|on)) ?\Z")
