"""Questions and answers as rows, for the tests of what is made of them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from app.internal_api.store.questions import Answer, Question
from tests.app.internal_api.support import ADA, START

STUDY_ID = str(UUID(int=1))
QUESTION = Question(
    id=str(UUID(int=2)),
    study_id=STUDY_ID,
    owner_id=ADA.user_id,
    question_message_id=str(UUID(int=3)),
    answer_message_id=str(UUID(int=4)),
    text="What should we improve?",
    type="qualitative",
    options=(),
    response_form="standard",
    history_mode="none",
    context="",
    status="completed",
    engine="offline",
    attempt=1,
    created_at=START,
    started_at=START,
    completed_at=START + 5000,
)
ANSWER = Answer(
    id=str(UUID(int=10)),
    question_id=QUESTION.id,
    position=0,
    mind_id=str(UUID(int=20)),
    mind_name="Mia",
    discipline="Student",
    profile_image_url=None,
    audience_id=str(UUID(int=30)),
    audience_name="Gen Z",
    status="answered",
    value="Price",
    raw_value="price",
    message="It costs too much.",
    sentiment=-0.5,
    origin="mind_personality",
    unsupported=False,
    chunks_found=0,
    citations=[],
    engine="offline",
    answered_at=START + 1000,
)
SAID = ("raw_value", "message", "sentiment", "origin", "unsupported", "chunks_found", "citations", "engine")


def question(kind: str = "qualitative", **changes: Any) -> Question:
    """A question of that type: a scale is 1 to 5, the options are Red, Green and Blue."""
    own: dict[str, Any] = {"type": kind}
    if kind == "scale":
        own |= {"scale_low": 1, "scale_high": 5}
    elif kind in {"categorical", "multiselect"}:
        own |= {"options": ["Red", "Green", "Blue"]}
    return replace(QUESTION, **(own | changes))


def another(number: int, kind: str = "qualitative", **changes: Any) -> Question:
    """One more question of the same study, told apart by its number."""
    ids = {"id": 100, "question_message_id": 200, "answer_message_id": 300}
    return question(kind, **{name: str(UUID(int=base + number)) for name, base in ids.items()} | changes)


def answer(value: str | None = "Price", *, position: int = 0, group: str = "Gen Z", **changes: Any) -> Answer:
    """What persona number `position` answered; None for a failure."""
    groups = {"Gen Z": 30, "Parents": 31}
    own: dict[str, Any] = {
        "id": str(UUID(int=1000 + position)),
        "position": position,
        "mind_id": str(UUID(int=2000 + position)),
        "mind_name": f"Mind {position}",
        "audience_id": str(UUID(int=groups.get(group, 32))),
        "audience_name": group,
        "value": value,
        "raw_value": value,
    }
    failed = {"status": "failed", "error_code": "ENGINE_UNAVAILABLE", **dict.fromkeys(SAID)} if value is None else {}
    return replace(ANSWER, **(own | failed | changes))


def answers(*values: str | None, group: str = "Gen Z", first: int = 0) -> list[Answer]:
    """One answer for each value, in order."""
    return [answer(value, position=first + number, group=group) for number, value in enumerate(values)]


def pending(position: int, group: str = "Gen Z") -> Answer:
    """A persona that has not answered yet."""
    return answer(None, position=position, group=group, status="pending", error_code=None, answered_at=None)


def both_groups(ours: Sequence[str | None], theirs: Sequence[str | None]) -> list[Answer]:
    """Answers of Gen Z, and then of Parents."""
    return [*answers(*ours), *answers(*theirs, group="Parents", first=len(ours))]
