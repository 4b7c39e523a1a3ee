"""Whether a reply says yes or no, or declines to say anything. Pure."""

import re
from collections.abc import Sequence

from mcp_server.toolsets.panels._aggregation.candidates import CLAUSE, FUNCTION, NOT, TABLES, WORD, pattern, vocabulary
from mcp_server.toolsets.panels._aggregation.texts import loose, plain
from mcp_server.toolsets.panels._aggregation.unwrapping import without_markup

_WORDS = {"yes": vocabulary("polarity", "yes"), "no": vocabulary("polarity", "no")}
_PHRASES = {side: re.compile(TABLES["polarity"][f"{side}_phrase"]) for side in _WORDS}
_NOUN = re.compile(TABLES["polarity"]["noun"])
_REASON = pattern("«reason»[^.;!?\n]*")
_CONDITION = re.compile(r"\b(?:if|unless|wenn|falls|sofern|depends|only when|kommt drauf an)\b")
_SEGMENT = re.compile(r"[.,;:!?()\n]+|\s[-\u2013\u2014]\s|\b(?:and|und|et|y|but|aber|mais|pero)\b")
_SHORT = re.compile(r"'(?:m|d|ll|ve|re|s)\b|\b(?:qu|[cdjlmnst])'")
PLAIN_YES = frozenset(
    ["yes", "yep", "yeah", "yup", "yea", "y", "ja", "oui", "ouais", "si", "true", "wahr", "vrai", "verdadero"]
)
NEGATION = frozenset(["not", "nicht", "pas", "no", "never", "nie"])
LONG = 4  # words from which one at the end is no yes
POLITE = frozenset(["thanks", "thank", "danke", "merci", "gracias", "sir"])

LACKING, SAYING, PLAINLY, ALONE, MODEL = (
    vocabulary("declining", name) for name in ("lacking", "saying", "plainly", "alone", "model")
)
VOCABULARY = FUNCTION | vocabulary("declining", "lacking", "saying", "plainly", "alone", "model", "with")
WHOLE = re.compile("|".join(TABLES["declining"]["whole"]), re.DOTALL)
BECAUSE = pattern("\\W*«reason»")


def polar(names: Sequence[str]) -> dict[str, int]:
    """The places of a yes and a no among folded options; empty without both."""
    found = {side: place for side, words in _WORDS.items() for place, name in enumerate(names) if name in words}
    return found if len(found) == len(_WORDS) else {}


def polarity(text: str) -> str | None:
    """`yes`, `no`, or None for neither or both."""
    said = _REASON.sub("", plain(without_markup(text))).strip()
    if loose(said) == "y":
        return "yes"
    parts = [" ".join(part.split()) for part in _SEGMENT.split(NOT.sub(" not", said))]
    sides = {side for part in parts if (side := _worded(part))} or {side for part in parts if (side := phrased(part))}
    return sides.pop() if len(sides) == 1 and not _CONDITION.search(CLAUSE.sub(r"\g<0>", said)) else None


def _worded(part: str) -> str | None:
    words = WORD.findall(part)
    if not words:
        return None
    if found := _NOUN.search(part):
        return next(side for side, known in _WORDS.items() if found["said"] in known)
    if words[0] == "si" and len(words) > 1 and words[1] not in _WORDS["yes"]:
        return None  # if
    if words[0] in _WORDS["yes"]:
        denied = NEGATION.intersection(words[1:])
        return "yes" if not denied else None if words[0] in PLAIN_YES else "no"
    follows = words[1] if len(words) > 1 else ""
    is_no = words[0] in _WORDS["no"] and (not follows or follows in FUNCTION | POLITE) and follows != "one"
    return "no" if is_no else "yes" if words[-1] in PLAIN_YES - {"y"} and len(words) < LONG else None


def phrased(part: str) -> str | None:
    said = loose(_SHORT.sub(lambda found: " would" if found[0] == "'d" else " ", part))
    return next((side for side, phrases in _PHRASES.items() if phrases.fullmatch(" ".join(said.split()))), None)


def clauses(text: str) -> list[list[str]]:
    """The words of each clause, without what is only contracted."""
    said = _SHORT.sub(" ", NOT.sub(" not", plain(text)))
    parts = re.split(r"[.!?;,:\n]+|\s[-\u2013\u2014]\s|\b(?:but|aber|mais|pero)\b", said)
    return [re.findall(r"[^\W_]+(?:[/-][^\W_]+)*", part) for part in parts if not BECAUSE.match(part)]


def refuses(words: Sequence[str]) -> bool:
    """Whether a clause says nothing but that there is no answer."""
    said = set(words)
    if not said or not said <= VOCABULARY:
        return False
    denied = said & LACKING
    return bool(said & ALONE or (denied and said & SAYING) or (denied - {"no"} and said & PLAINLY))


def declines(text: str) -> bool:
    """Whether the reply as a whole declines, or is that of a language model that says it has no view."""
    if WHOLE.fullmatch(loose(text)) or WHOLE.fullmatch(plain(text).strip()):
        return True
    parts = [part for part in clauses(text) if part]
    if not any(map(refuses, parts)):
        return False
    rest = [part for part in parts if not VOCABULARY.issuperset(part)]
    return not rest or any(MODEL.intersection(part) and VOCABULARY.issuperset(part) for part in parts)


def partly_declines(text: str) -> bool:
    """Whether a part of the reply says that there is no answer."""
    return any(map(refuses, clauses(text)))
