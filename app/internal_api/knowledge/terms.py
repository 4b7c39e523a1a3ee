"""What a question asks for: its content words, folded, never syntax. Pure."""

import re
import unicodedata
from dataclasses import dataclass
from itertools import pairwise

from app.internal_api.knowledge.language import STOP_WORDS

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


def fold(text: str) -> str:
    """Lower case without accents, as SQLite's tokenizer folds; marks that make other letters stay."""
    decomposed = unicodedata.normalize("NFD", text.lower())
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
