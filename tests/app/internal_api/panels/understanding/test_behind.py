"""Options behind the question."""

import pytest

from app.internal_api.panels.understanding.behind import behind
from app.internal_api.panels.understanding.reading import read

DRINKS = ("Tea", "Dark ale", "Milk")


@pytest.mark.parametrize("mark", [", ", "; ", " / ", "/", " | ", "|", " - ", "\n", "\n- ", ". "])
@pytest.mark.parametrize(
    "lead", ["What do you drink? ", "What do you drink? Please select one: ", "What do you drink: "]
)
def test_a_list_is_read_however_its_options_are_parted(lead: str, mark: str) -> None:
    assert behind(read(lead.rstrip() + ("\n" if mark == "\n" else " ") + mark.join(DRINKS).lower())) == DRINKS or (
        lead.endswith("drink: ") and mark in {", ", " - ", ". ", "\n- "}
    )


@pytest.mark.parametrize("form", ["{}. ", "{}) ", "({}) ", "{}: "])
@pytest.mark.parametrize("names", ["123", "abc", "ABC"])
def test_a_list_is_read_however_its_options_are_counted(form: str, names: str) -> None:
    text = " ".join(form.format(name) + option for name, option in zip(names, DRINKS, strict=True))

    assert behind(read(f"What do you drink? {text}")) == DRINKS


@pytest.mark.parametrize(
    "text",
    [
        "What do you drink? (Tea, dark ale, milk)",
        "What do you drink? [Tea, dark ale, milk]",
        "What do you drink? [Tea] [Dark ale] [Milk]",
        "What do you drink? (choose one) Tea, dark ale, milk",
        "What do you drink? Tea, dark ale or milk?",
        "Drinks (tea, dark ale, milk)",
        "Drinks: tea / dark ale / milk",
    ],
)
def test_brackets_notes_and_headings_are_no_options(text: str) -> None:
    assert behind(read(text)) == DRINKS


@pytest.mark.parametrize(
    "text",
    [
        "Why do you drink? Tea, ale, milk",
        "What do you drink? We ask, since it matters, and you know",
        "What do you drink? Be honest, please.",
        "What do you drink? The more, the better.",
        "What do you drink? It is hot. What else?",
        "What do you drink? Tea",
        "How good is it?\nThanks\nAnna",
        "What do you drink?\nIt is hot.\nIt is cold.",
        "Drinks: tea, ale.",
        "All of our drinks are good (tea, ale)",
        "Tea is good.",
        "http://tea.test/green/black",
        "",
    ],
)
def test_what_is_no_list_is_not_read_as_one(text: str) -> None:
    assert behind(read(text)) == ()


def test_ages_below_a_heading_are_options() -> None:
    assert behind(read("Age: under 18, 18-40, over 40")) == ("Under 18", "18-40", "Over 40")
