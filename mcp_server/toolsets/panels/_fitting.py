"""Results that a host takes whole: what is too long is shortened where it matters least, and says so. Pure."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from mcp_server.toolsets.panels._results import Caveat, Count, QuestionResult, Summary

LARGEST = 100_000
"""Characters of the questions in one structured result: hosts cut results at some 150,000."""

FOREMOST = 8
"""Of a group's options or points, where there is no room for all."""

SHORTENED = Caveat(
    code="shortened",
    message="This result is shortened to fit; the figures are of all answers, and export_panel has all of them whole.",
)

Step = Callable[[QuestionResult], QuestionResult]


def fitted(result: QuestionResult, most: int = LARGEST) -> QuestionResult:
    """`result` in at most `most` characters of JSON, as far as that goes without leaving figures out."""
    if _size(result) <= most:
        return result
    shorter = result.model_copy(update={"caveats": [*result.caveats, SHORTENED]})
    for step in _steps():
        shorter = step(shorter)
        if _size(shorter) <= most:
            break
    return shorter


def fitting(results: Sequence[QuestionResult], most: int = LARGEST) -> list[QuestionResult]:
    """The first of `results`, each with its part of the room, as many as fit; always one."""
    shown: list[QuestionResult] = []
    room = most
    for result in (fitted(each, most // len(results)) for each in results):
        room -= _size(result)
        if shown and room < 0:
            break
        shown.append(result)
    return shown


def _steps() -> Iterator[Step]:
    """What is given up, in this order."""
    yield partial(_messages, longest=1_000)
    yield partial(_groups, counts=_chosen)
    yield partial(_messages, longest=300)
    yield partial(_answers, most=20)
    yield partial(_groups, counts=_foremost)
    yield partial(_answers, most=0)
    yield partial(_groups, counts=_bare)
    yield _overall
    yield _question


def _size(result: QuestionResult) -> int:
    return len(result.model_dump_json(by_alias=True))


def _messages(result: QuestionResult, longest: int) -> QuestionResult:
    shown = [one.model_copy(update={"message": cut(one.message, longest)}) for one in result.answers]
    return result.model_copy(update={"answers": shown})


def _answers(result: QuestionResult, most: int) -> QuestionResult:
    omitted = result.answers_omitted + max(0, len(result.answers) - most)
    return result.model_copy(update={"answers": result.answers[:most], "answers_omitted": omitted})


def _groups(result: QuestionResult, counts: Callable[[Sequence[Count]], list[Count]]) -> QuestionResult:
    def summary(one: Summary) -> Summary:
        return one.model_copy(update={"counts": counts(one.counts)})

    return result.model_copy(update={"groups": [summary(group) for group in result.groups]})


def _overall(result: QuestionResult) -> QuestionResult:
    """What everyone gave stays whole, since the bars are drawn from it; but not what nobody gave, and no intervals."""
    counts = _bare(_chosen(result.overall.counts))
    return result.model_copy(update={"overall": result.overall.model_copy(update={"counts": counts})})


def _bare(counts: Sequence[Count]) -> list[Count]:
    return [count.model_copy(update={"interval": None}) for count in counts]


def _chosen(counts: Sequence[Count]) -> list[Count]:
    return [count for count in counts if count.count]


def _foremost(counts: Sequence[Count]) -> list[Count]:
    kept = sorted(range(len(counts)), key=lambda place: -counts[place].count)[:FOREMOST]
    return [counts[place] for place in sorted(kept) if counts[place].count]


def _question(result: QuestionResult) -> QuestionResult:
    return result.model_copy(update={"question": cut(result.question, 1_000)})


def cut(text: str, longest: int) -> str:
    """`text` in at most `longest` characters."""
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"
