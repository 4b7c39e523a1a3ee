"""The result of a question, made of its answers (`StudyOutputData`), and a study as a conversation. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal, cast
from urllib.parse import urlsplit

from app.internal_api.engines.coding import NO_VIEW
from app.internal_api.models import outputs
from app.internal_api.models.wire import iso
from app.internal_api.panels import values as figures
from app.internal_api.panels.codebook import codes_in, labels_in
from app.internal_api.store.questions import Answer, Question

NOTHING_NAMED = {"multiselect": "None of the options", "qualitative": "No theme named"}
"""What a group's answers come to where they are answers, but name nothing."""

ENDED = frozenset({"answered", "declined", "uncoded", "failed", "timeout"})
FAILED = frozenset({"failed", "timeout"})


def study_output(question: Question, answers: Sequence[Answer]) -> outputs.StudyOutputData:
    """What there is so far; groups are those that were asked, in their order."""
    is_open, codes = question.type == "qualitative", labels_in(question.codebook)
    labelled = [(answer, _labels(question, answer, codes)) for answer in answers] if is_open else []
    once = [labels for _, labels in figures.distinct_minds(labelled)]
    found = figures.coded(codes_in(question.codebook), once) if question.codebook else figures.themes(once)
    labels = {figures.key(theme.label): theme.label for theme in found}
    return outputs.StudyOutputData(
        title=question.text,
        type=cast("outputs.QuestionType", question.type),
        classification=classification(question),
        category_codebook=found,
        audiences=[_audience_output(question, group, labels, codes) for group in groups(answers)],
        themes=figures.theme_outputs(found, labelled),
        codebook_method=(question.codebook or {}).get("method"),
        codebook_changes=(question.codebook or {}).get("changes") or None,
        coding_failure=question.coding_failure and dict(question.coding_failure),
        asked_at=iso(question.created_at),
        engine=question.engine,
        usage=dict(question.usage) if question.usage else None,
    )


def _labels(question: Question, answer: Answer, codes: Mapping[str, str]) -> dict[str, str]:
    """The themes of an open answer, each with a quote: its codes in the codebook, else the labels it gave itself."""
    if codes:
        return {codes[one]: quote for one, quote in (answer.codes or {}).items() if one in codes}
    return dict.fromkeys(figures.counted(question, answer) or (), "")


def with_answers(output: outputs.StudyOutputData, most: int) -> outputs.StudyOutputData:
    """Only the first few answers of each group; the figures stay those of all."""
    groups = [group.model_copy(update={"answers": group.answers[:most]}) for group in output.audiences]
    return output.model_copy(update={"audiences": groups})


def classification(question: Question) -> outputs.Classification:
    scale = question.scale
    return outputs.Classification(
        type=cast("outputs.QuestionType", question.type),
        scale_range=None if scale is None else list(scale),
        options=list(question.options) or None,
        most=question.most,
    )


def persona_answer(answer: Answer, codes: Mapping[str, str] = MappingProxyType({})) -> outputs.PersonaAnswer:
    """One answer that has come to its end; what was not answered is empty and says why. `codes` are labels by id."""
    given = answer.codes if codes or answer.status == "uncoded" else None  # of a closed question its own options
    codings = given and [
        outputs.AnswerCode(id=one, label=codes.get(one, one), quote=said) for one, said in given.items()
    ]
    answered = answer.status in {"answered", "uncoded"} or (answer.status == "declined" and answer.message is not None)
    coded = None if answer.coded is None else outputs.Coding(by=answer.coded["by"], at=iso(answer.coded["at"]))
    said = {name: (getattr(answer, name) or "") if answered else "" for name in ("value", "raw_value", "message")}
    return outputs.PersonaAnswer(
        **said,
        mind_id=answer.mind_id,
        persona=answer.mind_name,
        discipline=answer.discipline,
        image_url=answer.profile_image_url,
        citation_sources=[source_of(citation) for citation in answer.citations or ()],
        answer_provenance=_provenance(answer) if answered else {},
        sentiment=answer.sentiment if answer.status == "answered" else None,
        status=cast("Literal['answered', 'declined', 'uncoded', 'failed', 'timeout']", status(answer, codes)),
        error_code=None if answered else answer.error_code or answer.status.upper(),
        engine=answer.engine,
        coded=coded,
        codes=codings,
        stance=cast("Literal['agrees', 'disagrees', 'neither'] | None", answer.stance),
    )


def status(answer: Answer, codes: Mapping[str, str]) -> str:
    """With a codebook, an answer without codes is uncoded, and one without a view is declined."""
    if not codes or answer.status != "answered":
        return answer.status
    return "uncoded" if answer.codes is None else "declined" if set(answer.codes) == {NO_VIEW} else "answered"


def groups(answers: Sequence[Answer]) -> Iterator[list[Answer]]:
    """The answers of each group that was asked, groups and members in their order."""
    by_group: dict[str, list[Answer]] = {}
    for answer in sorted(answers, key=lambda each: each.position):
        by_group.setdefault(answer.audience_id, []).append(answer)
    yield from by_group.values()


