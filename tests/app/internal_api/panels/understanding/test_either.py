"""Options that one "or" joins."""

import pytest

from app.internal_api.panels.understanding.either import either_of_two, more_or_less, opposites
from app.internal_api.panels.understanding.reading import read


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("Was it easy or hard to use?", ("Easy", "Hard")),
        ("True or false: tea is hot.", ("True", "False")),
        ("Is it better, worse or the same?", ("Better", "Worse", "The same")),
        ("Is it friendly or unfriendly?", ("Friendly", "Unfriendly")),
        ("It is easy or hard.", ()),
        ("What is good or bad about it?", ()),
    ],
)
def test_opposites_are_options(text: str, options: tuple[str, ...]) -> None:
    reading = read(text)

    assert opposites(reading, reading.sentences[0], None) == options


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("Which do you prefer, tea or ale?", ("Tea", "Ale")),
        ("When thirsty, would you rather tea or ale?", ("Tea", "Ale")),
        ("Tea or ale, which is it?", ("Tea", "Ale")),
        ("Would you rather drink gin & tonic or ale?", ("Drink gin & tonic", "Ale")),
        ("Trinken Sie lieber abends oder morgens mit?", ("Abends", "Morgens")),
        ("Möchten Sie eher kaufen oder mieten?", ("Kaufen", "Mieten")),
        ("How often do you drink tea, ale or milk?", ()),
        ("How often do you drink, daily or never?", ("Daily", "Never")),
        ("How good is it to drink tea, ale or milk?", ()),
        ("What do you drink for breakfast, lunch or dinner?", ()),
        ("What do you drink before eating, tea or ale?", ("Tea", "Ale")),
        ("Do you prefer it or not?", ()),
        ("Do you drink tea or ale?", ()),
    ],
)
def test_a_preference_has_two_sides(text: str, options: tuple[str, ...]) -> None:
    reading = read(text)

    assert either_of_two(reading, reading.sentences[0], None) == options


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("Would you like more or fewer leaves?", ("More", "Fewer")),
        ("Do you drink more or less tea than before?", ("More", "Less")),
        ("Does the tin look more or less dear?", ("More", "Less")),
        ("Do you more or less agree?", ()),
        ("What is more or less dear than tea?", ()),
    ],
)
def test_more_and_less_are_options_where_something_is_compared(text: str, options: tuple[str, ...]) -> None:
    reading = read(text)

    assert more_or_less(reading, reading.sentences[0], None) == options
