"""What is said to a mind, and its answer with what that stands on."""

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from app.internal_api.models.asking import Sampled
from app.internal_api.models.wire import PLAIN, PROSE, RequestModel, ResponseModel, Time, trimmed

Language = Literal["en", "es", "fr", "de", "zh", "tr", "ar", "ja", "ko"]
Content = Annotated[str, trimmed(0, 100_000), PROSE]


class Part(RequestModel):
    """A part of a message; only text is understood here."""

    type: Literal["text"]
    text: Content


class Message(RequestModel):
    role: Literal["user", "assistant", "tool", "system"]
    content: Content | list[Part] = ""
    metadata: Annotated[dict[str, Any], Field(default_factory=dict)]

    @property
    def text(self) -> str:
        """What was said, whichever way it was written."""
        if isinstance(self.content, str):
            return self.content
        return "\n".join(part.text for part in self.content)


class ResponseFormat(RequestModel):
    type: str


class CompletionRequest(RequestModel):
    """The body of a completion; no messages means that the mind should greet."""

    messages: Annotated[tuple[Message, ...], Field(max_length=200)] = ()
    response_mode: Literal["sync", "stream"] = "sync"
    language: Language | None = None
    end_user_name: Annotated[str, trimmed(0, 120), PLAIN] | None = None
    source_policy: Literal["auto", "knowledge_only", "request_only"] | None = None
    citation_markers: Literal["inline", "none"] = "inline"
    response_format: Annotated[ResponseFormat | None, Field(alias="response_format")] = None
    tools: tuple[Any, ...] = ()
    sampled: Sampled | None = None

    @model_validator(mode="after")
    def _what_this_api_can_do(self) -> Self:
        if self.messages and (self.messages[-1].role != "user" or not self.messages[-1].text):
            message = "messages: the last message must be a user message with text"
        elif self.response_format and self.response_format.type != "text":
            message = "response_format: only text is supported here"
        elif self.tools:
            message = "tools: tool calls are not supported here"
        elif any(said.metadata.get("attachedFiles") for said in self.messages):
            message = "metadata.attachedFiles: add files as knowledge instead"
        else:
            return self
        raise ValueError(message)


class RagCitation(ResponseModel):
    """A passage that an answer rests on; `page` is an addition of this API."""

    id: str
    display_source: str
    raw_link: str | None = None
    title: str | None
    page: int | None = None
    snippet: str
    similarity: float
    source_type: Literal["mind_knowledge", "web", "link", "document"]


class KnowledgeRetrieval(ResponseModel):
    status: Literal["grounded", "fallback"]
    retrieval_attempted: bool
    chunks_found: int
    source_count: int
    sources: list[str]


class AnswerProvenance(ResponseModel):
    """What the answer stands on, and who checked that."""

    origin: str
    source_policy: str
    retrieval_attempted: bool
    retrieval_chunks_found: int
    evidence_source_types: list[str]
    fallback_status: str
    unsupported: bool
    recorded_at: Time
    verifier: str


class CompletionMetadata(ResponseModel):
    rag_citations: list[RagCitation]
    images: list[Any] = Field(default_factory=list)
    document_analysis: None = None
    source_policy: str
    knowledge_retrieval: KnowledgeRetrieval
    answer_provenance: AnswerProvenance
    engine: str


class Completion(ResponseModel):
    """`content` may hold `[[CITE:n]]`, where n counts from 0 into `metadata.ragCitations`."""

    message_id: str
    content: str
    metadata: CompletionMetadata
