"""A question to a study as it is asked, and the receipt for one that waits."""

from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BeforeValidator, Field, SkipValidation, model_validator

from app.internal_api.models.outputs import QuestionType
from app.internal_api.models.wire import PLAIN, PROSE, Id, Link, RequestModel, ResponseModel, Uuid, trimmed

MAX_QUESTION = 10_000
MAX_SOURCES = 5  # attachments, and links, and keywords, each
MAX_PROMPTS = 200
MAX_OPTIONS = 200  # taken in; how many make sense is for the classifier to say
Label = Annotated[str, trimmed(0, 200), PLAIN]


class Attachment(RequestModel):
    """A document on the web that everybody is given to read."""

    url: Link | None = None
    path: Any = None
    label: Label = Field("", alias="name")
    type: Label = ""

    @model_validator(mode="after")
    def _has_an_address(self) -> Self:
        if self.path is not None:
            raise ValueError("path is not supported here; give a url that can be fetched")
        if self.url is None:
            raise ValueError("url is required")
        return self


class Reference(RequestModel):
    """A link or a keyword; where it has an address, what is there is read."""

    label: Label = ""
    url: Link | None = None
    id: Any = None
    type: ClassVar[str] = ""  # not said: what is there tells it


class LinkReference(Reference):
    url: Link


class KeywordReference(Reference):
    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.url is None and not self.label:
            raise ValueError("give a label or a url")
        return self


class AnswersQuery(RequestModel):
    """Whether all answers of a question are wanted, or the first few of each group."""

    scope: Literal["full", "preview"] = "full"


class CodeAnswer(RequestModel):
    """The value that a person gives to an answer by hand; null takes it back."""

    mind_id: Uuid
    value: Annotated[str, PROSE, trimmed(1, 1_000)] | None = None


class GivenClassification(RequestModel):
    """How the question is to be taken; what is left out is read from its wording."""

    type: QuestionType | None = None
    scale_range: Annotated[tuple[float, ...], Field(max_length=MAX_OPTIONS)] | None = None
    # An answer is stored without control characters, and then it would be none of the options.
    options: Annotated[tuple[Annotated[str, PROSE], ...], Field(max_length=MAX_OPTIONS)] = ()
    most: int | None = None


def _named(field: str) -> BeforeValidator:
    """Plain text in the place of an object is its `field`."""
    return BeforeValidator(lambda value: {field: value} if isinstance(value, str) else value)


class Sampled(RequestModel):
    """What a language model of the caller's replied, by the ids of the prompts."""

    model: Annotated[str, trimmed(1, 100), PLAIN]
    replies: Annotated[dict[str, Annotated[str, PROSE, trimmed(0, 20_000)]], Field(max_length=MAX_PROMPTS)]


class Prompt(ResponseModel):
    id: str
    messages: list[dict[str, str]]


class Prompts(ResponseModel):
    """What a language model of the caller's may be asked; none where this API has one, or needs none."""

    prompts: list[Prompt]


class AskStudy(RequestModel):
    """The body of an ask. `model` and `provider` choose nothing here: the engine is the installation's."""

    question: Annotated[str, trimmed(1, MAX_QUESTION), PROSE]
    audience_ids: Annotated[tuple[Uuid, ...], Field(min_length=1)] | None = None
    attachments: Annotated[tuple[Attachment, ...], Field(max_length=MAX_SOURCES)] = ()
    links: Annotated[tuple[Annotated[LinkReference, _named("url")], ...], Field(max_length=MAX_SOURCES)] = ()
    keywords: Annotated[tuple[Annotated[KeywordReference, _named("label")], ...], Field(max_length=MAX_SOURCES)] = ()
    model: Any = None
    provider: Any = None
    disable_question_classifier: bool = False
    response_mode: Literal["stream", "queued"] = "stream"
    response_form: Literal["concise", "standard", "expanded"] = "standard"
    history_mode: Literal["none", "last5", "followup_only"] = "none"
    source_policy: Literal["auto", "knowledge_only"] | None = None
    client_request_id: Uuid | None = None
    sampled: Sampled | None = None
    # An addition of this API: an earlier question, whose answer each mind is reminded of.
    follow_up_of: Uuid | None = None
    # Looked at by itself, because its faults have a code of their own.
    classification: SkipValidation[GivenClassification | None] = None

    @model_validator(mode="after")
    def _names_a_model_whole(self) -> Self:
        if (self.model is None) != (self.provider is None):
            raise ValueError("model and provider must be given together")
        return self


class PlannedAsk(AskStudy):
    """An ask that is not made yet, of all or of some."""

    mind_ids: Annotated[tuple[Uuid, ...], Field(max_length=10_000)] = ()


class FollowUp(PlannedAsk):
    """An ask of some of the minds in a study; an addition of this API."""

    mind_ids: Annotated[tuple[Uuid, ...], Field(min_length=1, max_length=10_000)]


class QueuedAsk(ResponseModel):
    """The receipt for a question that is worked on while nobody listens."""

    status: Literal["queued"] = "queued"
    job_id: Id
    count: int
    question_block_id: Id
    question_audience_id: Id = Field(description="an older name of questionBlockId")
    client_request_id: str | None
    queued_message: Literal[True] = True
