"""A question's content words: folded, bounded, and never syntax; stems, held against SQLite's own."""

import sqlite3
from contextlib import closing

import pytest

from app.internal_api.knowledge.language import guess_language, stem
from app.internal_api.knowledge.terms import MAX_TERMS, fold, grams_of, parse_query, words_of


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Crème BRÛLÉE", "creme brulee"),
        ("Cre\u0300me", "creme"),
        ("Größe", "große"),
        ("Жук", "жук"),
        ("ば", "ば"),
        ("한국어", "한국어"),
        ("Ångström", "angstrom"),
    ],
)
def test_accents_and_capitals_are_folded_and_letters_are_not(text: str, folded: str) -> None:
    assert fold(text) == folded


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("How long is rye bread baked?", ("long", "rye", "bread", "baked")),
        ("What's Ada's view of C++ and R?", ("ada", "view", "c", "r")),
        ("bread, Bread & BREAD!", ("bread",)),
        ("example.com/pricing", ("example", "com", "pricing")),
        ('"rye" OR (bread NOT wheat) NEAR/2 *', ("rye", "bread", "wheat", "near", "2")),
        ("Was ist der Preis für Brötchen?", ("preis", "fur", "brotchen")),
        ("snake_case", ("snake", "case")),
    ],
)
def test_the_content_words_are_kept_in_their_order(text: str, words: tuple[str, ...]) -> None:
    assert parse_query(text).words == words


@pytest.mark.parametrize("text", ["", "   ", "?!", "what is the", "Tell me about it, please", "\x00", "🥖"])
def test_a_question_without_content_words_asks_for_nothing(text: str) -> None:
    query = parse_query(text)

    assert (query.words, query.grams) == ((), ())


def test_unspaced_scripts_become_pairs_of_characters() -> None:
    assert grams_of("東京都 bread パ") == ["東京", "京都", "パ"]
    assert words_of("東京都 bread パ") == ["bread"]


def test_a_whole_book_is_not_taken_for_a_question() -> None:
    query = parse_query(" ".join(f"word{number}" for number in range(100_000)) + "東京" * 5000)

    assert len(query.words) == MAX_TERMS
    assert len(query.grams) <= MAX_TERMS


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
