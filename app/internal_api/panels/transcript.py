"""A study as a conversation: each question is a user's message, its result the assistant's answer. Pure."""

from collections.abc import Iterator, Sequence
from typing import Literal, cast

from app.internal_api.models.outputs import AudienceOutput, MessageMetadata, StudyMessage, StudyOutputData
from app.internal_api.models.wire import iso
from app.internal_api.panels.output import classification, study_output
from app.internal_api.store.questions import Answer, Question

MOST_ANSWERS = 400
"""Persona answers in one transcript: some hundred kilobytes. Older ones are read message by message (12.7)."""


class Transcript:
    """Built from the newest question to the oldest: the latest have all their answers, older ones only the totals."""

    def __init__(self) -> None:
        self._messages: list[list[StudyMessage]] = []
        self._left = MOST_ANSWERS

    def add(self, question: Question, answers: Sequence[Answer]) -> None:
        """Add the question that was asked before those that were added already."""
        self._left -= len(answers)
        compact = self._left < 0 and bool(self._messages)
        self._messages.append(list(question_messages(question, answers, compact=compact)))

    def messages(self) -> list[StudyMessage]:
        """In the order in which was asked; a question that is not completed has no answer yet."""
        return [message for messages in reversed(self._messages) for message in messages]


def question_messages(
    question: Question, answers: Sequence[Answer], *, compact: bool = False
) -> Iterator[StudyMessage]:
    """The user's message shows how far the question is; the assistant's, once it is completed, holds the result.

    `compact` leaves out what each persona said.
    """
    progress = MessageMetadata(
        question_block_id=question.id,
        client_request_id=question.client_request_id,
        audience_ids=tuple(dict.fromkeys(answer.audience_id for answer in answers)),
        status=cast("Literal['queued', 'running', 'completed', 'failed']", question.status),
        classification=classification(question),
        total=len(answers),
        answered=sum(answer.status == "answered" for answer in answers),
        failed=sum(answer.status in {"failed", "timeout"} for answer in answers),
    )
    yield StudyMessage(
        id=question.question_message_id,
        role="user",
        content=question.text,
        metadata=progress,
        created_at=iso(question.created_at),
    )
    if question.status == "completed":
        output = study_output(question, answers)
        if compact:
            groups = [group.model_copy(update={"answers": []}) for group in output.audiences]
            output = output.model_copy(update={"audiences": groups})
        yield StudyMessage(
            id=question.answer_message_id,
            role="assistant",
            content=sentence(output),
            metadata=progress.model_copy(update={"output_data": output}),
            created_at=iso(question.completed_at or question.created_at),
        )


def sentence(output: StudyOutputData) -> str:
    """What every group answered, with how many said so and how many did not answer."""
    return "; ".join(map(_value, output.audiences)) + "." if output.audiences else "Nobody was asked."


def _value(group: AudienceOutput) -> str:
    failures = f", {group.failed} failed" if group.failed else ""
    if not group.n:
        return f"{group.audience}: no usable answer (n = 0{failures})"
    return f"{group.audience}: {group.value} (n = {group.n}{failures})"
