"""Options beside a note that several may be chosen."""

import pytest

from app.internal_api.panels.understanding.reading import read
from app.internal_api.panels.understanding.several import noted
from app.internal_api.panels.understanding.understand import understand
from app.internal_api.panels.understanding.words import MULTISELECT, QUALITATIVE


@pytest.mark.parametrize(
    "text",
    [
        "Was trinken Sie? Mehrfachnennung möglich: Tee, Bier",
        "Was trinken Sie? (Mehrfachnennungen möglich) Tee oder Bier",
        "Welche dieser Getränke mögen Sie? Mehrfachantworten möglich: Tee, Bier",
        "Was trinken Sie? Kreuzen Sie alles an, was zutrifft: Tee, Bier",
        "Was trinken Sie? Kreuzen Sie alles an, was zutrifft. Tee; Bier",
        "What do you drink? (multiple answers possible) Tee; Bier",
        "What do you drink? (Select all that apply) Tee; Bier",
        "What do you drink? (Select all that apply): Tee or Bier",
        "What do you drink? Tick all that apply. Tee, Bier",
        "What do you drink? Tee, Bier (select all that apply)",
        "What do you drink? Tee, Bier. Select all that apply.",
        "(Mehrfachauswahl) Tee, Bier",
        "Was trinken Sie? Mehrfachauswahl Tee, Bier",
        "Welche mögen Sie? Mehrfachnennung möglich, Tee, Bier",
    ],
)
def test_a_list_beside_the_note_is_chosen_from_without_the_note(text: str) -> None:
    understood = understand(text)
    assert (understood.type, understood.options) == (MULTISELECT, ("Tee", "Bier"))


@pytest.mark.parametrize(
    "text",
    [
        "Which do you use? (Select all that apply)",
        "What do you drink? Tick all that apply. Your answers are safe, and short.",
        "What do you drink? Tick all that apply. Is it tea, or ale?",
        "What do you drink? Tick all that apply from the list, or none.",
        "Was trinken Sie? Mehrfachauswahl nicht möglich, leider",
        "Was trinken Sie? Mehrfachnennung möglich, gern, oft",
        "Tea, ale. Select all that apply.",
        "Do you select all that apply for jobs, or some?",
        "What do you drink? Tick all that apply. Cold tea from the very last bottle there, ale",
    ],
)
def test_without_a_plain_list_beside_it_a_note_names_no_options(text: str) -> None:
    assert noted(read(text)) == ()


@pytest.mark.parametrize("note", ["möglich, maximal 2:", "möglich, maximal zwei der Getränke:"])
def test_how_many_may_be_chosen_is_no_part_of_the_list_beside_the_note(note: str) -> None:
    understood = understand(f"Was trinken Sie? Mehrfachnennungen {note} Tee, Bier, Wein")
    assert (understood.type, understood.options) == (MULTISELECT, ("Tee", "Bier", "Wein"))


def test_a_german_question_for_which_is_not_answered_by_yes_or_no() -> None:
    assert understand("Welche der folgenden Geräte besitzen Sie?").type == QUALITATIVE
