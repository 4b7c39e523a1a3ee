"""What the answers to one question amount to: figures, themes, differences, caveats."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field, WithJsonSchema

from mcp_server.toolkit.answers import Answer
from mcp_server.toolsets.panels._study import AskedQuestion, QuestionStatus, QuestionType, ReplyStatus


class Interval(Answer):
    """A 95 % confidence interval."""

    low: float
    high: float
    method: Annotated[str, Field(description="How it was computed, such as `Wilson score`.")]


class Count(Answer):
    """How often one value was given."""

    value: str
    count: int
    share: Annotated[float, Field(description="0 to 1: `count` of the usable answers.")]
    interval: Annotated[Interval | None, Field(description="Of the share.")]


class ScaleFacts(Answer):
    """The figures of a scale question. Rounded for display only, never here."""

    mean: float
    median: float
    sd: Annotated[float | None, Field(description="Sample standard deviation (n - 1); null below two answers.")]
    lowest: float
    highest: float
    interval: Annotated[Interval | None, Field(description="Of the mean; null where all answers are the same.")]


class Summary(Answer):
    """The answers of one group, or of everyone."""

    group: Annotated[str | None, Field(description="Null: everyone, each persona once.")]
    group_id: str | None
    members: Annotated[int, Field(description="Personas that were asked: the next five add up to it.")]
    n: Annotated[int, Field(description="Usable answers: those that the figures stand on.")]
    declined: Annotated[int, Field(description="Refused, or had no view.")]
    uncoded: Annotated[int, Field(description="Gave words that nobody could read yet.")]
    failed: Annotated[int, Field(description="Gave no answer: an error, or too slow.")]
    pending: Annotated[int, Field(description="Still answering.")]
    value: Annotated[str | None, Field(description="The headline; null without a usable answer.")]
    scale: ScaleFacts | None
    counts: Annotated[list[Count], Field(description="The whole distribution, also of what nobody chose.")]
    sentiment: Annotated[float | None, Field(description="Mean of what the internal API told, -1 to 1.")]


class Quote(Answer):
    """A persona's own words: an exact part of its answer."""

    persona: str
    group: str
    text: str


class ThemeCount(Answer):
    """How many of a group speak of a theme."""

    group: str
    count: int
    n: int


class Theme(Answer):
    """What several answers have in common."""

    label: str
    original_labels: list[str]
    count: Annotated[int, Field(description="Personas that speak of it.")]
    share: float
    by_group: list[ThemeCount]
    quote: Quote | None


class Difference(Answer):
    """Two groups beside each other."""

    first: str
    second: str
    measure: Annotated[str, Field(description="`mean`, or the option or theme whose share is compared.")]
    difference: Annotated[float, Field(description="First minus second: scale points, or share from -1 to 1.")]
    interval: Interval | None
    clear: Annotated[bool, Field(description="Leaves zero out, also after Holm's correction for all pairs.")]


class Voice(Answer):
    """Somebody who sees it otherwise than most."""

    persona: str
    group: str
    value: str
    quote: Annotated[str | None, Field(description="An exact part of the answer.")]
    reason: Annotated[str, Field(description="What it differs from.")]


class Caveat(Answer):
    """What must be said beside the figures."""

    code: str
    message: str


class Individual(Answer):
    """One persona's answer."""

    persona_id: str | None
    persona: str
    discipline: str | None
    group: str
    status: ReplyStatus
    value: str | None
    message: str
    sentiment: float | None
    origin: str | None
    sources: list[str]
    coded: Annotated[str | None, Field(description="Who coded it by hand, when.")]
    themes: Annotated[list[str], Field(description="Its codes; empty where answers are not coded.")]


IN_SHORT = WithJsonSchema({"type": ["object", "null"]})
"""Without the fields: schemas stand in every list of tools, and hardly any call has such a part."""


class WeightedShare(Answer):
    """The weighted share of one option or theme."""

    value: str
    share: float


class Weighted(Answer):
    """Figures of everyone, in which each value of an attribute has its target share."""

    attribute: str
    targets: Annotated[dict[str, float], Field(description="The share that each value is to have.")]
    missing: Annotated[list[str], Field(description="Values from which nobody answered.")]
    n: int
    left_out: Annotated[int, Field(description="Usable answers of personas without a target.")]
    effective_n: Annotated[float | None, Field(description="Kish's; null below two answers.")]
    mean: float | None
    shares: list[WeightedShare]


class Shift(Answer):
    """A figure before and now, of those who answered both times."""

    measure: Annotated[str, Field(description="`mean`, or the option whose share it is.")]
    before: float
    after: float
    difference: float
    interval: Annotated[Interval | None, Field(description="Of the paired difference.")]


class GroupChange(Answer):
    """How many of a group answered otherwise than before."""

    group: str
    n: int
    moved: int
    shift: Annotated[Shift | None, Field(description="Of the mean of a rating; null below two answers.")] = None


class Change(Answer):
    """One asking beside an earlier one."""

    earlier_question_id: str
    earlier_asked_at: str | None
    n: Annotated[int, Field(description="Personas with a usable answer both times.")]
    moved: Annotated[int, Field(description="Those of them who answered otherwise.")]
    share_moved: float | None
    interval: Annotated[Interval | None, Field(description="Of `shareMoved`.")]
    repeatability: Annotated[float | None, Field(description="1 - `shareMoved`.")]
    shifts: list[Shift]
    by_group: list[GroupChange]


class QuestionFigures(Answer):
    """A question and what its answers amount to, without the answers."""

    question_id: str
    question: str
    type: QuestionType
    scale_range: Annotated[list[int] | None, Field(description="Lowest and highest point.")]
    options: list[str]
    status: QuestionStatus
    asked_at: str | None
    engine: Annotated[str | None, Field(description="What wrote the answers.")]
    calls: Annotated[int | None, Field(description="To the language model; null where it is not told.")] = None
    tokens: int | None = None
    overall: Summary
    groups: list[Summary]
    themes: Annotated[list[Theme], Field(description="Of qualitative questions, most frequent first.")]
    differences: list[Difference]
    agreements: list[str]
    disagreements: list[str]
    dissent: list[Voice]
    quotes: Annotated[list[Quote], Field(description="The strongest voices, at most one for a persona.")]
    caveats: list[Caveat]
    by: Annotated[list[str], Field(default_factory=list)]  # attributes whose values make the groups
    weighted: Annotated[Weighted | None, IN_SHORT] = None
    change: Annotated[Change | None, IN_SHORT] = None


class Estimate(Answer):
    """What a study takes, roughly, before it is asked."""

    questions: int
    personas: int
    answers: Annotated[int, Field(description="Of all questions together.")]
    model_calls: Annotated[int, Field(description="One an answer, and one for the themes of an open question.")]
    tokens: Annotated[int, Field(description="About 1,400 an answer. Without a language model, none.")]
    seconds: int
    measured: Annotated[bool, Field(description="By the last question that was asked here, not by experience.")]
    mute: Annotated[int, Field(description="Personas who cannot answer yet.")]


class QuestionResult(QuestionFigures):
    """A question, what its answers amount to, and the first of the answers."""

    answers: Annotated[list[Individual], Field(description="At most the first of them; exports hold all.")]
    answers_omitted: int


@dataclass(frozen=True, slots=True)
class Section:
    """A question and what its answers amount to. `result.answers` may be cut, `asked.replies` never is."""

    asked: AskedQuestion
    result: QuestionResult
