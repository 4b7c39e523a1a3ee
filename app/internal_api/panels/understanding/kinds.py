"""Kinds of words, by which the sides of an "or" are told to be built alike. Lower case, without accents."""

import re
from collections.abc import Sequence

THE, IN, DEGREE, NUMBER, ADVERB, WORD = "the", "in", "degree", "number", "adverb", "word"
PHRASES = frozenset({THE, IN, DEGREE, NUMBER})
"""Kinds that begin a phrase of several words."""

INDEFINITE = frozenset("a an any some ein eine einen einem einer un una unos unas une des du d'un d'une".split())  # noqa: SIM905 - reads better
_THE = INDEFINITE | frozenset(
    "the my your our their his her its this that these those every each another der die das den dem mein"  # noqa: SIM905 - reads better
    " meine ihr ihre ihren unser unsere dein deine kein keine el la los las su sus mi tu le les l votre"
    " vos notre nos mon ma mes ton ta tes".split()
)
PREPOSITIONS = frozenset(
    "in on at by with from to for as through via under over during before after without within of im am"  # noqa: SIM905 - reads better
    " per mit bei auf zur zum von vom aus fur ins ans en con por al à de del desde sin para pour au aux dans"
    " sur par avec chez sans depuis contre against gegen contra d".split()
)
_DEGREES = frozenset(
    "too very just about quite rather more less so way far much extremely fairly somewhat slightly mostly"  # noqa: SIM905 - reads better
    " not zu sehr viel genau eher etwas ganz recht nicht muy demasiado mas menos trop tres plus moins"
    " assez pas".split()
)
ADVERBS = frozenset(
    "daily weekly fortnightly monthly quarterly yearly annually hourly always often sometimes"  # noqa: SIM905 - reads better
    " occasionally rarely seldom never early late later now mornings evenings weekdays weekends both"
    " neither online offline alone abroad outdoors indoors together bar allein taglich wochentlich"
    " monatlich vierteljahrlich jahrlich immer oft unterwegs vollzeit teilzeit manchmal selten seltener"
    " nie morgens mittags abends nachts zusammen siempre nunca diario semanalmente mensualmente toujours"
    " souvent jamais parfois seul seule".split()
)
_NUMBER = re.compile(r"[$€£¥]?\d|(?:below|above|under|over|unter|uber)\Z")
_DEEDS = frozenset(
    "buy sell rent own lease keep stay leave go come get take make do have use try stop start switch"  # noqa: SIM905 - reads better
    " change cancel renew upgrade downgrade wait continue remain stick move return replace repair fix"
    " build hire share hide save spend drive walk cycle ride fly swim run sit stand sleep wake eat drink"
    " cook order bake read write watch listen play study work live pay borrow lend invest call text email"
    " phone visit shop browse book travel drop raise lower rise fall increase decrease grow shrink improve"
    " worsen win lose support oppose approve disapprove agree disagree accept reject love hate like"
    " dislike open close add remove expand reduce cut focus outsource delegate improved worsened increased"
    " decreased risen fallen grown shrunk stayed got gotten gone become remained changed declined dropped"
    " went became lead follow ask tell give put bring send throw donate recycle wear join quit skip find"
    " see look learn teach help meet talk chat post hold lift carry wash clean iron dine snack relax"
    " exercise train".split()
)
# A verb is told by the short word behind it, too: "settle in", "grab a bite". No noun stands before these.
_BEHIND_VERB = frozenset("the a an it them my your our his her their out in up down off away back".split())  # noqa: SIM905 - reads better
_TAIL = re.compile(
    r"(?:than(?! [$€£]?\d)|that|when|where|if|because|compared|so|while|although|als|um|weil|wenn|que cuando|porque"
    r"|parce)\b"
    r"|(?:most|these|this|next|last|every|each) (?:nights?|days?|mornings?|evenings?|weeks?|months?|years?|times?"
    r"|weekends?|of the time|summer|winter|season)\b"
    r"|(?:right now|at the moment|nowadays|in general|usually|mostly|mainly|overall|today|currently|more often"
    r"|most often|normalmente|en general|en general|habituellement|generalement|normalerweise|meistens|first|better"
    r"|best|more|instead)\Z"
)
_TAIL_OF_NAMES = re.compile(
    r"(?!(?:in between|than expected)\Z)(?:to|in|on|at|by|with|from|for|as|through|since|until|before|after|during"
    r"|seit|desde|depuis|von|fur|mit|im|am|zur|zum|bei|auf"
    r"|para|con|en|por|pour|avec|dans|sur|chez|aux?|à|del?)\b"
)


def kind_of(word: str) -> str:
    """What a word can do at the beginning of an alternative."""
    plain = word.strip("\"'")
    if _NUMBER.match(plain):
        return NUMBER
    elided = plain.startswith(("l'", "d'"))
    kinds = ((_THE, THE), (PREPOSITIONS, IN), (_DEGREES, DEGREE), (ADVERBS, ADVERB))
    if elided:
        return THE if plain[0] == "l" else WORD
    return next((kind for words, kind in kinds if plain in words), ADVERB if _says_how(plain) else WORD)


def opens_deed(words: Sequence[str]) -> bool:
    """Whether a verb comes first."""
    words = words[1:] if words[0] == "to" and len(words) > 1 else words
    if words[0] in _DEEDS:
        return True
    return len(words) > 1 and words[1] in _BEHIND_VERB and kind_of(words[0]) == WORD


def opens_tail(words: Sequence[str], *, deed: bool) -> bool:
    """Whether what is said of all alternatives begins here: "… or bad for you", "… or eat out most nights"."""
    rest = " ".join(words)
    return _TAIL.match(rest) is not None or (not deed and _TAIL_OF_NAMES.match(rest) is not None)


def _says_how(word: str) -> bool:
    return len(word) > 4 and word.endswith(("ly", "mente")) and word not in _NO_ADVERBS  # noqa: PLR2004 - "fly", "only"


_NO_ADVERBS = frozenset(
    "family friendly unfriendly costly lovely lively deadly early ugly silly assembly supply italy daily"  # noqa: SIM905 - reads better
    " elderly likely unlikely lonely july".split()
)
