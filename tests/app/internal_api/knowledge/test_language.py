"""Stems, held against SQLite's own, and the guess of a language."""

import sqlite3
from contextlib import closing

import pytest

from app.internal_api.knowledge.language import guess_language, stem
from app.internal_api.knowledge.terms import words_of

WORDS = """
    caresses ponies ties cats agreed plastered motoring conflated hopping falling happy sky relational conditional
    rational hesitancy digitizer radically analogously feudalism decisiveness formality electricity adjustable
    replacement effective probate cease controlling baking bakers prices universities dying fermentation yes as ied
"""


@pytest.mark.parametrize("word", WORDS.split())
def test_a_word_is_stemmed_as_the_index_stems_it(word: str) -> None:
    assert stem(word) == _stem_of_sqlite(word)


@pytest.mark.parametrize(
    ("language", "together"),
    [("de", "bohne bohnen"), ("fr", "livre livres"), ("es", "libro libros"), ("en", "book books")],
)
def test_each_language_has_its_own_stems(language: str, together: str) -> None:
    assert len({stem(word, language) for word in together.split()}) == 1


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("How hot should the water be?", "en"),
        ("Wie heiß soll das Wasser sein?", "de"),
        ("Qu'est-ce qui vous plaît dans la bibliothèque ?", "fr"),
        ("¿Qué es lo que más le molesta del servicio?", "es"),
        ("Xyzzy", "en"),
    ],
)
def test_the_language_is_the_one_of_the_stop_words(text: str, language: str) -> None:
    assert guess_language(words_of(text)) == language


def _stem_of_sqlite(word: str) -> str:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE VIRTUAL TABLE texts USING fts5(text, tokenize='porter unicode61')")
        connection.execute("CREATE VIRTUAL TABLE terms USING fts5vocab(texts, 'row')")
        connection.execute("INSERT INTO texts VALUES (?)", (word,))
        (term,) = connection.execute("SELECT term FROM terms").fetchone()
        return str(term)
