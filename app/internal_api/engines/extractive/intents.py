"""Small talk and questions about the persona itself, told from questions about a subject."""

import re
from enum import StrEnum


class Intent(StrEnum):
    """What kind of message it is."""

    GREETING = "greeting"
    THANKS = "thanks"
    FAREWELL = "farewell"
    IDENTITY = "identity"
    TOPICS = "topics"
    QUESTION = "question"


_SMALL: dict[Intent, tuple[str, ...]] = {
    Intent.GREETING: (
        r"(?:hi|hello|hey|greetings|good (?:morning|evening|afternoon|day))(?: there| \w+)?",
        r"(?:hallo|moin|servus|gruss gott|guten (?:tag|morgen|abend))(?: zusammen| \w+)?",
        r"(?:bonjour|bonsoir|salut|coucou|hola|buenos dias|buenas (?:tardes|noches))(?: \w+)?",
    ),
    Intent.THANKS: (
        r"(?:ok |okay |great |super )?(?:(?:many )?thanks|thank you|thx)(?: a lot| so much| very much| \w+)?",
        r"(?:ok |okay |super )?(?:danke|vielen dank|merci|gracias|muchas gracias)(?: schon| sehr| \w+)?",
    ),
    Intent.FAREWELL: (
        r"(?:good ?bye|bye|bye bye|see you|tschuss|auf wiedersehen)(?: \w+)?",
        r"(?:au revoir|a bientot|adios|hasta luego)(?: \w+)?",
    ),
}
_ABOUT: dict[Intent, tuple[str, ...]] = {
    Intent.TOPICS: (
        r"what (?:do|can) you (?:know|talk|tell|help|answer|offer)\b(?: me)?(?: about| with)?$",
        r"what (?:are|is) your (?:topics?|expertise|knowledge)\b|what (?:can|should|could) i ask",
        r"what (?:topics|subjects) (?:do|can|are|could) (?:you|i|there)|^(?:help|topics)$",
        r"was weisst du$|was kannst du$|woruber (?:kannst|weisst) du|was kann ich (?:dich )?fragen",
        r"que sais[- ]tu$|que savez[- ]vous$|de quoi (?:peux|pouvez|sais)[- ](?:tu|vous)",
        r"que sabes$|de que (?:puedes|sabes)|que (?:te )?puedo preguntar",
    ),
    Intent.IDENTITY: (
        r"who are you\b|what are you$|what(?: i|')s your (?:name|job|field|background|discipline)",
        r"introduce yourself|(?:tell \w+|talk|something|more) about yourself|describe yourself",
        r"are you (?:a |an )?(?:real|human|ai|bot|robot|chatbot|person|machine|chatgpt|llm|language model)\b",
        r"wer (?:bist du|sind sie)\b|wie heiss(?:t du|en sie)|stell dich",
        r"bist du (?:ein |eine )?(?:mensch|ki|bot|echt)\b",
        r"qui (?:es[- ]tu|etes[- ]vous)|presente(?:z)?[- ](?:toi|vous)|comment (?:t'appelles|vous appelez)",
        r"es[- ]tu (?:un |une )?(?:humain|ia|robot)\b",
        r"quien eres|quien es usted|como te llamas|presentate",
        r"eres (?:un |una )?(?:humano|ia|robot|persona real)\b",
    ),
}


def intent_of(plain: str) -> Intent:
    """What kind of message it is; `plain` is lower case and without accents."""
    bare = " ".join(re.sub(r"[^\w' -]+", " ", plain).split())
    for intent, patterns in _SMALL.items():
        if any(re.fullmatch(pattern, bare) for pattern in patterns):
            return intent
    for intent, patterns in _ABOUT.items():
        if any(re.search(pattern, bare) for pattern in patterns):
            return intent
    return Intent.QUESTION
