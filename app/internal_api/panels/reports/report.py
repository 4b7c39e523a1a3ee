"""What a report is made from: the results of a study's questions, and how much of them is wanted. Pure."""

from collections.abc import Sequence
from typing import Literal

from app.internal_api.models.outputs import AudienceOutput, PersonaAnswer, StudyOutputData
from app.internal_api.models.wire import ResponseModel

Kind = Literal["executive_brief", "full_report", "raw_data"]
Length = Literal["short", "standard", "detailed"]

BRIEF_QUOTES = {"short": 0, "standard": 1, "detailed": 2}
REPORT_QUOTES = {"short": 1, "standard": 3}


class Report(ResponseModel):
    """`unfinished` is how many questions are still being answered, or failed on the way."""

    study: str
    kind: Kind
    length: Length
    generated_at: str
    unfinished: int
    questions: list[StudyOutputData]


def quoted(report: Report, group: AudienceOutput) -> Sequence[PersonaAnswer]:
    """Whose words are shown: everybody's in the raw data, and the strongest voices first where only some are."""
    spoken = [answer for answer in group.answers if answer.status == "answered" and answer.message]
    if report.kind == "raw_data":
        return spoken
    wanted = BRIEF_QUOTES if report.kind == "executive_brief" else REPORT_QUOTES
    return sorted(spoken, key=lambda answer: -abs(answer.sentiment or 0))[: wanted.get(report.length)]


def unanswered(group: AudienceOutput) -> Sequence[PersonaAnswer]:
    """Who was asked and did not answer."""
    return [answer for answer in group.answers if answer.status != "answered"]
