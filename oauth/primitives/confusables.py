"""Letters of other scripts that look Latin, and what a word that is made of them seems to say. Pure.

Ordinary words of Russian, Greek or Armenian may happen to hold nothing else (мост in capitals, or the word for a
choir). So such a word pretends nothing by itself: it does when what it seems to say is a name that people trust.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from types import MappingProxyType

_SEEMS: Mapping[str, str] = MappingProxyType(
    {
        seen: latin
        for seen_as, meant in (
            ("АВЕЅІЈКМНОРСТХУаеорсухіѕјԁԛԝһҮүѴѵӀӏԌԚԜЬь", "ABESIJKMHOPCTXYaeopcyxisjdqwhYyVvIlGQWbb"),
            ("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧανορυͿϲϳϹ", "ABEZHIKMNOPTYXavopuJcjC"),  # noqa: RUF001 - as above
            ("ՍՏՕԼՈօոսհցքյզւաղռգ", "USOLNonuhgpjqiwnnq"),
        )
        for seen, latin in zip(seen_as, meant, strict=True)
    }
)
"""Of Cyrillic, Greek and Armenian, letter by letter (Unicode TS 39, confusables)."""

_ALMOST: Mapping[str, str] = MappingProxyType(
    dict(zip("квмнтгпийзґικτεμηχωγςıɓɖɗəɛɔɣɲʊʋłøđŋħ", "kbmhtrnuu3rikteunxwycibddeeoynuvlodnh", strict=True))
)
"""Letters that only resemble Latin ones, and those of living languages that differ from a plain one by a stroke."""

_ONLY_SHAPES = frozenset(
    "ᎠᎡᎢᎥᎩᎪᎫᎬᎳᎷᎻᎽᏀᏂᏃᏌᏎᏏᏒᏔᏕᏙᏚᏞᏟᏢᏦᏧᏳᏴ"
    "ꓐꓑꓒꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴ"  # noqa: RUF001 - lookalikes are the point
    "ⲀⲂⲈⲌⲎⲒⲔⲘⲚⲞⲢⲤⲦⲨⲬⳐ"
)
"""Of Cherokee, Lisu and Coptic, in which hardly an app is named: nothing but lookalikes is told, whatever it says.

Small letters of Cherokee and Coptic have the shape of the capitals, which alone are listed.
"""

_TRUSTED = (
    *("amazon", "anthropic", "api", "app", "apple", "bedrock", "chatgpt", "claude", "cline", "code", "codex", "cohere"),
    *("copilot", "copy", "cursor", "deepseek", "desktop", "facebook", "figma", "gemini", "getminds", "github"),
    *("goose", "google", "gpt", "grok", "inspector", "jetbrains", "librechat", "linear", "lovable", "microsoft"),
    *("minds", "mindsai", "mistral", "notion", "openai", "opencode", "paypal", "perplexity", "postman", "raycast"),
    *("replit", "salesforce", "slack", "stripe", "vercel", "vscode", "warp", "windsurf", "xai", "zapier", "zed"),
)
"""Clients that people know, whoever makes them, and words that stand beside such a name."""

_LIKE_EACH_OTHER = str.maketrans("l1|0", "iiio")
MAX_JOINED = 3
"""Words in a row that may make one name: `Open AI`."""

_WORD = re.compile("(?:[^\\W_]|[\u0300-\u036f])+")


def looks_latin(letter: str) -> bool:
    """Whether this letter of another script has the shape of a Latin one."""
    return letter in _SEEMS or has_only_its_shape(letter)


def has_only_its_shape(letter: str) -> bool:
    """Whether it is a lookalike of a script that is told for its shapes alone."""
    return letter in _ONLY_SHAPES or (
        letter.upper() in _ONLY_SHAPES and unicodedata.name(letter, "").startswith(("CHEROKEE", "COPTIC"))
    )


def pretends_a_name(name: str) -> bool:
    """Whether one to three words of it seem to say a name that people trust, and are not written in plain letters."""
    words = _WORD.findall(unicodedata.normalize("NFKC", name))
    return any(not run.isascii() and _skeleton(run) in _SKELETONS for run in _runs(words))


def _runs(words: Sequence[str]) -> list[str]:
    return ["".join(words[start : start + size]) for start in range(len(words)) for size in range(1, MAX_JOINED + 1)]


def _without_marks(name: str) -> str:
    return "".join(letter for letter in unicodedata.normalize("NFKD", name) if unicodedata.category(letter) != "Mn")


def _skeleton(word: str) -> str:
    """What the word seems to say, the same for words that cannot be told apart."""
    seen = "".join(_SEEMS.get(letter) or _ALMOST.get(letter) or letter for letter in _without_marks(word))
    return "".join(_ALMOST.get(letter, letter) for letter in seen.lower()).translate(_LIKE_EACH_OTHER)


_SKELETONS = frozenset(name.translate(_LIKE_EACH_OTHER) for name in _TRUSTED)
