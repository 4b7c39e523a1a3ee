"""Options that replies name in other words, or in another language: told by their meaning, and with exact words."""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.engines.wordings import wordings
from app.internal_api.knowledge.embeddings import Embedder
from mcp_server.toolsets.panels._aggregation.reading import options_of, settled, value_of
from mcp_server.toolsets.panels._study import AskedQuestion, Mark, Reply

SETS = json.loads(Path(__file__).with_name("worded.json").read_text(encoding="utf-8"))
"""By other hands: half of the replies are in German, French and Spanish, and name English options in these."""
ENOUGH, FEW = 0.85, 3  # of each set: the share of the codable that is read, and how many are read wrongly
FEATURES = ("Shower", "Dining car", "Wi-Fi", "Breakfast served in the compartment", "Bicycle storage")
REASONS = ("Lower price", "No advertising", "Better client collaboration", "Picture and sound quality")
PLANS = ("Free", "Starter (6 euros)", "Team (14 euros)", "Business (22 euros)", "I would cancel")
COMPLAINTS = ("Lack of information", "Long waiting time", "Missed connection", "No food or drinks")
BAKERY = ("Bread", "Cakes and tarts", "Coffee and hot drinks")


@pytest.mark.parametrize(
    ("options", "said", "meant"),
    [
        (FEATURES, "Dusche und WLAN", {"Shower": "Dusche", "Wi-Fi": "WLAN"}),
        (REASONS, "Un prix plus bas, évidemment.", {"Lower price": "prix plus bas"}),
        (REASONS, "Ehrlich gesagt: keine Werbung!", {"No advertising": "keine Werbung"}),
        (REASONS, "Die Bild- und Tonqualität.", {"Picture and sound quality": "Bild- und Tonqualität"}),
        (BAKERY, "Les gâteaux et tartes.", {"Cakes and tarts": "gâteaux et tartes"}),
        (BAKERY, "El café, pero sin pan", {"Coffee and hot drinks": "café", "Bread": "pan"}),
        (PLANS, "L'offre gratuite, évidemment !", {"Free": "gratuite"}),
        (
            COMPLAINTS,
            "Que no nos dieron ni comida ni bebida.",
            {"No food or drinks": "no nos dieron ni comida ni bebida"},
        ),
        (
            COMPLAINTS,
            "Dass es nichts zu essen und trinken gab.",
            {"No food or drinks": "nichts zu essen und trinken gab"},
        ),
        (COMPLAINTS, "El hambre no, claro.", {}),
        (FEATURES, "My uncle drives one of these.", {}),
        (FEATURES, "", {}),
        (("1-2 times", "3-5 times", "More than 5"), "zwölf Mal", {}),
        (("Bread",), "Brot", {}),
    ],
)
def test_clauses_tell_the_options_that_they_mean(
    embed: Embedder, options: Sequence[str], said: str, meant: dict[str, str]
) -> None:
    assert wordings(embed, said, options, several=False) == meant


def test_a_denial_means_no_option_that_denies_nothing(embed: Embedder) -> None:
    assert wordings(embed, "Nicht der niedrigere Preis.", REASONS, several=False) == {}


@pytest.mark.parametrize(
    ("options", "said", "meant"),
    [
        (("Tea", "Beer", "Wine", "Water"), "Coffee", set()),
        (("Tea", "Beer", "Wine", "Water"), "Champagne", set()),
        (("Shower", "Kitchen", "Wi-Fi", "Parking"), "Sauna", set()),
        (("Shower", "Kitchen", "Wi-Fi", "Parking"), "Garage", set()),
        (("Shower", "Kitchen", "Wi-Fi", "Parking"), "Ducha, Küche", {"Shower", "Kitchen"}),
        (("Tea", "Beer", "Wine", "Water"), "Bière", {"Beer"}),
    ],
)
def test_a_word_that_is_only_like_an_option_is_none_and_a_translation_is(
    embed: Embedder, options: Sequence[str], said: str, meant: set[str]
) -> None:
    assert wordings(embed, said, options, several=True).keys() == meant


