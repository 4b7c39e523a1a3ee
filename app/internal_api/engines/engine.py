"""What persona engines take and give: personas, turns, survey questions, and answers with what they stand on."""

from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field

from app.internal_api.knowledge.documents import Passage

KNOWLEDGE_ONLY = "knowledge_only"
"""The source policy of a persona that may answer from its knowledge alone."""
NOTHING_CHOSEN = "None"
"""The value of a multiselect answer that chooses none of the options, which is an answer like any other."""
SEPARATOR = "; "
"""Between the options or labels of one value."""


@dataclass(slots=True)
class Usage:
    """Calls to a language model, also those that failed, and the tokens of those whose answer told them."""

    calls: int = 0
    tokens: int = 0


current_usage: ContextVar[Usage | None] = ContextVar("llm_usage", default=None)
"""What the question that is worked on has cost so far."""


@dataclass(eq=False)
class EngineUnavailable(Exception):
    """The engine could not answer; `retryable` tells whether the same call may succeed later.

    `retry_after` is the number of seconds to wait, where that is known. `kind` is a stable word for the log, and
    `status` what the endpoint answered, where it did. `host` is that endpoint's; None where it is not at fault.
    """

    message: str
    retryable: bool = field(default=True, kw_only=True)
    retry_after: int | None = field(default=None, kw_only=True)
    kind: str = field(default="unavailable", kw_only=True)
    status: int | None = field(default=None, kw_only=True)
    host: str | None = field(default=None, kw_only=True)

    @property
    def code(self) -> str:
        """A stable word for clients: of an endpoint's fault `llm_` and its kind, with the status where it answered."""
        word = self.kind if self.host is None else f"llm_{self.kind}"
        return word if self.status is None else f"{word}_{self.status}"

    @property
    def told(self) -> dict[str, str | None]:
        """As it is stored with what it left undone."""
        return {"reason": self.code, "llmHost": self.host}


UNASKED = "unasked"  # the kind of an endpoint that nobody has asked yet
ABSTENTIONS = frozenset({"unsupported", "unstated"})
"""Kinds of EngineUnavailable that are no outage: the knowledge does not speak of it, or states no answer."""


def abstention(*, is_known: bool = False) -> EngineUnavailable:
    """What a persona raises that has no knowledge to answer from, or whose knowledge speaks of it and has no answer."""
    if is_known:
        return EngineUnavailable("The persona's knowledge states no answer.", retryable=False, kind="unstated")
    return EngineUnavailable("No answer was found in the persona's knowledge.", retryable=False, kind="unsupported")


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation; `role` is user, assistant, system or tool."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Profile:
    """What training makes of the owner's few words."""

    discipline: str
    description: str
    traits: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a persona said, and what it stands on.

    `content` may hold `[[CITE:n]]`, where n counts from 0 into `citations`.
    """

    content: str
    citations: tuple[Passage, ...]
    origin: str
    engine: str
    chunks_found: int
    retrieval_attempted: bool = True

    @property
    def unsupported(self) -> bool:
        """Whether the knowledge does not cover the question; citations then only come close to it."""
        return self.origin == "unsupported"

    @property
    def fallback_status(self) -> str:
        return "grounded" if self.citations and not self.unsupported else "fallback"


@dataclass(frozen=True, slots=True)
class SurveyQuestion:
    """A question that is put to many personas alike, as it was understood."""

    text: str
    type: str  # scale, categorical, multiselect or qualitative
    scale: tuple[int, int] | None = None  # lowest and highest point, both included; None unless `type` is scale
    options: tuple[str, ...] = ()  # what may be chosen; empty unless `type` is categorical or multiselect
    most: int | None = None  # how many options may be chosen at most; None for as many as there are
    response_form: str = "standard"  # concise, standard or expanded: how long a qualitative answer is
    context: str = ""  # text of what was attached to the question; the same for everyone
    earlier: tuple[Turn, ...] = ()  # the persona's own earlier turns in this study, when the question builds on them


@dataclass(frozen=True, slots=True)
class SurveyAnswer:
    """What a persona answered to a survey question: the reason first, the value after it.

    `value` is a whole number on the scale as text; an option, word for word; several options, or NOTHING_CHOSEN; for a
    qualitative question up to three short theme labels. What are several is joined by SEPARATOR. A closed question's
    answer without a value was not written as it was asked for; `raw_value` has its words.
    """

    value: str
    raw_value: str  # as the engine wrote it
    message: str  # in the persona's own words, without citation marks
    citations: tuple[Passage, ...]  # what the answer stands on
    origin: str
    engine: str
    chunks_found: int
    declined: bool = False  # it says that there is no answer to give
    meant: Mapping[str, str] = field(default_factory=dict)  # options that words of it mean, each with these words
