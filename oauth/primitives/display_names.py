"""Names that strangers gave themselves, made fit to be shown, and told when they may imitate another. Pure.

Whoever registers a client chooses its name. It is shown, since people look for it, but it proves nothing.
"""

import re
import unicodedata
from collections.abc import Set as AbstractSet

from oauth.primitives.confusables import has_only_its_shape, looks_latin, pretends_a_name

MAX_NAME = 80
MAX_HOST = 64
MAX_MARKS = 2
NAMELESS = "An app without a name"

_PHONETIC = ((0x0250, 0x02AF), (0x1D00, 0x1DBF), (0xA720, 0xA787), (0xAB30, 0xAB6F))
"""The letters of phonetic alphabets and of old hands: Latin by script, lookalikes of plain letters."""

_SPELLED = frozenset("ɓɔɖɗəɛɣɲʃʊʋʒ")
"""Of them, those that languages of today are spelled with: Azerbaijani, Hausa, Ewe, Akan, Fula and their neighbours."""

_HARMLESS = re.compile(
    r"[\u2116\u2120\u2122]|(?<=[\dNnMD])[\u00aa\u00ba]"
    r"|(?<!\w)[\u2160-\u217f]+(?!\w)|(?<!\w)[\u00b5\u03bc](?=[A-Za-z])"
    r"|(?<!\w)[\u2139\u24c2\U0001f170\U0001f171\U0001f17e\U0001f17f]\ufe0f(?!\w)"
)
"""Numero and trade mark signs, ordinals (1ª, Nº), Roman numerals and emoji that are letters and stand by themselves,
and the sign of micro before a word (µTorrent)."""

_JOINING = frozenset(
    {"ARABIC", "SYRIAC", "DEVANAGARI", "BENGALI", "GUJARATI", "GURMUKHI", "KANNADA", "MALAYALAM", "ORIYA", "TAMIL"}
    | {"TELUGU", "SINHALA", "KHMER", "MYANMAR", "MONGOLIAN", "EMOJI"}
)
"""What is spelled with joiners and non-joiners (U+200C, U+200D); it hides nothing (Unicode TS 31 section 2.3)."""

_IGNORABLE = (
    *((0x034F, 0x034F), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x2800, 0x2800), (0x3164, 0x3164)),
    *((0xFE00, 0xFE0F), (0xFFA0, 0xFFA0), (0xE0100, 0xE01EF)),
)
"""What counts as a letter, mark or symbol and shows nothing: Default_Ignorable_Code_Point (DerivedCoreProperties.txt)
without what `_UNSEEN` covers, and the empty braille pattern."""

_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Controls, format (zero-width, bidirectional), no character at all, and separators of lines."""

_ORDINARY = (
    *((0xA1, 0xBF), (0xD7, 0xD7), (0xF7, 0xF7), (0x2010, 0x2015), (0x2018, 0x2022), (0x2026, 0x2027), (0x2030, 0x203E)),
    *((0x20A0, 0x20CF), (0x2190, 0x21FF), (0x2212, 0x2212), (0x2300, 0x23FF), (0x25A0, 0x2757), (0x275B, 0x27BF)),
    *((0x2B00, 0x2BFF), (0x1F000, 0x1FAFF)),
)
"""Signs of no script that names are written with: of Latin-1, dashes, quotes, currencies, arrows and pictographs.

