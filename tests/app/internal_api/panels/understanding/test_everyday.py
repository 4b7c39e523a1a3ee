"""Everyday questions in four languages, as survey templates have them: each is read as people mean it."""

from pathlib import Path

import pytest

from app.internal_api.panels.understanding.reading import read
from app.internal_api.panels.understanding.understand import understand
from app.internal_api.panels.understanding.words import Understanding
from tests.app.internal_api.panels.understanding.questions import OPEN, choice, scale, several

_YES_NO = {"en": ("Yes", "No"), "de": ("Ja", "Nein"), "es": ("Sí", "No"), "fr": ("Oui", "Non")}


def _cases() -> list[tuple[str, str]]:
    lines = Path(__file__).with_name("everyday.txt").read_text(encoding="utf-8").splitlines()
    pairs = (line.rsplit(" => ", 1) for line in lines if line and not line.startswith("#"))
    return [(question.replace("\\n", "\n"), reading) for question, reading in pairs]


def _expected(question: str, reading: str) -> Understanding:
    kind, _, rest = reading.partition(" ")
    options = rest.rpartition(" of ")[2].split(" | ") if rest[:1].isdigit() else rest.split(" | ")
    match kind:
        case "open":
            return OPEN
        case "yes":
            return choice(*_YES_NO[read(question).language])
        case "scale":
            low, high = rest.split()
            return scale(int(low), int(high))
        case "one":
            return choice(*rest.split(" | "))
        case _:
            return several(*options, most=int(rest[0]) if rest[:2].rstrip().isdigit() else None)


@pytest.mark.parametrize(("question", "reading"), _cases())
def test_an_everyday_question_is_read_as_people_mean_it(question: str, reading: str) -> None:
    assert understand(question) == _expected(question, reading)
