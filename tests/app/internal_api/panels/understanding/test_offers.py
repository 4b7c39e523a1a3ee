"""Alternatives that a question in the shape of yes or no offers."""

import pytest

from app.internal_api.panels.understanding.offers import deeds_first, offered
from app.internal_api.panels.understanding.reading import read


def found(text: str) -> tuple[str, ...]:
    reading = read(text)
    return offered(reading, reading.sentences[0], None)


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("Should we start in spring or autumn?", ("Spring", "Autumn")),
        ("Should we use the blue logo or the red logo?", ("Blue logo", "Red logo")),
        ("Do you buy at home or in town?", ("At home", "In town")),
        ("Do you drink at home or online?", ("At home", "Online")),
        ("Do you drink tea or ale?", ("Tea", "Ale")),
        ("Do you drink it hot or with milk?", ("Hot", "With milk")),
        ("Soll es Tee oder Milch sein?", ("Tee", "Milch")),
        ("Zahlen Sie bar oder mit Karte?", ("Bar", "Mit Karte")),
        ("¿El té es demasiado dulce o bueno?", ("Demasiado dulce", "Bueno")),
        ("Buvez-vous à la maison ou en ville ?", ("À la maison", "En ville")),
        ("Do you want to keep the tea or switch to ale?", ("Keep the tea", "Switch to ale")),
        ("Do you plan to buy tea or to drink ale?", ("Buy tea", "Drink ale")),
        ("Möchten Sie den Tee behalten oder zum Bier wechseln?", ("Den Tee behalten", "Zum Bier wechseln")),
        ("Is tea or ale better?", ("Tea", "Ale")),
        ("Has the tea improved or got worse?", ("Improved", "Got worse")),
        ("Do you rent or own your home?", ("Rent", "Own")),
        ("Given the choice, would you take a tea or an ale?", ("Tea", "Ale")),
    ],
)
def test_two_sides_are_offered_as_they_are_built(text: str, options: tuple[str, ...]) -> None:
    assert found(text) == options


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("Is it hot, cold or mild?", ("Hot", "Cold", "Mild")),
        ("To you, is it hot, cold, or mild?", ("Hot", "Cold", "Mild")),
        ("Is the tea too hot, too cold or just right?", ("Too hot", "Too cold", "Just right")),
        ("Is the tea right, too hot or too cold?", ("Right", "Too hot", "Too cold")),
        ("Should we start in spring, in summer or in autumn?", ("In spring", "In summer", "In autumn")),
        ("Are you glad, calm or cross with the ale?", ("Glad", "Calm", "Cross")),
        ("Does the new tea taste sweet, sour or bitter, in your view?", ("Sweet", "Sour", "Bitter")),
        ("Is the tea too hot, mild or too cold for you?", ("Too hot", "Mild", "Too cold")),
        ("Is the tea very hot, hot, cold or very cold?", ("Very hot", "Hot", "Cold", "Very cold")),
        ("Is the tea good, bad or somewhere in between?", ("Good", "Bad", "Somewhere in between")),
        ("Is the tea more than $5, $4 to $5 or less than $4?", ("More than $5", "$4 to $5", "Less than $4")),
        ("Do you drink it daily, weekly or never?", ("Daily", "Weekly", "Never")),
        ("Trinken Sie im Büro, zu Hause oder unterwegs?", ("Im Büro", "Zu Hause", "Unterwegs")),
        ("Kommt Ihnen der Tee zu oft, genau richtig oder zu selten?", ("Zu oft", "Genau richtig", "Zu selten")),
        ("Ist der Tee zu oft, genau richtig oder zu selten da?", ("Zu oft", "Genau richtig", "Zu selten")),
        ("Ist der Tee zu frisch, genau richtig oder zu trocken?", ("Zu frisch", "Genau richtig", "Zu trocken")),
        ("Sind Sie zufrieden, neutral oder sehr unzufrieden?", ("Zufrieden", "Neutral", "Sehr unzufrieden")),
        ("Sind Sie zufrieden, neutral oder unzufrieden?", ("Zufrieden", "Neutral", "Unzufrieden")),
        ("Have you drunk tea at home, at work or at school?", ()),
        ("Is there tea, ale or milk?", ()),
        ("Are you, your wife or your children thirsty?", ()),
        ("Is it hot, cold, or has it no taste?", ()),
        ("Do you drink tea, ale or neither?", ("Tea", "Ale", "Neither")),
        ("Do you drink tea, ale or milk?", ("Tea", "Ale", "Milk")),
        ("Is it hot, cold or not?", ()),
        ("Is it hot or cold?", ("Hot", "Cold")),
        ("Is it hot, or so I was told by my friends, or cold?", ()),
        ("Is it hot, cold or mild.", ()),
        ("Is it, as far as you can tell, hot or cold?", ()),
        ("Is it hot,,, or ?", ()),
    ],
)
def test_a_row_is_offered_and_nothing_that_stands_around_it(text: str, options: tuple[str, ...]) -> None:
    assert found(text) == options


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("Do you read or write?", ()),
        ("Is there tea or ale?", ()),
        ("Are you or your children thirsty?", ()),
        ("Is your child or partner vegan?", ()),
        ("Is the tea hot, or has it gone cold?", ()),
        ("Ist der Tee für Sie oder Ihre Familie interessant?", ()),
        ("Should we start or not?", ()),
        ("Should we start in spring or autumn.", ()),
        ("Should we or?", ()),
        ("Do you own a cup or a pot?", ()),
        ("Do you have cups or pots?", ()),
        ("Do you know Acme or Globex?", ()),
        ("Have you drunk tea or ale?", ()),
        ("Can you swim or dive?", ()),
        ("Are you allergic to tea or ale?", ()),
        ("Do you drink 2 or 3 cups?", ()),
        ("What do you drink, tea or ale?", ()),
        ("Haben Sie Tee oder Bier?", ()),
        ("¿Tiene té o cerveza?", ()),
        ("Avez-vous un chien ou un chat ?", ()),
    ],
)
def test_what_is_answered_by_yes_or_no_offers_nothing(text: str, options: tuple[str, ...]) -> None:
    assert found(text) == options


@pytest.mark.parametrize(
    ("text", "options"),
    [("Kaufen oder mieten Sie?", ("Kaufen", "Mieten")), ("Lesen oder singen Sie?", ()), ("Kaufen Sie?", ())],
)
def test_german_deeds_may_stand_before_their_subject(text: str, options: tuple[str, ...]) -> None:
    reading = read(text)

    assert deeds_first(reading, reading.sentences[0], None) == options
