"""A question's content words: folded, bounded, and never syntax."""

import pytest

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
