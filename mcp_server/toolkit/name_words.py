"""What in a name decides whose it is: numbers and letters, words that turn others, and what is only a slip. Pure."""

import re
from itertools import pairwise

from rapidfuzz.distance import OSA

from mcp_server.toolkit.folding import LONGEST, WORDS, fold, latin, sound

SLIP = 7  # letters from which on a word may have one wrong: Martin is not Marvin
_VOWEL = re.compile("[aeiouy]")
LEFT_OUT = frozenset(WORDS["around"].split())  # what people say around a name
_WORD = re.compile(r"(?:\w+\.)?\w*\d\w*(?:[-.,/:](?:\w*\d\w*|\w\b))*|\w+")  # 1.5, 18-24 and 7-b are one
_NUMBER = re.compile(r"\d|^[ivx]+$")
_TURNED = (  # words that are not said of who is called so without those beside them
    re.compile(rf"\b(?P<by>{WORDS['turning']})(?P<what>-[^\s,;()]+|\s[^,;()]+)", re.IGNORECASE),
    re.compile(r"(?P<by>\w+)(?P<what>(?:-[a-zß-ÿ\d]\w*)+)"),  # co-founder; Jean-Luc are two
    re.compile(r"(?P<what>\w*\d\w*)-(?P<by>[a-zß-ÿ]\w*)"),
    re.compile(r"(?P<what>\w+)-(?P<by>[a-zß-ÿ][\w-]*)(?![\w-]|\s\w)"),  # mother-in-law; left-wing voter is of the left
    re.compile(r"(?P<what>[\w ]+)['’]s (?P<by>.+)"),  # noqa: RUF001  as people write it
)
_OWNED = re.compile(r"['’]s\b")  # noqa: RUF001  as people write it


def _said(words: str) -> list[str]:
    """Without what people say around a name; what follows a word is a letter and no article: Cohort A."""
    each = enumerate(words.split())
    return [word for place, word in each if word not in LEFT_OUT or (place and len(word) == 1)]


def as_one(words: str) -> str:
    """Without what parts them, which many scripts do not write, and letters once."""
    return re.sub(r"([^\W\d])\1+", r"\1", "".join(_said(words)))


def said_in_order(words: str) -> str:
    return " ".join(sorted(_said(words)))


def names_another(wanted: str, name: str) -> bool:
    """Whether a name that `wanted` comes near differs from it by more than a slip in one of its words."""
    wanted, name = said_in_order(latin(wanted)), said_in_order(name)
    pairs = [*zip(wanted.split(), name.split(), strict=False), (as_one(wanted), as_one(name))]
    return not all(_is_slip(*pair) for pair in pairs if as_one(pair[0]) != as_one(pair[1]))


def _is_slip(one: str, other: str) -> bool:
    """Whether they are one slip apart, and not by their beginning, end or a vowel, as other names are (Daniela, Elisa,
    Meier). In short words letters may only have changed places: Jan is not Jon.
    """
    if one[:1] != other[:1] or one[-1:] != other[-1:] or OSA.distance(one, other) > 1:
        return False
    if sorted(one) == sorted(other):
        return True
    shorter, longer = sorted((len(one), len(other)))
    is_by_vowel = _VOWEL.sub("", one) == _VOWEL.sub("", other)  # left out it is a slip
    return shorter < longer >= SLIP if is_by_vowel else shorter >= SLIP


def labels_of(name: str) -> list[tuple[str, str]]:
    """The numbers and single letters of a name, each with the sound of the word before it: Group 1 of wave 2 is not
    Group 2 of wave 1. "A" at the beginning is a word.
    """
    words = ["", *_WORD.findall(latin(name[:LONGEST]).casefold())]
    return [
        (sound(before), word) for before, word in pairwise(words) if _NUMBER.search(word) or (before and len(word) == 1)
    ]


def numbers_of(name: str) -> list[str]:
    return [label for _, label in labels_of(name) if not label.isalpha()]


def has_labels(name: str, wanted: list[tuple[str, str]]) -> bool:
    known = labels_of(name) if wanted else []
    return all(any(word == label and before in ("", after) for after, word in known) for before, label in wanted)


def words_of(text: str) -> set[str]:
    return {*fold(latin(_OWNED.sub("", text))).split()}


def turned_words(name: str) -> list[tuple[set[str], set[str]]]:
    """Which words turn which others of a name into something else: ex-smoker, without kids, Marie Curie's daughter."""
    found = (one for each in _TURNED for one in each.finditer(name[:LONGEST]))
    return [(words_of(one["by"]), words_of(one["what"])) for one in found]
