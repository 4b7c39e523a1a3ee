"""What a sentence holds."""

import pytest

from app.internal_api.engines.extractive.answering import shows
from app.internal_api.engines.extractive.asking import Ask

EXAMPLES = [
    (Ask.WHO, "The machine was patented by Angelo Moriondo.", "The machine is made of brass."),
    (Ask.WHEN, "It opened in 1951.", "It opened with a party."),
    (Ask.WHEN, "Der Kurs beginnt im Oktober.", "Der Kurs ist beliebt."),
    (Ask.WHERE, "The library is in Berlin.", "The library is quiet."),
    (Ask.NUMBER, "It had 410,000 visits.", "It had many visits."),
    (Ask.PRICE, "It costs 20 euros.", "It takes 20 minutes."),
    (Ask.PRICE, "Membership is free.", "Membership lasts."),
    (Ask.DEGREE, "At 93 degrees Celsius.", "At 93 metres."),
    (Ask.DURATION, "It takes 25 seconds.", "It weighs 25 grams."),
    (Ask.WHY, "It is sour because the water is cold.", "It is sour."),
    (Ask.HOW, "First grind the beans.", "The beans are brown."),
    (Ask.COMPARE, "It is faster than the car.", "It is fast."),
    (Ask.OPINION, "A burr grinder is worth its price.", "A burr grinder has burrs."),
    (Ask.RATING, "It is the best one.", "It is a red one."),
    (Ask.DEFINITION, "Espresso is a small coffee.", "Espresso tastes good."),
]


@pytest.mark.parametrize(("ask", "holds", "lacks"), EXAMPLES)
def test_a_sentence_shows_what_it_holds(ask: Ask, holds: str, lacks: str) -> None:
    assert shows(holds, ask)
    assert not shows(lacks, ask)


def test_an_open_question_asks_for_no_form() -> None:
    assert shows("Anything.", Ask.OPEN)