@pytest.mark.parametrize(
    ("options", "said", "never"),
    [
        (("Shower", "Wi-Fi", "None of these"), "Shower and nothing else", "None of these"),
        (("Too expensive", "Good value"), "Cheap", "Too expensive"),
        (FEATURES, "Brot \ud800 bitte", "Shower"),
        (("Too many fees", "No real problem"), "The biggest problem by far is another", "No real problem"),
    ],
)
def test_what_says_something_else_means_no_option(
    embed: Embedder, options: Sequence[str], said: str, never: str
) -> None:
    assert never not in wordings(embed, said, options, several=True)


@pytest.mark.parametrize(
    "said",
    ["Je déteste le vélo.", "Mi mujer va en coche.", "Früher mit dem Auto, heute mit dem Rad.", "Odio el autobús."],
)
def test_what_is_hated_or_others_do_is_not_chosen_in_another_language_either(embed: Embedder, said: str) -> None:
    asked = AskedQuestion("q", "?", "categorical", options=("Bus", "Car", "Bicycle", "On foot"))
    meant = wordings(embed, said, asked.options, several=False)
    came = Reply("Ada", "All", value=said, status="uncoded", codes=tuple(Mark(one, one, meant[one]) for one in meant))

    assert settled(asked, options_of(asked, ()), came)[0].status == "uncoded"


BIKE = ("Removable battery", "GPS tracking", "Integrated lights", "Rear rack")


@pytest.mark.parametrize(
    "said",
    [
        "Mes choix :\n- Éclairage intégré\n- Un truc rond",
        "Les lumières, et aussi le truc.",
        "Éclairage intégré und ein Plätzchen für mein altes Klavier",
        "Ich habe gezeltet und war oft beim Gepäckträger.",
    ],
)
def test_a_list_of_which_an_item_is_not_understood_is_not_read(embed: Embedder, said: str) -> None:
    asked = AskedQuestion("q", "?", "multiselect", options=BIKE)
    meant = wordings(embed, said, BIKE, several=True)
    came = Reply("Ada", "All", value=said, status="uncoded", codes=tuple(Mark(one, one, meant[one]) for one in meant))

    assert settled(asked, options_of(asked, ()), came)[0].status == "uncoded"


def test_the_core_of_a_clause_leaves_what_is_said_of_the_option(embed: Embedder) -> None:
    assert wordings(embed, "He cancelado el desayuno en el compartimento.", FEATURES, several=True) == {
        "Breakfast served in the compartment": "el desayuno en el compartimento"
    }


@given(st.text(max_size=80), st.lists(st.text(min_size=1, max_size=20), min_size=1, max_size=5, unique=True))
def test_what_is_told_are_offered_options_with_words_of_the_reply(said: str, options: list[str]) -> None:
    def embed(texts: Sequence[str]) -> Any:
        rows = np.array([[1.0 + text.count(letter) for letter in "aeiou "] for text in texts])
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    for several in (True, False):
        found = wordings(embed, said, options, several=several)
        assert all(option in options and words and words in said for option, words in found.items())


@pytest.mark.parametrize("number", range(len(SETS)))
def test_replies_in_other_words_and_languages_are_read(embed: Embedder, number: int) -> None:
    asked = AskedQuestion("q", "?", SETS[number]["type"], options=tuple(SETS[number]["options"]))
    found = Counter[str]()
    for said, wanted in SETS[number]["replies"]:
        meant = wordings(embed, said, asked.options, several=asked.type == "multiselect")
        codes = tuple(Mark(option, option, words) for option, words in meant.items()) or None
        came = Reply("Ada", "All", value=said, status="uncoded", codes=codes)
        reply, reading = settled(asked, options_of(asked, ()), came)
        found["codable"] += wanted not in {"?", "no view"}
        found["read" if reading.usable and value_of(reading) == wanted else reply.status] += 1

    assert found["read"] >= ENOUGH * found["codable"]
    assert found["answered"] <= FEW
