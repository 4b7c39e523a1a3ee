"""What a question of a study comes to: the result of an ask, and the messages of a study that hold it."""

from typing import Any, Literal

from pydantic import Field

from app.internal_api.models.wire import Id, ResponseModel, Time, absent

QuestionType = Literal["scale", "categorical", "multiselect", "qualitative"]


class Classification(ResponseModel):
    """How the question was understood. An addition of this API is `most`: how many options may be chosen."""

    type: QuestionType
    scale_range: list[int] | None = Field(default=None, exclude_if=absent)
    options: list[str] | None = Field(default=None, exclude_if=absent)
    most: int | None = Field(default=None, exclude_if=absent)


class Category(ResponseModel):
    """A theme, and the labels that were merged into it. Id and definition are additions of this API, of codes."""

    label: str
    original_labels: list[str]
    count: int
    id: str | None = Field(default=None, exclude_if=absent)
    definition: str | None = Field(default=None, exclude_if=absent)


class AnswerCode(ResponseModel):
    """A code of one answer, with the words that show it."""

    id: str
    label: str
    quote: str


class CodebookChange(ResponseModel):
    """A revision: when, by which account, and what."""

    at: Time
    by: Id
    what: str


class ThemeOutput(ResponseModel):
    """A theme with the number of answers that name it, in all and in each group, and one of them word for word."""

    label: str
    count: int
    by_audience: dict[str, int]
    quote: str


class Coding(ResponseModel):
    """Who coded an answer by hand, and when."""

    by: str
    at: Time


class PersonaAnswer(ResponseModel):
    """One persona's answer; the status, the mind's id, the sentiment, the engine and `coded` are additions of this API.

    `declined`: it refused, or had nothing to answer from; `uncoded`: its words are there, and no value yet. The
    `codes` of one to a closed question are options that its words may mean.
    """

    mind_id: Id
    persona: str
    discipline: str | None
    value: str
    raw_value: str
    message: str
    image_url: str | None
    citation_sources: list[dict[str, Any]]
    answer_provenance: dict[str, Any]
    sentiment: float | None
    status: Literal["answered", "declined", "uncoded", "failed", "timeout"]
    error_code: str | None
    engine: str | None
    coded: Coding | None = Field(default=None, exclude_if=absent)
    codes: list[AnswerCode] | None = Field(default=None, exclude_if=absent)
    stance: Literal["agrees", "disagrees", "neither"] | None = Field(default=None, exclude_if=absent)


class Share(ResponseModel):
    value: str
    count: int
    share: float


class Statistics(ResponseModel):
    mean: float
    median: float
    sd: float | None
    min: float
    max: float


class AudienceOutput(ResponseModel):
    """One group's answers. `value` is the mean, the dominant option, or the theme labels."""

    audience_id: Id
    audience: str
    value: str
    answers: list[PersonaAnswer]
    n: int
    declined: int
    uncoded: int
    failed: int
    distribution: list[Share]
    stats: Statistics | None


class StudyOutputData(ResponseModel):
    """The result of a question: per group and per persona."""

    title: str
    type: QuestionType
    classification: Classification
    category_codebook: list[Category]
    audiences: list[AudienceOutput]
    themes: list[ThemeOutput]
    codebook_method: Literal["model", "embeddings"] | None = Field(
        default=None, exclude_if=absent, description="Who coded the answers; absent where themes are their own labels."
    )
    codebook_changes: list[CodebookChange] | None = Field(default=None, exclude_if=absent)
    coding_failure: dict[str, str | None] | None = Field(
        default=None, exclude_if=absent, description="Why no language model coded the answers: `reason` and `llmHost`."
    )
    asked_at: Time
    engine: str | None
    usage: dict[str, int] | None = Field(
        default=None, exclude_if=absent, description="`calls` to the language model and `tokens`, since its last start."
    )


class MessageMetadata(ResponseModel):
    """`audience_ids` names who was asked; `output_data` is only on the assistant's message."""

    question_block_id: Id
    client_request_id: str | None
    audience_ids: tuple[Id, ...]
    status: Literal["queued", "running", "completed", "failed"]
    classification: Classification
    total: int
    answered: int
    failed: int
    output_data: StudyOutputData | None = Field(default=None, exclude_if=absent)


class StudyMessage(ResponseModel):
    id: Id
    role: Literal["user", "assistant"]
    content: str
    metadata: MessageMetadata
    created_at: Time


class MessageAnswers(ResponseModel):
    """The full answers of one message."""

    message_id: Id
    output_data: StudyOutputData
