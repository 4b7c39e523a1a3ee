"""Words made comparable: folded, split and cut to a light stem."""

import re
import unicodedata
from functools import lru_cache

_TOKEN = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+")
# Scripts written without spaces are matched by pairs of characters.
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_VOWEL = re.compile("[aeiouy]")
_SHORTEST = 3
_COMPOUND = 5  # a shorter beginning of a word means nothing
_COMPOUND_PART = 4  # a German compound is read from shorter stems
_INFLECTION = 3  # letters that an ending may add
_NEAR = 0.6
_REMEMBERED = 20_000  # words; a language's usual ones are far fewer, and each is cut thousands of times

# Longest first: the first one that leaves a stem is cut.
_SUFFIXES: dict[str, tuple[str, ...]] = {
    "en": ("ations", "ation", "ingly", "edly", "ments", "ment", "ings", "ions", "ing", "ion", "ed", "ly"),
    "de": (
        "endes",
        "enden",
        "ungen",
        "ende",
        "lich",
        "ung",
        "ern",
        "en",
        "er",
        "em",
        "es",
        "st",
        "et",
        "te",
        "e",
        "n",
        "s",
        "t",
    ),
    "fr": (
        "ements",
        "ations",
        "ement",
        "ation",
        "euses",
        "euse",
        "eurs",
        "eur",
        "ent",
        "ons",
        "es",
        "er",
        "ez",
        "e",
        "s",
    ),
    "es": (
        "aciones",
        "acion",
        "mente",
        "adores",
        "ador",
        "iendo",
        "ando",
        "es",
        "os",
        "as",
        "ar",
        "er",
        "ir",
        "o",
        "a",
        "e",
    ),
}

_IRREGULAR_PAIRS = """
    used:use using:use made:mak kept:keep paid:pay rode:rid ridden:rid began:begin begun:begin
    bought:buy built:build grew:grow grown:grow held:hold lent:lend lost:los sold:sell taught:teach
    took:tak taken:tak wrote:writ written:writ chose:choos chosen:choos men:man women:woman
    children:child feet:foot teeth:tooth worn:wear wore:wear died:die dies:die dying:die dead:die
    safety:saf safer:saf went:go gone:go better:good best:good worse:bad worst:bad ran:run drank:drink ate:eat
"""
_IRREGULAR = dict(pair.split(":") for pair in _IRREGULAR_PAIRS.split())


def fold(text: str) -> str:
    """The text with every run of whitespace made one blank."""
    return " ".join(text.split())


def plain(text: str) -> str:
    """The text in lower case and without accents."""
    return _without_accents(text.casefold())


def tokens(text: str) -> list[str]:
    """The words and numbers of a text in order, lower case, without accents."""
    simple = plain(text)
    if not _UNSPACED.search(simple):
        return _TOKEN.findall(simple)
    found: list[str] = []
    for match in _TOKEN.finditer(simple):
        word = match.group()
        if _UNSPACED.search(word):
            found.extend(_pairs(word))
        else:
            found.append(word)
    return found


@lru_cache(_REMEMBERED)
def stem(word: str, language: str) -> str:
    """The word without its usual endings; numbers and short words stay."""
    if word[0].isdigit() or len(word) <= _SHORTEST:
        return word
    if language == "en":
        return _english(word)
    return _cut(word, _SUFFIXES.get(language, ()))


def likeness(term: str, other: str, language: str) -> float:
    """How far two stems mean the same word: 1 for equal, a part for an inflection or a German compound."""
    if term == other:
        return 1.0
    short, long = sorted((term, other), key=len)
    if len(short) < (_COMPOUND_PART if language == "de" else _COMPOUND):
        return 0.0
    if long.startswith(short) and (language == "de" or len(long) - len(short) <= _INFLECTION):
        return _NEAR
    return _NEAR if language == "de" and long.endswith(short) else 0.0


def _without_accents(text: str) -> str:
    if text.isascii():
        return text
    parts = unicodedata.normalize("NFKD", text)
    return unicodedata.normalize("NFC", "".join(part for part in parts if not _is_latin_accent(part)))


def _is_latin_accent(character: str) -> bool:
    return "\u0300" <= character <= "\u036f"


def _pairs(word: str) -> list[str]:
    return [word[at : at + 2] for at in range(len(word) - 1)] or [word]


def _english(word: str) -> str:
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if word.endswith("ies") and len(word) > _SHORTEST + 1:
        word = word[:-3] + "y"
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    cut = _cut(word, _SUFFIXES["en"])
    if cut == word:
        cut = _verb(word)
    if cut == word:
        return _closing(_agent(word))
    if cut[-1] == cut[-2] and cut[-1] not in "lsz":
        cut = cut[:-1]  # stopped -> stop
    return _closing(cut)


def _closing(cut: str) -> str:
    """One spelling for the end of a stem: make, making -> mak; library, libraries -> librari."""
    if cut.endswith("e") and len(cut) > _SHORTEST:
        return cut[:-1]
    return f"{cut[:-1]}i" if cut.endswith("y") and len(cut) > _SHORTEST else cut


def _agent(word: str) -> str:
    """Cut -er from brewer and grinder; career and pioneer keep theirs."""
    cut = _cut(word, ("er",))
    return word if cut.endswith("e") else cut


def _verb(word: str) -> str:
    """Cut -ing and -ed from the short verbs that the general rule spares (bak|ed), but not from str|ing."""
    cut = _cut(word, ("ing", "ed"), _SHORTEST)
    return cut if _VOWEL.search(cut) and not cut.endswith("e") else word


def _cut(word: str, suffixes: tuple[str, ...], shortest: int = 4) -> str:
    for suffix in suffixes:
        if word.endswith(suffix) and len(word) - len(suffix) >= shortest:
            return word[: -len(suffix)]
    return word
