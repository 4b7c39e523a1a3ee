"""Words of questions and of knowledge: folded, stemmed, without stop words, and never syntax. Pure.

Stop words, the guess of a language from them, and stems are English, German, French and Spanish.
"""

import re
import tomllib
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from pkgutil import resolve_name

DEFAULT = "en"
_WORDS = tomllib.loads(Path(__file__).with_name("stop_words.toml").read_text(encoding="utf-8"))
TELLING = {language: frozenset(words.split()) for language, words in _WORDS.pop("telling").items()}
"""Words that tell a language, and in it carry no meaning."""
STOP_WORDS = frozenset(word for words in _WORDS.values() for word in words.split())
_OWN_WORDS = {language: TELLING[language].union(words.split()) for language, words in _WORDS.items()}
# SQLite's tokenizer is the Porter stemmer of 1980 and PostgreSQL's `english` nearly the same: what the indexes find
# is counted alike. The indexes cut the words themselves, so that no stored row depends on this table.
ALGORITHMS = {"en": "porter", "de": "german", "fr": "french", "es": "spanish"}
SHORTEST = 3
REMEMBERED = 20_000  # words; each is cut thousands of times
MAX_QUERY = 4_000  # characters looked at: a question is shorter, and a pasted book is no question
MAX_TERMS = 24
MAX_WORD = 64
MARKS = re.compile("[\u0300-\u036f]")
WORD = re.compile(r"[^\W_]+")
# Scripts in which a word is not told by spaces (Korean glues particles to it): these are searched by pairs of
# neighbouring characters.
RUN = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003ffff]+"
)


@dataclass(frozen=True, slots=True)
class Query:
    """`words` for the full-text index, `grams` for the scripts that it cannot cut into words."""

    words: tuple[str, ...]
    grams: tuple[str, ...]


def fold(text: str, *, lower: bool = True) -> str:
    """Lower case without accents, as SQLite's tokenizer folds; marks that make other letters stay."""
    decomposed = unicodedata.normalize("NFD", text.lower() if lower else text)
    return unicodedata.normalize("NFC", MARKS.sub("", decomposed))


def words_of(text: str) -> list[str]:
    """The folded words of the spaced scripts, in their order."""
    return WORD.findall(RUN.sub(" ", fold(text)))


def grams_of(text: str) -> list[str]:
    """Pairs of neighbouring characters of the unspaced scripts; a lone character stands for itself."""
    runs = RUN.findall(fold(text))
    return [gram for run in runs for gram in [first + second for first, second in pairwise(run)] or [run]]


def parse_query(text: str) -> Query:
    """The content words of any user's text: at most 24, without stop words and repetitions."""
    text = text[:MAX_QUERY]
    words = [word for word in words_of(text) if len(word) <= MAX_WORD and word not in STOP_WORDS]
    return Query(*(tuple(dict.fromkeys(terms))[:MAX_TERMS] for terms in (words, grams_of(text))))


@lru_cache(REMEMBERED)
def stem(word: str, language: str = DEFAULT) -> str:
    """`bakers`, `baking` and `baked` meet in one stem; words of one or two letters stay as they are."""
    if len(word) < SHORTEST:
        return word
    # A stemmer holds the word that it works on, so that threads cannot share one. The library, 3 MB, waits for a word.
    return str(resolve_name("snowballstemmer:stemmer")(ALGORITHMS[language]).stemWord(word))


def guess_language(words: Sequence[str]) -> str:
    """The language whose stop words occur most often; English where none stands out."""
    counts = {language: sum(word in own for word in words) for language, own in _OWN_WORDS.items()}
    return max(counts, key=lambda language: counts[language])
