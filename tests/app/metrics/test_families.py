"""Children are kept, bounded, and worth nothing where nothing is counted."""

from hypothesis import given
from hypothesis import strategies as st

from app.metrics.families import OVERFLOW, Families


def test_the_same_labels_are_the_same_child() -> None:
    families = Families()
    family = families.counter("a_total", "a", "x")

    assert family["1",] is family["1",]
    assert family["1",] is not family["2",]
    assert len(next(iter(families.registry.collect())).samples) == 2


@given(st.lists(st.text(max_size=3), max_size=60))
def test_however_many_words_come_there_are_only_so_many_children(words: list[str]) -> None:
    families = Families()
    counter = families.counter("words_total", "words", "word")
    counter._most = 5

    for word in words:
        counter[word,].inc()

    shown = [s for family in families.registry.collect() for s in family.samples]
    assert len(shown) <= 6
    assert sum(sample.value for sample in shown) == len(words)
    assert len(set(words)) <= 5 or any(sample.labels["word"] == OVERFLOW for sample in shown)