Every other sign is told. Most of those of mathematics and of lines look like a letter or an ASCII sign.
"""

_ASIAN = frozenset({"LATIN", "CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO", "KATAKANA-HIRAGANA"})
"""Scripts that are written together every day (Unicode TS 39 section 5.2, "highly restrictive")."""

_WITH_ASIAN = frozenset({"FULLWIDTH", "HALFWIDTH", "IDEOGRAPHIC", "KATAKANA", "CORNER", "LENTICULAR", "WAVE"})
"""Words in the names of the signs of these scripts, beside the names of the scripts."""

_WORD = re.compile("(?:[^\\W\\d_]|[\u0300-\u036f])+")
"""Letters with their marks. Marks of other scripts may part a word: its letters are of one script all the same."""

_NO_SPELLING = re.compile(r"\b(?:SMALL CAPITAL|TONE|CLICK)\b")
"""In the names of Latin letters that no language of today is spelled with, as far as they look like plain ones."""


def shown_name(name: str) -> str:
    """`name` in one line without characters that hide, reorder or pretend; never empty, at most `MAX_NAME` long."""
    visible = "".join(character if _is_visible(character) else " " * character.isspace() for character in name)
    line = " ".join(_with_few_marks(unicodedata.normalize("NFC", visible)).split())
    return (line if len(line) <= MAX_NAME else f"{line[: MAX_NAME - 1].rstrip()}…") or NAMELESS


def shown_host(host: str) -> str:
    """`host` cut at its front, because its end says whose it is (`claude.ai.evil.example` is not Claude's)."""
    return host if len(host) <= MAX_HOST else f"…{host[1 - MAX_HOST :]}"


def may_imitate(name: str) -> bool:
    """Whether it holds hidden characters, mixes scripts within a word, or spells a trusted name in lookalikes of Latin.

    Words of one script beside words of another are how the world names its apps.
    Ask this of a name as it came: once it is made fit to be shown, what was hidden in it is gone.
    """
    plain = _HARMLESS.sub("", name)
    folded = unicodedata.normalize("NFKC", plain)
    scripts = _scripts(unicodedata.normalize("NFKD", folded))
    return (
        _hides_something(plain)
        or any(_is_second_form(character) for character in plain if not character.isascii())
        or _has_odd_sign(plain, scripts)
        or any(_is_odd_mixture(chunk) for chunk in folded.split())
        or pretends_a_name(plain)
        or _is_only_shapes(folded)
    )


def _hides_something(name: str) -> bool:
    for before, character, after in zip(f" {name}", name, f"{name[1:]} ", strict=False):
        if _is_visible(character) or character.isspace():
            continue
        is_joiner = character in "\u200c\u200d" and {_joined(before), _joined(after)} <= _JOINING
        is_of_emoji = character == "\ufe0f" and unicodedata.category(before) == "So"
        if not (is_joiner or is_of_emoji):
            return True
    return False


def _joined(character: str) -> str:
    """The script of a joiner's neighbour. A variation selector and a skin color end emoji."""
    is_emoji = unicodedata.category(character) == "So" or character == "\ufe0f" or "🏻" <= character <= "🏿"
    return "EMOJI" if is_emoji else _script(character)


def _is_visible(character: str) -> bool:
    return unicodedata.category(character) not in _UNSEEN and not _is_within(character, _IGNORABLE)


def _is_within(character: str, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(first <= ord(character) <= last for first, last in ranges)


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
    """Whether it is a mathematical, enclosed, Roman-numeral or phonetic form of a letter that all write otherwise."""
    folded, name = unicodedata.normalize("NFKC", character), unicodedata.name(character, "")
    return (
        any(letter.isascii() and letter.isalpha() for letter in folded)
        or (_is_within(character, _PHONETIC) and character not in _SPELLED)
        or (name.startswith("LATIN ") and _NO_SPELLING.search(name) is not None)
        # Some enclosed letters have no other form in Unicode, only a name.
        or (unicodedata.category(character) == "So" and "LATIN " in name)
    )


def _has_odd_sign(name: str, scripts: AbstractSet[str]) -> bool:
    """Of a sign between plain letters, such as the dot of an address, only Asian words elsewhere are an excuse."""
    within_latin = (scripts & _ASIAN) | {"LATIN"}
    return any(
        _is_odd_sign(character, within_latin if _are_plain(before, after) else scripts)
        for before, character, after in zip(f" {name}", name, f"{name[1:]} ", strict=False)
        if not character.isascii()
    )


def _are_plain(before: str, after: str) -> bool:
    return before.isascii() and before.isalnum() and after.isascii() and after.isalnum()


def _is_odd_sign(character: str, scripts: AbstractSet[str]) -> bool:
    """Whether it is a sign or digit that names in these scripts are not written with."""
    if unicodedata.category(character)[0] not in "PS" and not character.isdecimal():
        return False
    words = set(re.split("[ -]", unicodedata.name(character, "")))
    is_of_script = bool(words & scripts) or bool(scripts & (_ASIAN - {"LATIN"}) and words & (_ASIAN | _WITH_ASIAN))
    return not is_of_script and not _is_within(character, _ORDINARY)


def _is_odd_mixture(chunk: str) -> bool:
    """Whether a word mixes scripts, or one of lookalikes is joined to a Latin one by a sign (`claude.xx`)."""
    words = _WORD.findall(unicodedata.normalize("NFKD", chunk))
    has_latin = any("LATIN" in _scripts(word) for word in words)
    return any(
        (len(scripts := _scripts(word)) > 1 and not scripts <= _ASIAN)
        or (has_latin and bool(scripts) and all(looks_latin(letter) for letter in word if letter.isalpha()))
        for word in words
    )


def _is_only_shapes(name: str) -> bool:
    foreign = [letter for letter in name if letter.isalpha() and not letter.isascii()]
    return bool(foreign) and all(has_only_its_shape(letter) for letter in foreign)


def _scripts(text: str) -> AbstractSet[str]:
    return {_script(letter) for letter in text if letter.isalpha()} - {"MODIFIER"}


def _script(letter: str) -> str:
    # The standard library has no script property; the first word of a letter's name is its script.
    return unicodedata.name(letter, "UNKNOWN").split(" ")[0]
