"""A query as people and models write it, as what FTS5 is asked: one expression for each word or phrase."""

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

MOST_UNITS = 24
"""Words and phrases of a query that count; a longer one is a document."""

WORDS = tomllib.loads(Path(__file__).with_name("words.toml").read_text("utf-8"))
STOP_WORDS = frozenset(WORDS["stop"].split())

CJK = "\u2e80-\u2fdf\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
"""Scripts that do not part their words: each character is a word of its own, and several are a phrase."""

BREAK = "\u200b"
"""Parts the characters of those scripts in the index; FTS5 takes it for the end of a word."""

_IDEOGRAPH = re.compile(f"([{CJK}])")
_PHRASE = re.compile(r'"([^"]+)"')
_WORD = re.compile(r"\w+(?:[-_.:/@+]+\w+)*")  # identifiers stay whole: UC-2-002, snake_case, a.b, HTTP/2
_PART = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@dataclass(frozen=True, slots=True)
class Unit:
    """One word or phrase: `words` follow each other. An exact one was quoted, or is an identifier."""

    words: tuple[str, ...]
    exact: bool = False

    @property
    def expression(self) -> str:
        """What FTS5 is asked. Inside quotation marks it has no syntax, and words hold none."""
        return '"' + " ".join(self.words) + '"'


def indexed(text: str) -> str:
    """`text` as it is stored: characters of scripts without blanks are parted."""
    return text if text.isascii() else _IDEOGRAPH.sub(rf"\1{BREAK}", text)


def shown(text: str) -> str:
    """What `indexed` was made of."""
    return text.replace(BREAK, "")


def parts_of(text: str) -> list[str]:
    """The words of `text`, in lower case."""
    return [part.lower() for part in _PART.findall(indexed(text))]


def words_of(text: str) -> set[str]:
    """The different words of `text`, as they are written."""
    return set(_PART.findall(text))


def camel_parts(words: Iterable[str]) -> str:
    """The words inside names in `camelCase`, so that each of them is found."""
    return " ".join(part for name in sorted(words) if _CAMEL.search(name) for part in _CAMEL.split(name))


def units_of(query: str) -> list[Unit]:
    """The words and phrases of `query`. Words that say nothing are left out where others remain."""
    found: list[Unit] = []
    for phrase in _PHRASE.findall(query):
        found += _unit(phrase, exact=True)
    for word in _WORD.findall(_PHRASE.sub(" ", query)):
        found += _unit(word, exact=False)
    units = list(dict.fromkeys(found))
    telling = [unit for unit in units if unit.exact or len(unit.words) > 1 or unit.words[0] not in STOP_WORDS]
    return (telling or units)[:MOST_UNITS]


def _unit(text: str, *, exact: bool) -> list[Unit]:
    words = tuple(parts_of(text))
    return [Unit(words, exact or len(words) > 1)] if words else []
