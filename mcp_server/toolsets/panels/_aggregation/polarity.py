"""Whether a reply says yes or no, or declines to say anything. Pure."""

import re
from collections.abc import Sequence

from mcp_server.toolsets.panels._aggregation.candidates import FUNCTION, NOT, WORD, Patterns, vocabulary
from mcp_server.toolsets.panels._aggregation.texts import loose, plain
from mcp_server.toolsets.panels._aggregation.unwrapping import without_markup

_WORDS = {side: vocabulary("polarity", side) for side in ("yes", "no")}
_POLARITY, _DECLINING = Patterns("polarity"), Patterns("declining")
PLAIN_YES, NEGATION, POLITE = (vocabulary("polarity", name) for name in ("plain", "negation", "polite"))
WAVERING = NEGATION | vocabulary("polarity", "wavering")
THUMBS = {0x1F44D: " yes ", 0x1F44E: " no "}
QUESTIONED = re.compile(r"\W*\w+\W*\?\W*")  # asks back
PLAIN_NO, NO_NO = {"no", "nein", "non"}, {"one", "more", "less", "longer", "say"}  # "no more than usual" is none
LONG = 4  # words from which one at the end is no yes
LACKING, SAYING, PLAINLY, ALONE = (vocabulary("declining", name) for name in ("lacking", "saying", "plainly", "alone"))
VOCABULARY = FUNCTION | LACKING | SAYING | PLAINLY | ALONE | vocabulary("declining", "with")


def polar(names: Sequence[str]) -> dict[str, int]:
    """The places of a yes and a no among folded options; empty without both."""
    found = {side: place for side, words in _WORDS.items() for place, name in enumerate(names) if name in words}
    return found if len(found) == len(_WORDS) else {}


def polarity(text: str) -> str | None:
    """`yes`, `no`, or None for neither or both."""
    said = _POLARITY["because"].sub("", plain(without_markup(text).translate(THUMBS))).strip()
    if loose(said) == "y":
        return "yes"
    if QUESTIONED.fullmatch(said):
        return None
    parts = [" ".join(part.split()) for part in _POLARITY["segment"].split(NOT.sub(" not", said))]
    sides = {side for part in parts if (side := _worded(part))} or {side for part in parts if (side := phrased(part))}
    return sides.pop() if len(sides) == 1 and not _POLARITY["condition"].search(said) else None


def _worded(part: str) -> str | None:
    words = WORD.findall(part)
    if not words:
        return None
    if found := _POLARITY["noun"].search(part):
        if WAVERING.intersection(WORD.findall(part[: found.start("said")])):
            return None  # "not a yes", "I wish I could say yes"
        return next(side for side, known in _WORDS.items() if found["said"] in known)
    if words[0] == "si" and len(words) > 1 and words[1] not in _WORDS["yes"]:
        return None  # if
    if words[0] in _WORDS["yes"]:
        denied = NEGATION.intersection(words[1:])
        return "yes" if not denied else None if words[0] in PLAIN_YES else "no"
    follows = words[1] if len(words) > 1 else ""
    is_no = words[0] in _WORDS["no"] and (not follows or follows in FUNCTION | POLITE) and follows not in NO_NO
    is_no = is_no or (words[-1] in PLAIN_NO and len(words) < LONG and set(words[:-1]) <= FUNCTION - WAVERING)
    ends_so = words[-1] in PLAIN_YES - {"y"} and len(words) < LONG and WAVERING.isdisjoint(words)
    return "no" if is_no else "yes" if ends_so else None


def phrased(part: str) -> str | None:
    said = loose(_DECLINING["short"].sub(lambda found: " would" if found[0] == "'d" else " ", part))
    said = " ".join(said.split())
    return next((side for side in _WORDS if _POLARITY[f"{side}_phrase"].fullmatch(said)), None)


def clauses(text: str) -> list[list[str]]:
    """The words of each clause, without what is only contracted."""
    said = _DECLINING["short"].sub(" ", NOT.sub(" not", plain(text)))
    parts = _DECLINING["clause"].split(said)
    return [re.findall(r"[^\W_]+(?:[/-][^\W_]+)*", part) for part in parts if not _DECLINING["because"].match(part)]


def refuses(words: Sequence[str]) -> bool:
    """Whether a clause says nothing but that there is no answer."""
    said = set(words)
    if not said or not said <= VOCABULARY:
        return False
    denied = said & LACKING
    return bool(said & ALONE or (denied and said & SAYING) or (denied - {"no"} and said & PLAINLY))


def declines(text: str) -> bool:
    """Whether the reply as a whole declines, or is that of a language model that speaks of itself."""
    if _DECLINING["whole"].fullmatch(loose(text)) or _DECLINING["whole"].fullmatch(plain(text).strip()):
        return True
    said = plain(text)
    if _DECLINING["as_model"].search(said):
        return not _DECLINING["in_role"].search(said)
    parts = [part for part in clauses(text) if part]
    return any(map(refuses, parts)) and all(map(VOCABULARY.issuperset, parts))


def partly_declines(text: str) -> bool:
    """Whether a part of the reply says that there is no answer."""
    said = _DECLINING["rest"].sub(" ", NOT.sub(" not", plain(text)))
    return _DECLINING["refusing"].search(said) is not None or any(map(refuses, clauses(text)))
