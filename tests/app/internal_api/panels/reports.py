"""Reports of a small study, for the tests of what is written from them."""

from typing import Any

from app.internal_api.models.outputs import StudyOutputData
from app.internal_api.panels.output import study_output
from app.internal_api.panels.report import Report
from tests.app.internal_api.panels.rows import another, answer, both_groups

SCALE = study_output(another(1, "scale", text="How likely?"), both_groups(["5", "4", None], ["1"]))
OPEN = study_output(
    another(2, text="Why?"),
    [
        answer("Price", message="It costs too much.", sentiment=-0.1),
        answer("price; Speed", position=1, message="Dear, but quick.", sentiment=0.9),
    ],
)


def report(*questions: StudyOutputData, **changes: Any) -> Report:
    """The full report of both questions, unless others are named."""
    known: dict[str, Any] = {
        "study": "Pricing",
        "kind": "full_report",
        "length": "standard",
        "generated_at": "2026-11-20T09:00:00.000Z",
        "unfinished": 0,
        "questions": list(questions or (SCALE, OPEN)),
    }
    return Report(**known | changes)
