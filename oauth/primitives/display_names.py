"""Names that strangers gave themselves, made fit to be shown, and whether one may imitate another. Pure.

Whoever registers a client chooses its name. It is shown, since people look for it, but it proves nothing.
"""

import re
import tomllib
import unicodedata
from collections.abc import Mapping
from importlib.resources import files
from types import MappingProxyType

MAX_NAME = 80
MAX_HOST = 64
MAX_MARKS = 2
NAMELESS = "An app without a name"

_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Controls, format (zero-width, bidirectional), no character at all, and separators of lines."""

_IGNORABLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""What counts as a letter, mark or symbol and shows nothing: Default_Ignorable_Code_Point (DerivedCoreProperties.txt)
without what `_UNSEEN` covers, and the empty braille pattern."""

_HARMLESS = re.compile(
    r"[\u2116\u2120\u2122]|(?<=[\dN])[\u00aa\u00ba]|(?<!\w)[\u00b5\u03bc](?=[A-Za-z])|\u2139\ufe0f(?!\w)"
)
"""Numero and trade mark signs, ordinals (1ª, Nº), the sign of micro before a word (µTorrent), and the emoji `i`."""

_ASIAN = frozenset({"LATIN", "CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO", "KATAKANA-HIRAGANA"})
"""Scripts that are written together every day (Unicode TS 39 section 5.2, "highly restrictive")."""

_WORD = re.compile("(?:[^\\W\\d_]|[\u0300-\u036f])+")
_SIGN_IN_WORD = re.compile(r"(?<=[A-Za-z0-9])[^\w\s\x00-\x7f\u00b7\u2010-\u2015\u2018-\u201d\u2026](?=[A-Za-z0-9])")
"""A sign within a plain word or address that is not of everyday typography: most look like a letter, dot or slash."""

_SPACED_OUT = re.compile(r"[^\W_]+")
MAX_JOINED = 3  # words in a row that may make one name: `Open AI`

_TABLES = tomllib.loads(files(__package__).joinpath("display_names.toml").read_text("utf-8"))
_SEEMS: Mapping[str, str] = MappingProxyType(dict(zip(_TABLES["confusable"], _TABLES["meant"], strict=True)))
_ALMOST: Mapping[str, str] = MappingProxyType(dict(zip(_TABLES["similar"], _TABLES["plain"], strict=True)))
_LIKE_EACH_OTHER = str.maketrans("l1|0", "iiio")
_SKELETONS = frozenset(name.translate(_LIKE_EACH_OTHER) for name in _TABLES["trusted"])


def shown_name(name: str) -> str:
    """`name` in one line without characters that hide, reorder or pretend; never empty, at most `MAX_NAME` long."""
    visible = "".join(character if _is_visible(character) else " " * character.isspace() for character in name)
    line = " ".join(_with_few_marks(unicodedata.normalize("NFC", visible)).split())
    return (line if len(line) <= MAX_NAME else f"{line[: MAX_NAME - 1].rstrip()}…") or NAMELESS


def shown_host(host: str) -> str:
    """`host` cut at its front, because its end says whose it is (`claude.ai.evil.example` is not Claude's)."""
    return host if len(host) <= MAX_HOST else f"…{host[1 - MAX_HOST :]}"


def may_imitate(name: str) -> bool:
    """Whether it holds hidden characters or odd forms, mixes scripts in a word, or spells a trusted name in lookalikes.

    Words of one script beside words of another are how the world names its apps, and ordinary words of Russian or
    Greek may happen to hold only letters that look Latin: such a word pretends something only when what it seems to
    say is a name that people trust. Ask this of a name as it came: once it is made fit to be shown, what was hidden
    in it is gone.
    """
    plain = _HARMLESS.sub("", name)
    return (
        _hides_something(plain)
        or any(_is_second_form(character) for character in plain)
        or _SIGN_IN_WORD.search(plain) is not None
        or any(_mixes_scripts(word) for word in _WORD.findall(unicodedata.normalize("NFKD", plain)))
        or _pretends_a_name(plain)
    )


def _hides_something(name: str) -> bool:
    """Joiners belong to the spelling of many scripts and of emoji, variation selectors to emoji: not beside ASCII."""
    neighbours = zip(f" {name}", name, f"{name[1:]} ", strict=False)
    return any(
        not (_is_visible(character) or character.isspace())
        and (character not in "\u200c\u200d\ufe0f" or before.isascii() or after.isascii() is not after.isspace())
        for before, character, after in neighbours
    )


def _is_visible(character: str) -> bool:
    return unicodedata.category(character) not in _UNSEEN and not _IGNORABLE.match(character)


def _with_few_marks(text: str) -> str:
    """Without the marks that pile up over their letter and cover the lines around it."""
    kept: list[str] = []
    for character in text:
        if not (_is_mark(character) and len(kept) >= MAX_MARKS and all(map(_is_mark, kept[-MAX_MARKS:]))):
            kept.append(character)
    return "".join(kept)


def _is_mark(character: str) -> bool:
    return unicodedata.category(character) in {"Mn", "Me"}


def _is_second_form(character: str) -> bool:
    """Whether it is a mathematical, full-width, enclosed or Roman-numeral form of a letter that all write otherwise."""
    if character.isascii():
        return False
    folded = unicodedata.normalize("NFKC", character)
    # Some enclosed letters have no other form in Unicode, only a name.
    is_enclosed = unicodedata.category(character) == "So" and "LATIN " in unicodedata.name(character, "")
    return is_enclosed or any(letter.isascii() and letter.isalpha() for letter in folded)


def _mixes_scripts(word: str) -> bool:
    # The standard library has no script property; the first word of a letter's name is its script.
    scripts = {unicodedata.name(letter, "UNKNOWN").split(" ")[0] for letter in word if letter.isalpha()} - {"MODIFIER"}
    return len(scripts) > 1 and not scripts <= _ASIAN


def _pretends_a_name(name: str) -> bool:
    """Whether one to three words of it seem to say a name that people trust, and are not written in plain letters."""
    words = _SPACED_OUT.findall(unicodedata.normalize("NFKC", name))
    runs = ("".join(words[at : at + size]) for at in range(len(words)) for size in range(1, MAX_JOINED + 1))
    return any(not run.isascii() and _skeleton(run) in _SKELETONS for run in runs)


def _skeleton(word: str) -> str:
    """What the word seems to say, the same for words that cannot be told apart."""
    plain = "".join(letter for letter in unicodedata.normalize("NFKD", word) if unicodedata.category(letter) != "Mn")
    seen = "".join(_SEEMS.get(letter) or _ALMOST.get(letter) or letter for letter in plain)
    return "".join(_ALMOST.get(letter, letter) for letter in seen.lower()).translate(_LIKE_EACH_OTHER)
