"""The Porter stemmer (1980): `bakers`, `baking` and `baked` meet in one stem. Pure.

SQLite's tokenizer does the same, PostgreSQL's `english` nearly the same: what they find is counted alike.
"""

import re

# [C](VC)^m[V] of the paper: a consonant run may hold a y only at its beginning.
CONSONANTS, VOWELS = "[^aeiou][^aeiouy]*", "[aeiouy][aeiou]*"
HAS_VOWEL = re.compile(f"(?:{CONSONANTS})?[aeiouy]")
M_OVER_0 = re.compile(f"(?:{CONSONANTS})?{VOWELS}{CONSONANTS}")
M_IS_1 = re.compile(f"(?:{CONSONANTS})?{VOWELS}{CONSONANTS}(?:{VOWELS})?")
M_OVER_1 = re.compile(f"(?:{CONSONANTS})?{VOWELS}{CONSONANTS}{VOWELS}{CONSONANTS}")
DOUBLED = re.compile(r".*([^aeiouylsz])\1")
SHORT = re.compile(f"{CONSONANTS}[aeiouy][^aeiouwxy]")
SHORTEST = 3
# Longest first, since only the longest ending that fits is looked at.
STEP_2 = (
    ("ational", "ate"), ("ization", "ize"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous"),
    ("tional", "tion"), ("biliti", "ble"), ("entli", "ent"), ("ousli", "ous"), ("ation", "ate"),
    ("alism", "al"), ("aliti", "al"), ("iviti", "ive"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"),
    ("abli", "able"), ("alli", "al"), ("ator", "ate"), ("logi", "log"), ("bli", "ble"), ("eli", "e"),
)  # fmt: skip
STEP_3 = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ness", ""),
    ("ful", ""),
)  # fmt: skip
STEP_4 = (
    "ement", "ance", "ence", "able", "ible", "ment", "tion", "sion", "ant", "ent", "ism", "ate", "iti", "ous",
    "ive", "ize", "al", "er", "ic", "ou",
)  # fmt: skip


def stem(word: str) -> str:
    """The stem of a lower-case English word; other words come back as they are."""
    if len(word) < SHORTEST or not (word.isascii() and word.isalpha()):
        return word
    word = _plural(word)
    word = _participle(word)
    if word.endswith("y") and HAS_VOWEL.match(word[:-1]):
        word = word[:-1] + "i"
    word = _replaced(word, STEP_2)
    word = _replaced(word, STEP_3)
    return _final(_suffix(word))


def _plural(word: str) -> str:
    if word.endswith(("sses", "ies")) and word not in {"sses", "ies"}:
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _participle(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if M_OVER_0.match(word[:-3]) else word
    for ending in ("ed", "ing"):
        body = word.removesuffix(ending)
        if body != word:
            return _mended(body) if HAS_VOWEL.match(body) else word
    return word


def _mended(body: str) -> str:
    if body.endswith(("at", "bl", "iz")):
        return body + "e"
    if DOUBLED.fullmatch(body):
        return body[:-1]
    return body + "e" if SHORT.fullmatch(body) else body


def _replaced(word: str, endings: tuple[tuple[str, str], ...]) -> str:
    for ending, instead in endings:
        if word.endswith(ending):
            body = word.removesuffix(ending)
            return body + instead if M_OVER_0.match(body) else word
    return word


def _suffix(word: str) -> str:
    for ending in STEP_4:
        if word.endswith(ending):
            body = word[:-3] if ending in {"tion", "sion"} else word.removesuffix(ending)
            return body if M_OVER_1.match(body) else word
    return word


def _final(word: str) -> str:
    body = word[:-1]
    if word.endswith("e") and (M_OVER_1.match(body) or (M_IS_1.fullmatch(body) and not SHORT.fullmatch(body))):
        word = body
    return word[:-1] if word.endswith("ll") and M_OVER_1.match(word) else word
