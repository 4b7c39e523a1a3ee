"""Degrees written out as options."""

import pytest

from app.internal_api.panels.understanding.degrees import named_degrees
from app.internal_api.panels.understanding.reading import read

AGREEMENT = ("Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree")


@pytest.mark.parametrize("mark", [" / ", "/", ", ", "; ", " | ", " - ", "\n"])
@pytest.mark.parametrize(
    "lead", ["Tea is good. ", "Tea is good. Options: ", "Tea is good: ", "Do you agree? ", "Tea\n"]
)
def test_steps_of_agreement_are_options_however_they_are_written(lead: str, mark: str) -> None:
    if mark == "\n" and lead.endswith(": "):
        lead = f"{lead.rstrip()}\n"

    assert named_degrees(read(lead + mark.join(AGREEMENT))) == AGREEMENT


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("Tea? Very good, quite good, not good.", ("Very good", "Quite good", "Not good")),
        ("Tea (very good, quite good, not good)?", ("Very good", "Quite good", "Not good")),
        ("Tee?\nSehr gut\nEher gut\nNicht gut", ("Sehr gut", "Eher gut", "Nicht gut")),
        ("Tea? Very good, not good, never tried it", ("Very good", "Not good", "Never tried it")),
        ("Strongly agree, agree, strongly disagree: tea is good.", ("Strongly agree", "Agree", "Strongly disagree")),
        ("Tea. Very good, quite good, not good.", ()),
        ("Tea? Very good, not good", ()),
        ("Tea? Very good, I think, since it comes from far away and is hot.", ()),
        ("Do you strongly agree, agree, disagree or strongly disagree?", ()),
        ("Strongly disagree to strongly agree", ()),
        ("", ()),
    ],
)
def test_degrees_answer_a_question(text: str, options: tuple[str, ...]) -> None:
    assert named_degrees(read(text)) == options
