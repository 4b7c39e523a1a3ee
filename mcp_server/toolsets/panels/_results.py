"""What the answers to one question amount to: figures, themes, differences, caveats; cut to what a host takes whole."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from mcp_server.toolkit.answers import Answer
from mcp_server.toolsets.panels._study import QuestionStatus, QuestionType, ReplyStatus

LARGEST = 100_000
"""Characters of the questions in one structured result: hosts cut results at some 150,000."""

ALL, FOREMOST = 10_000, 8
"""Of a group's options or points that anybody gave, where there is no room for all."""

LONGEST_MESSAGES, LONGEST_QUESTION = (1_000, 300), 1_000
ROOM_FOR_NUMBERS = 10
"""Characters by which `answers_omitted` may grow."""


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
    members: Annotated[int, Field(description="Personas that were asked.")]
    n: Annotated[int, Field(description="Usable answers: those that the figures stand on.")]
    failed: Annotated[int, Field(description="Gave no answer: an error, or too slow.")]
    pending: Annotated[int, Field(description="Still answering.")]
    unclear: Annotated[int, Field(description="Answered, but with nothing that this kind of question can count.")]
    value: Annotated[str | None, Field(description="The headline; null without a usable answer.")]
    scale: ScaleFacts | None
    counts: Annotated[
        list[Count],
        Field(description="The whole distribution, also of what nobody chose."),
    ]
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
    clear: Annotated[
        bool,
        Field(description="Leaves zero out, also after Holm's correction for all pairs."),
    ]


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
    overall: Summary
    groups: list[Summary]
    themes: Annotated[list[Theme], Field(description="Of qualitative questions, most frequent first.")]
    differences: list[Difference]
    agreements: list[str]
    disagreements: list[str]
    dissent: list[Voice]
    quotes: Annotated[list[Quote], Field(description="The strongest voices, at most one for a persona.")]
    caveats: list[Caveat]


class QuestionResult(QuestionFigures):
    """A question, what its answers amount to, and the first of the answers."""

    answers: Annotated[list[Individual], Field(description="At most the first of them; exports hold all.")]
    answers_omitted: int


SHORTENED = Caveat(
    code="shortened",
    message="This result is shortened to fit; the figures are of all answers, and export_panel has all of them whole.",
)


def truncate(result: QuestionResult, most: int = LARGEST) -> QuestionResult:
    """`result` in at most `most` characters of JSON, as far as that goes without leaving figures of everyone out.

    Long messages give way first, then what nobody in a group gave, the last answers, the groups' lesser counts, and
    the intervals of the whole with a long question.
    """
    if _size(result) <= most:
        return result
    result = result.model_copy(update={"caveats": [*result.caveats, SHORTENED]})
    for longest in LONGEST_MESSAGES:
        if _size(result) > most:
            answers = [one.model_copy(update={"message": cut(one.message, longest)}) for one in result.answers]
            result = result.model_copy(update={"answers": answers})
    if _size(result) > most:
        result = _with_counts(result, ALL)
    if (over := _size(result) - most + ROOM_FOR_NUMBERS) > 0:
        result = _with_fewer_answers(result, over)
    if _size(result) > most:
        result = _with_counts(result, FOREMOST)
    if _size(result) > most:
        overall = result.overall.model_copy(update={"counts": _bare(result.overall.counts)})
        result = result.model_copy(update={"overall": overall, "question": cut(result.question, LONGEST_QUESTION)})
    return result


def truncate_all(results: Sequence[QuestionResult], most: int = LARGEST) -> list[QuestionResult]:
    """The first of `results`, each with its part of the room, as many as fit; always one."""
    shown: list[QuestionResult] = []
    room = most
    for result in (truncate(each, most // len(results)) for each in results):
        room -= _size(result)
        if shown and room < 0:
            break
        shown.append(result)
    return shown


def _size(result: QuestionResult) -> int:
    return len(result.model_dump_json(by_alias=True))


def _with_fewer_answers(result: QuestionResult, over: int) -> QuestionResult:
    """Without so many of the last answers that `over` characters are saved, or without any."""
    kept = list(result.answers)
    while kept and over > 0:
        over -= len(kept.pop().model_dump_json(by_alias=True)) + 1
    omitted = result.answers_omitted + len(result.answers) - len(kept)
    return result.model_copy(update={"answers": kept, "answers_omitted": omitted})


def _with_counts(result: QuestionResult, most: int) -> QuestionResult:
    """With the most frequent counts of each group only, in their order."""

    def summary(group: Summary) -> Summary:
        ranked = sorted(range(len(group.counts)), key=lambda place: -group.counts[place].count)
        kept = [group.counts[place] for place in sorted(ranked[:most])]
        return group.model_copy(update={"counts": _bare(kept)})

    return result.model_copy(update={"groups": [summary(group) for group in result.groups]})


def _bare(counts: Sequence[Count]) -> list[Count]:
    """What somebody gave, without intervals. The bars of the overall result are drawn from its counts."""
    return [count.model_copy(update={"interval": None}) for count in counts if count.count]


def cut(text: str, longest: int) -> str:
    """`text` in at most `longest` characters."""
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"