def _audience_output(
    question: Question, answers: Sequence[Answer], labels: Mapping[str, str], codes: Mapping[str, str]
) -> outputs.AudienceOutput:
    states = [status(answer, codes) for answer in answers]
    answered = [answer for answer, state in zip(answers, states, strict=True) if state == "answered"]
    counted = [tuple(_labels(question, one, codes)) if codes else figures.counted(question, one) for one in answered]
    values = [value for value in counted if value is not None]
    if labels:
        values = [tuple(dict.fromkeys(labels[figures.key(label)] for label in value)) for value in values]
    low, high = question.scale or (0, -1)
    numbers = [int(value) for (value,) in values] if question.scale else []
    known = [*map(str, range(low, high + 1)), *dict.fromkeys(question.options)]
    distribution = figures.shares(values, known)
    stats = figures.statistics_of(numbers)
    headline = figures.dominant if question.type == "categorical" else figures.most_frequent
    named = headline(distribution) if stats is None else figures.number(stats.mean)
    return outputs.AudienceOutput(
        audience_id=answers[0].audience_id,
        audience=answers[0].audience_name,
        value=named or (NOTHING_NAMED.get(question.type, "") if values else ""),
        answers=[persona_answer(answer, codes) for answer in answers if answer.status in ENDED],
        n=len(values),
        declined=states.count("declined"),
        uncoded=states.count("answered") + states.count("uncoded") - len(values),
        failed=sum(answer.status in FAILED for answer in answers),
        distribution=distribution,
        stats=stats,
    )


def _provenance(answer: Answer) -> dict[str, Any]:
    known = {
        "origin": answer.origin,
        "unsupported": answer.unsupported,
        "retrievalChunksFound": answer.chunks_found,
        "recordedAt": None if answer.answered_at is None else iso(answer.answered_at),
    }
    return {name: value for name, value in known.items() if value is not None}


def source_of(citation: Mapping[str, Any]) -> dict[str, Any]:
    """A stored passage in the contract's words; what is not known is left out."""
    link, title = citation.get("link"), citation.get("title")
    known = {
        "id": citation.get("id"),
        "displaySource": citation.get("source") or (urlsplit(link).hostname if link else None) or title,
        "rawLink": link,
        "title": title,
        "page": citation.get("page"),
        "snippet": citation.get("snippet"),
        "similarity": citation.get("similarity"),
        "sourceType": "mind_knowledge",
    }
    return {name: value for name, value in known.items() if value is not None}


MOST_ANSWERS = 400
"""Persona answers in one transcript: some hundred kilobytes. Older ones are read message by message (12.7)."""


class Transcript:
    """Built from the newest question to the oldest: the latest have all their answers, older ones only the totals."""

    def __init__(self) -> None:
        self.messages: list[outputs.StudyMessage] = []
        """In the order in which was asked; a question that is not completed has no answer yet."""
        self._left = MOST_ANSWERS

    def add(self, question: Question, answers: Sequence[Answer]) -> None:
        """Add the question that was asked before those that were added already."""
        self._left -= len(answers)
        compact = self._left < 0 and bool(self.messages)
        self.messages[:0] = question_messages(question, answers, compact=compact)


def question_messages(
    question: Question, answers: Sequence[Answer], *, compact: bool = False
) -> Iterator[outputs.StudyMessage]:
    """The user's message shows how far the question is; the assistant's, once it is completed, holds the result.

    `compact` leaves out what each persona said.
    """
    progress = outputs.MessageMetadata(
        question_block_id=question.id,
        client_request_id=question.client_request_id,
        audience_ids=tuple(dict.fromkeys(answer.audience_id for answer in answers)),
        status=cast("Literal['queued', 'running', 'completed', 'failed']", question.status),
        classification=classification(question),
        total=len(answers),
        answered=sum(answer.status == "answered" for answer in answers),
        failed=sum(answer.status in FAILED for answer in answers),
    )
    asked_at, completed_at = iso(question.created_at), iso(question.completed_at or question.created_at)
    yield outputs.StudyMessage(
        id=question.question_message_id, role="user", content=question.text, metadata=progress, created_at=asked_at
    )
    if question.status == "completed":
        output = study_output(question, answers)
        if compact:
            output = with_answers(output, 0)
        result, said = progress.model_copy(update={"output_data": output}), sentence(output)
        yield outputs.StudyMessage(
            id=question.answer_message_id, role="assistant", content=said, metadata=result, created_at=completed_at
        )


def sentence(output: outputs.StudyOutputData) -> str:
    """What every group answered, with how many said so and how many did not answer."""
    said = (
        f"{group.audience}: {group.value if group.n else 'no usable answer'} (n = {group.n}{besides(group)})"
        for group in output.audiences
    )
    return "; ".join(said) + "." if output.audiences else "Nobody was asked."


def besides(group: outputs.AudienceOutput) -> str:
    """What became of the others."""
    others = {"declined": group.declined, "uncoded": group.uncoded, "failed": group.failed}
    return "".join(f", {count} {name}" for name, count in others.items() if count)
