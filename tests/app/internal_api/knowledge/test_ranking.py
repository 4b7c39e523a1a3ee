"""The order of candidates, and what their similarity says."""

from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.knowledge.ranking import rank
from app.internal_api.knowledge.terms import parse_query

TEXTS = st.lists(st.text("abc 東京é.", max_size=60), max_size=8)


@given(st.text("abc 東京é.", max_size=30), TEXTS)
def test_similarities_are_shares_in_falling_order(question: str, texts: list[str]) -> None:
    ranked = rank(parse_query(question), texts)

    similarities = [one.similarity for one in ranked]
    assert similarities == sorted(similarities, reverse=True)
    assert all(0 < similarity <= 1 for similarity in similarities)
    assert len({one.index for one in ranked}) == len(ranked) <= len(texts)


def test_a_passage_with_every_word_is_fully_similar() -> None:
    (best, *_) = rank(parse_query("how is rye baked"), ["Bake rye at 200 degrees.", "Rye is a grain."])

    assert (best.index, best.similarity) == (0, 1.0)


def test_rare_words_weigh_more_than_common_ones() -> None:
    texts = ["bread bread bread", "bread and butter", "bread and sourdough", "bread and jam"]

    ranked = rank(parse_query("sourdough butterless bread"), texts)

    assert ranked[0].index == 2
