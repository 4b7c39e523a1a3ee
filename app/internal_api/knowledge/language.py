"""Stop words, the guess of a language from them, and stems: English, German, French and Spanish. Pure.

All words are folded as `terms.fold` folds them.
"""

import tomllib
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import snowballstemmer

DEFAULT = "en"
_WORDS = tomllib.loads(Path(__file__).with_name("stop_words.toml").read_text(encoding="utf-8"))
STOP_WORDS_BY_LANGUAGE = {language: frozenset(words.split()) for language, words in _WORDS.items()}
STOP_WORDS = frozenset[str]().union(*STOP_WORDS_BY_LANGUAGE.values())
# SQLite's tokenizer is the Porter stemmer of 1980 and PostgreSQL's `english` nearly the same: what the indexes find
# is counted alike. The indexes cut the words themselves, so that no stored row depends on this table.
ALGORITHMS = {"en": "porter", "de": "german", "fr": "french", "es": "spanish"}
SHORTEST = 3
REMEMBERED = 20_000  # words; each is cut thousands of times


@lru_cache(REMEMBERED)
def stem(word: str, language: str = DEFAULT) -> str:
    """`bakers`, `baking` and `baked` meet in one stem; words of one or two letters stay as they are."""
    if len(word) < SHORTEST:
        return word
    # A stemmer holds the word that it works on, so that threads cannot share one.
    return str(snowballstemmer.stemmer(ALGORITHMS[language]).stemWord(word))


def guess_language(words: Sequence[str]) -> str:
    """The language whose stop words occur most often; English where none stands out."""
    counts = {language: sum(word in known for word in words) for language, known in STOP_WORDS_BY_LANGUAGE.items()}
    return max(counts, key=lambda language: counts[language])
