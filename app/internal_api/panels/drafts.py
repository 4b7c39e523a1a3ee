"""What an ask becomes: a question, and a row for each member of each group that is asked. Pure, apart from ids."""

from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from app.internal_api.models.asking import AskStudy
from app.internal_api.panels.response_format import ResponseFormat
from app.internal_api.store.questions import Answer, Question
from app.internal_api.store.studies import Membership, Study

NOT_READY, TRAINING_FAILED = "NOT_READY", "TRAINING_FAILED"
EMPTY: dict[str, Any] = dict.fromkeys(
    ("value", "raw_value", "message", "sentiment", "origin", "unsupported", "chunks_found", "citations", "engine")
)


def draft_question(study: Study, asked: AskStudy, response_format: ResponseFormat, context: str, now: int) -> Question:
    """A question that waits for a worker."""
    low, high = response_format.scale or (None, None)
    return Question(
        seq=0,
        id=str(uuid4()),
        study_id=study.id,
        owner_id=study.owner_id,
        question_message_id=str(uuid4()),
        answer_message_id=str(uuid4()),
        text=asked.question,
        type=response_format.type,
        scale_low=low,
        scale_high=high,
        options=list(response_format.options),
        most=response_format.most,
        response_form=asked.response_form,
        history_mode=asked.history_mode,
        source_policy=asked.source_policy,
        context=context,
        client_request_id=asked.client_request_id,
        status="queued",
        error_code=None,
        engine=None,
        attempt=0,
        lease_owner=None,
        lease_until=None,
        created_at=now,
        started_at=None,
        completed_at=None,
    )


def draft_answers(question: Question, members: Sequence[Membership]) -> list[Answer]:
    """Who is not ready is not asked, but counted: those rows have failed from the start."""
    return [_draft_answer(question, position, member) for position, member in enumerate(members)]


def _draft_answer(question: Question, position: int, member: Membership) -> Answer:
    return Answer(
        seq=0,
        id=str(uuid4()),
        question_id=question.id,
        position=position,
        mind_id=member.mind_id,
        mind_name=member.mind_name,
        discipline=member.discipline,
        profile_image_url=member.profile_image_url,
        audience_id=member.audience_id,
        audience_name=member.audience_name,
        status="pending" if member.ready else "failed",
        error_code=None if member.ready else TRAINING_FAILED if member.training_status == "failed" else NOT_READY,
        answered_at=None if member.ready else question.created_at,
        **EMPTY,
    )
