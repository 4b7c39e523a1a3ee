"""The words of the persona engine: who speaks, what was said, what comes back, and the interface itself."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from app.internal_api.knowledge.documents import Passage


class EngineUnavailable(Exception):
    """The engine could not answer; `retryable` tells whether the same call may succeed later.

    `retry_after` is the number of seconds to wait, where that is known. `kind` is a stable word for the log, and
    `status` what the endpoint answered, where it did.
    """

    def __init__(
        self,
        message: str,
        *,
        retryable: bool,
        retry_after: int | None = None,
        kind: str = "unavailable",
        status: int | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.status = status
        self.retryable = retryable
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True)
class Persona:
    """The persona as the engine sees it; `system_prompt` is None until training has written it."""

    id: str
    name: str
    description: str
    discipline: str | None
    type: str
    tags: tuple[str, ...]
    system_prompt: str | None
    source_policy: str


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
    fallback_status: str
    unsupported: bool
    engine: str
    chunks_found: int
    retrieval_attempted: bool


class PersonaEngine(Protocol):
    """Turns a persona, a conversation and passages into an answer."""

    name: str

    async def answer(
        self,
        persona: Persona,
        turns: Sequence[Turn],
        passages: Sequence[Passage],
        *,
        language: str | None = None,
    ) -> Answer:
        """Answer the last turn; no turns means a greeting. Raises EngineUnavailable."""
        ...

    async def profile(self, persona: Persona, keywords: Sequence[str], context: str) -> Profile:
        """Say who the persona is. Raises EngineUnavailable."""
        ...

    async def prompt(self, persona: Persona, profile: Profile, outline: Sequence[str]) -> str:
        """Write the system prompt; `outline` holds what the knowledge is about. Raises EngineUnavailable."""
        ...
