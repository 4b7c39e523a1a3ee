"""A panel and its answers as read from the internal API: what everything else is made from."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from mcp_server.toolsets.panels._aggregation.texts import WORDS

QuestionType = Literal["scale", "categorical", "multiselect", "qualitative"]
ReplyStatus = Literal["answered", "declined", "uncoded", "failed", "timeout", "pending"]
"""`declined`: refused, or has no view; `uncoded`: said something that nobody could read as an answer yet."""
Stance = Literal["agrees", "disagrees", "neither"]
QuestionStatus = Literal["processing", "completed", "failed"]

MUTE: Mapping[str | None, str] = WORDS["mute"]
"""What keeps a persona from answering, to stand after its name, by the status of its training."""


@dataclass(frozen=True, slots=True)
class Member:
    """A persona in a group, as the panel lists it today. `status` is that of its training, where it is told."""

    id: str
    name: str
    discipline: str | None = None
    status: str | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """A group of personas that is attached to the panel."""

    id: str
    name: str
    members: tuple[Member, ...] = ()


def mute(groups: Iterable[Group]) -> tuple[str, ...]:
    """Who cannot answer now, each once, and why."""
    members = {one.id: one for group in groups for one in group.members}.values()
    return tuple(f"{one.name}{MUTE[one.status]}" for one in members if one.status in MUTE)


@dataclass(frozen=True, slots=True)
class Mark:
    """A code that one answer has, with the words that show it: an exact part of the answer, or nothing."""

    id: str
    label: str
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """What one persona, asked as a member of one group, answered. All texts are as they came.

    Attributes:
        persona_id: None where the internal API gives names only and the name is not unique in the group.
        value: the short answer: a number, an option, several options, or theme labels; None without one.
        raw: what came as the value, where the answer counts as another text, such as `8` of "8/10".
        message: the whole answer in the persona's words.
        sentiment: -1 (against) to 1 (in favour); None where the engine gives none.
        origin: what the answer stands on, by the contract's word, such as `mind_knowledge`.
        sources: titles of what it stands on.
        error: why there is no answer: a stable word, or what is wrong with the language model.
        coded: who gave the answer its value by hand, and when; None where nobody did.
        codes: what it says by the question's codebook; None where it is not coded.
        stance: towards what the question takes for granted: agrees, disagrees or neither.

    """

    persona: str
    group: str
    persona_id: str | None = None
    group_id: str | None = None
    discipline: str | None = None
    status: ReplyStatus = "answered"
    value: str | None = None
    raw: str | None = None
    message: str = ""
    sentiment: float | None = None
    origin: str | None = None
    sources: tuple[str, ...] = ()
    error: str | None = None
    coded: str | None = None
    codes: tuple[Mark, ...] | None = None
    stance: Stance | None = None

    @property
    def themes(self) -> list[str]:
        return [mark.label for mark in self.codes or ()]


OTHER, NO_VIEW = "other", "no_view"
"""Codes of what fits no theme, and of who has no view, by their ids."""


@dataclass(frozen=True, slots=True)
class Code:
    """A theme that the internal API merged itself (its `categoryCodebook`); it has an id where answers are coded."""

    label: str
    original_labels: tuple[str, ...]
    id: str | None = None


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """One question of a panel with every reply there is so far.

    Attributes:
        scale: lowest and highest point, both included; None unless `type` is scale.
        options: as they were offered; empty where they are not known. `most` of them may be chosen, if that is limited.
        groups: names of the groups that were asked, in order. They may be others than the panel's groups of today.
        replies: in no particular order; a member without a reply yet has one with the status `pending`.
        engine: what wrote the answers, where that is known; `calls` to a language model and their `tokens`, likewise.
        coded_by: what coded the answers, `model` or `embeddings`; None where themes are the answers' own labels.
        revisions: what was changed in the codes by hand, oldest first.

    """

    id: str
    text: str
    type: QuestionType
    scale: tuple[int, int] | None = None
    options: tuple[str, ...] = ()
    most: int | None = None
    groups: tuple[str, ...] = ()
    replies: tuple[Reply, ...] = ()
    codebook: tuple[Code, ...] = ()
    status: QuestionStatus = "completed"
    asked_at: str | None = None
    engine: str | None = None
    calls: int | None = None
    tokens: int | None = None
    coded_by: str | None = None
    revisions: tuple[str, ...] = ()
    coding_failure: str | None = None  # what was wrong with the language model that did not code them
    notes: tuple[str, ...] = ()  # what readers must know, such as that answers may be missing


@dataclass(frozen=True, slots=True)
class Study:
    """A panel with its groups of today. `questions` is None where their number is not known."""

    id: str
    name: str
    groups: tuple[Group, ...] = ()
    updated_at: str | None = None
    questions: int | None = None
