"""Cuts results to what a host takes whole; the figures stay, and a caveat says that something is missing. Pure."""

from collections.abc import Sequence

from mcp_server.toolsets.panels._results import Caveat, Count, QuestionResult, Summary

LARGEST = 100_000
"""Characters of the questions in one structured result: hosts cut results at some 150,000."""

FOREMOST = 8
"""Of a group's options or points, where there is no room for all."""

LONGEST_MESSAGE, LONGEST_QUESTION = 300, 1_000
ROOM_FOR_NUMBERS = 10
"""Characters by which `answers_omitted` may grow."""

SHORTENED = Caveat(
    code="shortened",
    message="This result is shortened to fit; the figures are of all answers, and export_panel has all of them whole.",
)


def truncate(result: QuestionResult, most: int = LARGEST) -> QuestionResult:
    """`result` in at most `most` characters of JSON, as far as that goes without leaving figures of everyone out.

    First the single answers give way, then the groups' lesser counts, last the long question and the intervals.
    """
    if _size(result) <= most:
        return result
    caveats = [*result.caveats, SHORTENED]
    answers = [one.model_copy(update={"message": cut(one.message, LONGEST_MESSAGE)}) for one in result.answers]
    result = result.model_copy(update={"caveats": caveats, "answers": answers})
    if (over := _size(result) - most + ROOM_FOR_NUMBERS) > 0:
        result = _with_fewer_answers(result, over)
    if _size(result) > most:
        result = result.model_copy(update={"groups": [_foremost(group) for group in result.groups]})
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


def _foremost(group: Summary) -> Summary:
    """With the most frequent counts only, in their order."""
    ranked = sorted(range(len(group.counts)), key=lambda place: -group.counts[place].count)
    kept = [group.counts[place] for place in sorted(ranked[:FOREMOST])]
    return group.model_copy(update={"counts": _bare(kept)})


def _bare(counts: Sequence[Count]) -> list[Count]:
    """What somebody gave, without intervals. The bars of the overall result are drawn from its counts."""
    return [count.model_copy(update={"interval": None}) for count in counts if count.count]


def cut(text: str, longest: int) -> str:
    """`text` in at most `longest` characters."""
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"
