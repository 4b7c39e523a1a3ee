"""Forms of one word share a root; other words do not, however alike they look."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.toolsets.panels._aggregation.roots import Roots


def same(one: str, other: str, **more: int) -> bool:
    roots = Roots(Counter({one: 1, other: 1, **more}))
    return roots.of(one) == roots.of(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("price", "prices"),
        ("price", "pricing"),
        ("prices", "pricing"),
        ("load", "loading"),
        ("ship", "shipping"),
        ("delay", "delayed"),
        ("story", "stories"),
        ("cookie", "cookies"),
        ("box", "boxes"),
        ("search", "searches"),
        ("preis", "preise"),
        ("funktion", "funktionen"),
        ("opcion", "opciones"),
        ("onboarding", "onbarding"),
        ("onboarding", "onbaording"),
        ("personalisation", "personalization"),
    ],
)
def test_forms_of_one_word_share_a_root(one: str, other: str) -> None:
    assert same(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("community", "communication"),
        ("organic", "organization"),
        ("import", "important"),
        ("universe", "university"),
        ("policy", "police"),
        ("new", "news"),
        ("good", "goods"),
        ("custom", "customs"),
        ("market", "marketing"),
        ("park", "parking"),
        ("train", "training"),
        ("car", "caring"),
        ("rat", "rating"),
        ("plan", "plane"),
        ("care", "cars"),
        ("moral", "morale"),
        ("price", "pride"),
        ("privacy", "piracy"),
        ("contract", "contrast"),
        ("evaluation", "evacuation"),
        ("expensive", "inexpensive"),
        ("reliable", "unreliable"),
        ("design", "designer"),
    ],
)
def test_other_words_stay_other_words(one: str, other: str) -> None:
    assert not same(one, other)


def test_words_that_several_people_use_are_no_slips_of_each_other() -> None:
    often = Roots(Counter({"simulation": 3, "stimulation": 2}))

    assert often.of("simulation") != often.of("stimulation")


def test_a_slip_goes_to_the_word_that_more_people_use() -> None:
    roots = Roots(Counter({"onbarding": 1, "onboarding": 4}))

    assert roots.of("onbarding") == "onboarding"


def test_a_word_that_was_not_counted_takes_the_root_of_one_that_was() -> None:
    roots = Roots({"price": 1, "loading": 1})

    assert roots.of("prices") == "price"
    assert roots.of("pricing") == "price"
    assert roots.of("unknown") == "unknown"


counted = st.dictionaries(st.text("aegnpricsdoz", min_size=1, max_size=12), st.integers(1, 3), max_size=25)


@given(counted, st.randoms())
def test_the_order_of_the_words_does_not_matter(words: dict[str, int], random: Random) -> None:
    shuffled = list(words.items())
    random.shuffle(shuffled)
    one, other = Roots(words), Roots(dict(shuffled))

    assert {word: one.of(word) for word in words} == {word: other.of(word) for word in words}
