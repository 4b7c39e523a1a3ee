"""Options that one "or" joins."""

import pytest

from app.internal_api.panels.understanding.either import asked_for, either_of_two, opposites, two_deeds
from app.internal_api.panels.understanding.reading import read


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("Was it easy or hard to use?", ("Easy", "Hard")),
        ("True or false: tea is hot.", ("True", "False")),
        ("Is it better, worse or the same?", ("Better", "Worse", "The same")),
        ("Is it friendly or unfriendly?", ("Friendly", "Unfriendly")),
        ("Would you like more or fewer leaves?", ("More", "Fewer")),
        ("Do you drink more or less tea than before?", ("More", "Less")),
        ("Do you more or less agree?", ()),
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
        ("Should we start in spring or autumn?", ("Spring", "Autumn")),
        ("Should we use the blue logo or the red logo?", ("Blue logo", "Red logo")),
        ("Do you buy at home or in town?", ("At home", "In town")),
        ("Do you read or write?", ()),
        ("Soll es Tee oder Milch sein?", ("Tee", "Milch")),
        ("Zahlen Sie bar oder mit Karte?", ("Bar", "Mit Karte")),
        ("Is there tea or ale?", ()),
        ("Are you or your children thirsty?", ()),
        ("Is the tea hot, or has it gone cold?", ()),
        ("Ist der Tee für Sie oder Ihre Familie interessant?", ()),
        ("Should we start or not?", ()),
        ("Should we start in spring or autumn.", ()),
        ("Should we or?", ()),
    ],
)
def test_what_stands_around_the_or_is_as_long_on_both_sides(text: str, options: tuple[str, ...]) -> None:
    reading = read(text)

    assert asked_for(reading, reading.sentences[0], None) == options


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("Do you want to keep the tea or switch to ale?", ("Keep the tea", "Switch to ale")),
        ("Do you plan to buy tea or to drink ale?", ()),
        ("Do you want to buy tea or ale?", ()),
        ("Do you want to buy tea or get ale or milk?", ()),
    ],
)
def test_two_deeds_are_a_choice(text: str, options: tuple[str, ...]) -> None:
    reading = read(text)

    assert two_deeds(reading, reading.sentences[0], None) == options
