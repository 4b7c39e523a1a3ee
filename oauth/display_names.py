"""Names that strangers gave themselves, made fit to be shown, and told when they may imitate another. Pure.

Whoever registers a client chooses its name. It is shown, since people look for it, but it proves nothing.
"""

import re
import unicodedata
from collections.abc import Set as AbstractSet

MAX_NAME = 80
MAX_HOST = 64
MAX_MARKS = 2
NAMELESS = "An app without a name"

_LOOKALIKES = frozenset(
    "АВЕЅІЈКМНОРСТХУаеорсухіѕјԁԛԝһҮүѴѵӀӏԌԚԜЬьΑΒΕΖΗΙΚΜΝΟΡΤΥΧανορυͿϲϳϹ"
    "ᎠᎡᎢᎥᎩᎪᎫᎬᎳᎷᎻᎽᏀᏂᏃᏌᏎᏏᏒᏔᏕᏙᏚᏞᏟᏢᏦᏧᏳᏴ"
    "ꓐꓑꓒꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴ"  # noqa: RUF001 - lookalikes are the point
    "ՍՏՕԼՈօոսհցքյզւաղռգ"
    "ⲀⲂⲈⲌⲎⲒⲔⲘⲚⲞⲢⲤⲦⲨⲬⳐ"
)
"""Letters of Cyrillic, Greek, Cherokee, Lisu, Armenian and Coptic that look Latin (Unicode TS 39, confusables).

Small letters of Cherokee and Coptic have the shape of the capitals, which alone are listed.
"""

_PHONETIC = (("\u0131", "\u0131"), ("\u0250", "\u02af"), ("\u1d00", "\u1dbf"), ("\uab30", "\uab6f"))
"""Dotless i, and the letters of phonetic alphabets: Latin by script, and lookalikes of plain letters."""

_HARMLESS = re.compile(
    r"[\u2116\u2120\u2122]|(?<=[\dNnMD])[\u00aa\u00ba]"
    r"|(?<!\w)[\u2139\u24c2\U0001f170\U0001f171\U0001f17e\U0001f17f]\ufe0f(?!\w)"
)
"""Numero and trade mark signs, ordinals (1ª, Nº), and emoji that are letters and stand by themselves."""

_JOINING = frozenset(
    {"ARABIC", "SYRIAC", "DEVANAGARI", "BENGALI", "GUJARATI", "GURMUKHI", "KANNADA", "MALAYALAM", "ORIYA", "TAMIL"}
    | {"TELUGU", "SINHALA", "KHMER", "MYANMAR", "MONGOLIAN", "EMOJI"}
)
"""What is spelled with joiners and non-joiners (U+200C, U+200D); it hides nothing (Unicode TS 31 section 2.3)."""

_FILLERS = "\u034f\u115f\u1160\u2800\u3164\uffa0"

_ASIAN = frozenset({"LATIN", "CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO", "KATAKANA-HIRAGANA"})
"""Scripts that are written together every day (Unicode TS 39 section 5.2, "highly restrictive")."""


def shown_name(name: str) -> str:
    """`name` in one line without characters that hide, reorder or pretend; never empty, at most `MAX_NAME` long."""
    visible = "".join(character if _is_visible(character) else " " * character.isspace() for character in name)
    line = " ".join(_with_few_marks(unicodedata.normalize("NFC", visible)).split())
    return (line if len(line) <= MAX_NAME else f"{line[: MAX_NAME - 1].rstrip()}…") or NAMELESS


def shown_host(host: str) -> str:
    """`host` cut at its front, because its end says whose it is (`claude.ai.evil.example` is not Claude's)."""
    return host if len(host) <= MAX_HOST else f"…{host[1 - MAX_HOST :]}"


def may_imitate(name: str) -> bool:
    """Whether it holds hidden characters, mixes scripts as no language does, or is written in lookalikes of Latin.

    Ask this of a name as it came: once it is made fit to be shown, what was hidden in it is gone.
    """
    plain = _HARMLESS.sub("", name)
    folded = unicodedata.normalize("NFKC", plain)
    letters = {letter for letter in unicodedata.normalize("NFKD", folded) if letter.isalpha()}
    foreign = {letter for letter in letters if not letter.isascii()}
    return (
        _hides_something(plain)
        or any(_is_second_form(character) for character in plain if not character.isascii())
        or _is_odd_mixture({_script(letter) for letter in letters} - {"MODIFIER"})
        or bool(foreign and all(_looks_latin(letter) for letter in foreign))
    )


def _hides_something(name: str) -> bool:
    for before, character, after in zip(f" {name}", name, f"{name[1:]} ", strict=False):
        if _is_visible(character) or character.isspace():
            continue
        if not (character in "\u200c\u200d" and {_joined(before), _joined(after)} <= _JOINING):
            return True
    return False


def _joined(character: str) -> str:
    """The script of a joiner's neighbour. A variation selector and a skin color end emoji."""
    is_emoji = unicodedata.category(character) == "So" or character == "\ufe0f" or "🏻" <= character <= "🏿"
    return "EMOJI" if is_emoji else _script(character)


def _looks_latin(letter: str) -> bool:
    return letter in _LOOKALIKES or (letter.upper() in _LOOKALIKES and _script(letter) in {"CHEROKEE", "COPTIC"})


def _is_visible(character: str) -> bool:
    # Cc control, Cf format (zero-width, bidirectional), Cs Co Cn no character at all, Zl Zp line separators;
    # then fillers and variation selectors, which count as letters and marks but show nothing.
    return unicodedata.category(character) not in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"} and not (
        character in _FILLERS or "\ufe00" <= character <= "\ufe0e"
    )


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
    folded = unicodedata.normalize("NFKC", character)
    return (
        any(letter.isascii() and letter.isalpha() for letter in folded)
        or any(first <= character <= last for first, last in _PHONETIC)
        # Some enclosed letters have no other form in Unicode, only a name.
        or (unicodedata.category(character) == "So" and "LATIN " in unicodedata.name(character, ""))
    )


def _is_odd_mixture(scripts: AbstractSet[str]) -> bool:
    return len(scripts) > 1 and not scripts <= _ASIAN


def _script(letter: str) -> str:
    # The standard library has no script property; the first word of a letter's name is its script.
    return unicodedata.name(letter, "UNKNOWN").split(" ")[0]
