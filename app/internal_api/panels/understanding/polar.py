"""Questions that are answered by yes or no, and their two answers per language. Lower case, without accents."""

import re

_ANSWERS = {"en": ("Yes", "No"), "de": ("Ja", "Nein"), "es": ("Sí", "No"), "fr": ("Oui", "Non")}
_PREFIX = (
    r"\A[¿\"(]?(?:(?:and|so|but|then|now|also|honestly|overall|personally|generally|finally|und|y|et|please"
    r"|in general)[, ]+)?"
    r"(?:(?!why\b|what\b|which\b|who\b|how\b|warum\b|was\b|wie\b|welche|por que|que |cual|como |pourquoi|quel|comment)"
    r"[^,?!\n]{1,160}, ¿?(?:then |do you think )?)?"
)
_ENGLISH = re.compile(
    _PREFIX + r"(?:(?:would|do|does|did|will|can|could|should|have|has|had|might|may|shall|must|wouldn't|don't"
    r"|doesn't|didn't|won't|can't|couldn't|shouldn't|haven't|hasn't)|(?:is|are|was|were|am|isn't|aren't|wasn't"
    r"|weren't))"
    r" (?:not )?(?!likely\b)[\w\"'$€£¥]"
)
_YES_OR_NO = re.compile(
    r"\byes ?(?:or|/) ?no\b|\b(?:y/n|yes/no)\b|\bja ?(?:oder|/) ?nein\b|\bsi ?(?:o|/) ?no\b|\boui ?(?:ou|/) ?non\b"
)
_GERMAN = re.compile(
    _PREFIX + r"(?:(?!(?:welche\w?|wie|wohin|worin|womit)\b)[a-z]{2,14}(?:en|st|t|te|d|in|e|ll|rf)"
    r" (?:sie|du|ihr|er|es|wir|ich|man|das|die|der|dieses|diese"
    r"|dieser|unser|unsere|euch|ihnen|dir|dich|sich|ein|eine|mir|jemand)|gibt es|ist|sind|war|waren|hat|haben"
    r"|wird|wurde|soll|sollte|darf|kann|konnte)\b"
)
_SPANISH = re.compile(
    _PREFIX + r"(?!que\b|cual|cuant|como\b|cuando\b|donde\b|quien|(?:por|para|en|de|a|con|desde|hasta) (?:que|cual"
    r"|quien|donde|cuant))"
    r"(?:(?:te|le|les|os|se|lo|la|nos|me|no|ya|alguna vez|usted) )*(?:(?:com|pag|us|recomend|prob|visit|acept"
    r"|contrat|cambi|suscrib|hari"
    r"|pag|gust)\w{0,10}|(?:ha|has|han|eres|es|esta|estas|estan|son|tiene|tienes|tienen|quiere|quieres|puede"
    r"|puedes|cree|crees"
    r"|deberia|deberiamos|seria|hay|considera|consideras|sabe|sabes|conoce|conoces|prefiere|prefieres|confia"
    r"|confias|estaria|estarias"
    r"|piensa|piensas|parece|interesa|compra|compras|usa|usas)\b"
    r"|(?!una?\b|esta? \w+ o\b|algun|algo\b|otr[oa]s?\b|est[ea] |este\b|esa?\b|ante\b|entre\b|sobre\b|nombre\b)"
    r"[a-z]{1,12}(?:[ae][sn]?|aria[sn]?|eria[sn]?|iria[sn]?|[ai]ste|aron|ieron) (?!o |u |y |de )[a-z])"
)
_FRENCH = re.compile(
    _PREFIX + r"(?:est-ce qu(?!oi)|(?:[nlmts]')?[a-z]{2,16}(?:-t)?-(?:vous|tu|il|elle|on|ils|elles|ce|nous)\b"
    r"|(?:vous|tu) (?:\w{1,14} )[^?\n]{1,200}\?|y a-t-il\b|(?:ce|cette|cet|le|la) [^?\n]{1,60} (?:est|vous|te)[ -])"
)
_BY_LANGUAGE = {"en": _ENGLISH, "de": _GERMAN, "es": _SPANISH, "fr": _FRENCH}
# Asked like a yes/no question, but meant as a request to tell.
_REQUEST = re.compile(
    r"\b(?:can|could|would|will) (?:you|we|i) (?:please |kindly |briefly |also |perhaps |quickly )?(?:describe"
    r"|explain|tell|share|list"
    r"|elaborate|walk|talk (?:us|me)|outline|summari[sz]e|suggest|comment|ask|hear|give (?:us|me|an?|some|your"
    r"|feedback)|name|help us understand"
    r"|think of|imagine (?:how|what|why))\b"
    r"|\bdo you (?:have|see) (?:any |some |other |further |additional |more |specific )*(?:suggestion|idea"
    r"|feedback|comment|thought|question"
    r"|advice|tip|recommendation|concern|wish|request|improvement|remark|objection|reservation)s?\b"
    r"|\b(?:is|are|was|were) there (?:\w{1,12} )?(?:any|some)?thing\b|\b(?:anything|something) (?:else|missing"
    r"|unclear|you would)\b"
    r"|\bdo you (?:know|mind) (?:why|how|what|telling|sharing|explaining)\b|\b(?:may|can|could) (?:i"
    r"|we) ask (?:why|what|how)\b"
    r"|\A(?:bitte )?(?:nennen|ordnen|ankreuzen|kreuzen|sortieren"
    r"|beschreiben|erzahlen|erklaren|erlautern|begrunden|schildern) sie\b"
    r"|\b(?:konnen|konnten|wurden) sie (?:uns |mir |bitte |kurz )*"
    r"(?:(?:eine?n?|zwei|drei|\d)\b[^?\n]{0,60}? )?(?:sagen|erzahlen|beschreiben|erklaren"
    r"|nennen|erlautern)\b"
    r"|\b(?:haben sie|hast du) (?:noch )?(?:anregungen|vorschlage|ideen|fragen|anmerkungen|wunsche|feedback)"
    r"|\b(?:puede|puedes|podria|podrias) (?:\w{1,6} )?(?:decir|contar|describir|explicar|nombrar)\w*"
    r"|\btiene[s]? (?:alguna )?(?:sugerencia|idea|comentario|pregunta)"
    r"|\b(?:pouvez|pourriez)-vous (?:\w{1,6} )?(?:dire|decrire|expliquer|raconter|citer)\b|\bavez-vous (?:des"
    r"|d'autres) (?:suggestions|idees|commentaires|questions)"
)

_THEN_TELL = re.compile(
    r"\?[ \n](?:please |bitte )?(?:tell (?:us|me) (?:more |all |everything )?about|describe|erzahlen sie (?:uns |mir )?"
    r"(?:davon|daruber|von|mehr)|beschreiben sie)\b"
)


def asks_then_to_tell(text: str) -> bool:
    """Whether the end mark of a question leads to a request: "Do you remember it? Tell us about it."."""
    return _THEN_TELL.match(text) is not None


def is_polar(sentence: str, language: str) -> bool:
    """Whether a sentence is answered by yes or no."""
    return bool(_YES_OR_NO.search(sentence)) or begins_polar(sentence, language)


def begins_polar(sentence: str, language: str) -> bool:
    """Whether its verb comes first, as in a yes/no question."""
    return begins_with_verb(sentence, language) and not _REQUEST.search(sentence)


def begins_with_verb(sentence: str, language: str) -> bool:
    """Whether it has the shape of a yes/no question, be it one or a request: "Can you name two or three?"."""
    return _BY_LANGUAGE.get(language, _ENGLISH).match(sentence) is not None


def yes_and_no(language: str) -> tuple[str, str]:
    """The two answers in a language."""
    return _ANSWERS.get(language, _ANSWERS["en"])
