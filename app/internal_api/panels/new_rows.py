"""What an ask becomes: a question with the text of its attachments, and a row for each member. Pure, apart from ids."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import uuid4

from app.internal_api.models.asking import AskStudy
from app.internal_api.panels.response_format import ResponseFormat
from app.internal_api.store.questions import Answer, Question
from app.internal_api.store.studies import Membership, Study

NOT_READY, TRAINING_FAILED = "NOT_READY", "TRAINING_FAILED"
MAX_CONTEXT = 20_000  # characters of all sources together


def new_question(study: Study, asked: AskStudy, response_format: ResponseFormat, context: str, now: int) -> Question:
    """A question that waits for a worker."""
    low, high = response_format.scale or (None, None)
    return Question(
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
        created_at=now,
    )


def new_answers(question: Question, members: Sequence[Membership]) -> list[Answer]:
    """One for each member; those that are not ready are counted, not asked: their rows have failed."""
    return [
        Answer(
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
        )
        for position, member in enumerate(members)
    ]


def storable(text: str) -> str:
    """Without what a database or UTF-8 cannot take: PostgreSQL stores no NUL, and half a surrogate pair is no text."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode()


@dataclass(frozen=True, slots=True)
class Source:
    """One attachment or link that was read."""

    title: str
    origin: str  # its host or file name
    text: str


def context_of(sources: Sequence[Source], keywords: Sequence[str] = ()) -> str:
    """What every persona is given to read, as one text; where something is left out, the text says so."""
    rooms, left = [0] * len(sources), MAX_CONTEXT
    by_length = sorted(range(len(sources)), key=lambda index: len(sources[index].text))
    for served, index in enumerate(by_length):  # short ones get all their room, long ones equal shares of the rest
        rooms[index] = min(len(sources[index].text), left // (len(sources) - served))
        left -= rooms[index]
    parts = [f"Keywords: {', '.join(keywords)}"] if keywords else []
    for number, (source, room) in enumerate(zip(sources, rooms, strict=True), 1):
        name = source.title if source.title == source.origin else f"{source.title} ({source.origin})"
        cut = f"\n[cut: only the first {room:,} of {len(source.text):,} characters are given]"
        text = source.text if room >= len(source.text) else f"{source.text[:room].rstrip()}{cut}"
        parts.append(f"[{number}] {name}\n{text}")
    return "\n\n".join(parts)
