"""What the person wants: small talk, something about the persona, or a question, with its words and its context."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from app.internal_api.personas.offline.cues import Ask, asked_for
from app.internal_api.personas.offline.stopwords import DEFAULT, FUNCTION, WEAK, guess_language
from app.internal_api.personas.offline.terms import fold, plain, stem, tokens
from app.internal_api.personas.words import Turn

LONGEST = 2_000  # characters of a message that are read
_MOST_TERMS = 40
_WEAK_WEIGHT = 0.3
_EARLIER_WEIGHT = 0.6
_FEW = 2  # so few words of its own make a question lean on the one before


class Intent(StrEnum):
    """What kind of message it is."""

    GREETING = "greeting"
    THANKS = "thanks"
    FAREWELL = "farewell"
    IDENTITY = "identity"
    TOPICS = "topics"
    QUESTION = "question"


@dataclass(frozen=True, slots=True)
class Question:
    """A message as the engine reads it. `terms` maps each stem to its weight, in the order of asking."""

    text: str
    language: str
    intent: Intent
    ask: Ask
    terms: dict[str, float]
    names: frozenset[str]
    said: str
    follows_up: bool


_SMALL: tuple[tuple[Intent, str], ...] = (
    (
        Intent.GREETING,
        r"(?:hi|hello|hey|good (?:morning|evening|afternoon|day)|greetings|hallo|guten (?:tag|morgen|abend)|moin|servus|gruss gott"
        r"|bonjour|bonsoir|salut|coucou|hola|buenos dias|buenas (?:tardes|noches))(?: (?:there|zusammen|\w+))?",
    ),
    (
        Intent.THANKS,
        r"(?:ok |okay |great |super )?(?:many )?(?:thanks|thank you|thx|danke|vielen dank|merci|gracias|muchas gracias)"
        r"(?: (?:a lot|so much|very much|schon|sehr|beaucoup|bien|\w+))?",
    ),
    (
        Intent.FAREWELL,
        r"(?:good ?bye|bye|bye bye|see you|tschuss|auf wiedersehen|au revoir|a bientot|adios|hasta luego)(?: \w+)?",
    ),
)
_ABOUT: tuple[tuple[Intent, str], ...] = (
    (
        Intent.TOPICS,
        r"what (?:do|can) you (?:know|talk|tell|help|answer|offer)\b(?: (?:about|me|me about|with|me with))?$|what (?:are|is) your (?:topics?|expertise"
        r"|knowledge)\b|what (?:can|should|could) i ask|what (?:topics|subjects)\b|^(?:help|topics)$|was weisst du$|was kannst du"
        r"|woruber (?:kannst|weisst)|was kann ich (?:dich )?fragen|que sais[- ]tu$|que savez[- ]vous$|de quoi (?:peux|pouvez|sais)"
        r"|que sabes$|de que (?:puedes|sabes)|que puedo preguntar",
    ),
    (
        Intent.IDENTITY,
        r"who are you\b|what are you$|what(?: i|')s your (?:name|job|field|background|discipline)|introduce yourself|about yourself|describe yourself"
        r"|are you (?:a |an )?(?:real|human|ai|a\.i\.|bot|robot|chatbot|person|machine|chatgpt|llm|language model)\b|how do you work$"
        r"|wer (?:bist du|sind sie)\b|wie heisst du|wie heissen sie|stell dich|bist du (?:ein |eine )?(?:mensch|ki|bot|echt)"
        r"|qui (?:es[- ]tu|etes[- ]vous)|presente[- ]toi|presentez[- ]vous|comment (?:t'appelles|vous appelez)|es[- ]tu (?:un |une )?(?:humain|ia|robot)"
        r"|quien eres|quien es usted|como te llamas|presentate|eres (?:un |una )?(?:humano|ia|robot|persona real)",
    ),
)
_LEANS = re.compile(
    r"^\W*(?:and|but|so|why|how so|what about|how about|really|tell me more|more|go on|else|und|aber|warum|wieso|und was|mehr|et|mais|pourquoi|plus"
    r"|y|pero|por que|mas)\b|\b(?:it|its|this|that|these|those|they|them|he|she|there|davon|dazu|dabei|dieser|diese|dieses|das|cela|ca|celui|celle"
    r"|eso|esto|ello)\b|\b(?:anything else|what else|tell me more|say more|erzahl mehr)\b"
)


def read_question(turns: Sequence[Turn], persona_name: str, language: str | None) -> Question:
    """Read the last message of the person in the light of what was said before it."""
    asked = [fold(turn.content[:LONGEST]) for turn in turns if turn.role == "user"]
    text = asked[-1] if asked else ""
    spoken = _language(asked, language)
    simple = plain(text)
    own = _terms(text, spoken, persona_name)
    leans = len(asked) > 1 and _strong(own) <= _FEW and (_strong(own) == 0 or bool(_LEANS.search(simple)))
    ask = asked_for(simple, spoken)
    terms = own
    if leans:
        earlier = _terms(asked[-2], spoken, persona_name)
        terms = {**{term: weight * _EARLIER_WEIGHT for term, weight in earlier.items()}, **own}
        ask = asked_for(plain(asked[-2]), spoken) if ask is Ask.OPEN else ask
    said = fold(" ".join(turn.content for turn in turns if turn.role == "assistant")) if leans else ""
    return Question(text, spoken, _intent(simple), ask, terms, _names(text, spoken), said, leans)


def search_text(turns: Sequence[Turn]) -> str:
    """What to search the knowledge for: the last message, with the one before it when it leans on that."""
    question = read_question(turns, "", None)
    asked = [fold(turn.content[:LONGEST]) for turn in turns if turn.role == "user"]
    return " ".join(asked[-2:]) if question.follows_up else question.text


def _language(asked: Sequence[str], wanted: str | None) -> str:
    if wanted:
        return wanted.lower().split("-")[0].split("_")[0]
    earlier = guess_language(tokens(" ".join(asked[:-1])))
    return guess_language(tokens(asked[-1]), earlier) if asked else DEFAULT


def _terms(text: str, language: str, persona_name: str) -> dict[str, float]:
    function, weak = FUNCTION.get(language, FUNCTION[DEFAULT]), WEAK.get(language, WEAK[DEFAULT])
    spoken_to = set(tokens(persona_name))
    found: dict[str, float] = {}
    for word in tokens(text):
        if word in function or word in spoken_to or len(found) == _MOST_TERMS:
            continue
        found.setdefault(stem(word, language), _WEAK_WEIGHT if word in weak else 1.0)
    return found


def _strong(terms: dict[str, float]) -> int:
    return sum(weight == 1.0 for weight in terms.values())


def _intent(simple: str) -> Intent:
    bare = re.sub(r"[^\w' -]+", " ", simple)
    bare = " ".join(bare.split())
    for intent, pattern in _SMALL:
        if re.fullmatch(pattern, bare):
            return intent
    return next((intent for intent, pattern in _ABOUT if re.search(pattern, bare)), Intent.QUESTION)


def _names(text: str, language: str) -> frozenset[str]:
    """Stems of the proper names in a question: capitals inside it (German nouns all have one) and numbers."""
    words = text.split()[1:] if language != "de" else []
    named = [word for word in words if word[:1].isupper() and not word.isupper()]
    return frozenset(stem(token, language) for token in tokens(" ".join(named)))
