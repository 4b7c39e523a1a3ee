"""What the answers to one question amount to: the one way in. Pure, and the same for every backend.

A result is cut to what a host takes whole.
"""

from collections.abc import Callable, Sequence
from typing import Any

from mcp_server.toolkit.answers import Answer
from mcp_server.toolsets.panels._aggregation.caveats import caveats
from mcp_server.toolsets.panels._aggregation.differences import compare
from mcp_server.toolsets.panels._aggregation.findings import findings
from mcp_server.toolsets.panels._aggregation.summaries import summarize
from mcp_server.toolsets.panels._aggregation.texts import WORDS
from mcp_server.toolsets.panels._aggregation.themes import MOST, codebook, gather_themed
from mcp_server.toolsets.panels._aggregation.voices import MOST_VOICES, dissent, strongest
from mcp_server.toolsets.panels._results import Caveat, Individual, QuestionResult, Summary
from mcp_server.toolsets.panels._study import AskedQuestion

LARGEST = 100_000
"""Characters of the questions in one structured result: hosts cut results at some 150,000."""

FOREMOST = 8  # of a group's options or points that anybody gave, where there is no room for all

LONGEST_MESSAGES, LONGEST_QUESTION = (1_000, 300), 1_000
ROOM_FOR_NUMBERS = 10  # characters by which `answers_omitted` may grow


def aggregate(asked: AskedQuestion, *, shown: int = 60) -> QuestionResult:
    """Work the figures out of the replies alone; at most `shown` answers are listed one by one."""
    gathered, is_open = gather_themed(asked), asked.type == "qualitative"
    overall = summarize(None, gathered.everyone, gathered)
    groups = [summarize(name, entries, gathered) for name, entries in gathered.groups.items()]
    compared = compare(gathered)
    agreements, disagreements = findings(gathered, groups, compared)
    voices = [] if gathered.is_early else dissent(gathered)
    unread_first = sorted(gathered.entries, key=lambda entry: entry.state != "uncoded")  # to be coded by hand
    listed = [Individual.model_validate(entry.reply, from_attributes=True) for entry in unread_first]
    notes = caveats(gathered, overall, groups, compared.made)
    if is_open and (more := len(gathered.options) - MOST) > 0:
        notes.append(Caveat(code="more_themes", message=f"{more} more themes, of fewer personas each, are not listed."))
    if (many := len(voices)) > MOST_VOICES:
        message = f"{many} personas see it otherwise than their group; the {MOST_VOICES} farthest from it are listed."
        notes.append(Caveat(code="more_voices", message=message))
    return QuestionResult(
        question_id=asked.id,
        question=asked.text,
        scale_range=list(asked.scale) if asked.scale else None,
        options=[] if is_open else list(gathered.options),
        **{name: getattr(asked, name) for name in ("type", "status", "asked_at", "engine", "calls", "tokens")},
        overall=overall,
        groups=groups,
        themes=codebook(gathered) if is_open else [],
        differences=compared.differences,
        agreements=agreements,
        disagreements=disagreements,
        dissent=voices[:MOST_VOICES],
        quotes=strongest(gathered),
        caveats=notes,
        answers=listed[: max(0, shown)],
        answers_omitted=max(0, len(listed) - max(0, shown)),
    )


SHORTENED = Caveat(code="shortened", message=WORDS["caveats"]["shortened"])


def truncate(result: QuestionResult, most: int = LARGEST) -> QuestionResult:
    """`result` in at most `most` characters of JSON, as far as that goes without leaving figures of everyone out.

    Long messages give way first, then what nobody in a group gave, the last answers, the groups' lesser counts, and
    the intervals of the whole with a long question.
    """
    if _size(result) <= most:
        return result
    result = result.model_copy(update={"caveats": [*result.caveats, SHORTENED]})
    steps: list[Callable[[QuestionResult], dict[str, Any]]] = [
        lambda it: {"answers": _with_messages(it.answers, LONGEST_MESSAGES[0])},
        lambda it: {"answers": _with_messages(it.answers, LONGEST_MESSAGES[1])},
        lambda it: {"groups": [_with_counts(group, None) for group in it.groups]},
        lambda it: _fewer_answers(it, _size(it) - most + ROOM_FOR_NUMBERS),
        lambda it: {"groups": [_with_counts(group, FOREMOST) for group in it.groups]},
        lambda it: {"overall": _with_counts(it.overall, None), "question": _cut(it.question, LONGEST_QUESTION)},
    ]
    for shortened in steps:
        if _size(result) > most:
            result = result.model_copy(update=shortened(result))
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


def _size(result: Answer) -> int:
    return len(result.model_dump_json(by_alias=True))


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"


def _with_messages(answers: Sequence[Individual], longest: int) -> list[Individual]:
    return [one.model_copy(update={"message": _cut(one.message, longest)}) for one in answers]


def _fewer_answers(result: QuestionResult, over: int) -> dict[str, Any]:
    """Without so many of the last answers that `over` characters are saved, or without any."""
    kept = list(result.answers)
    while kept and over > 0:
        over -= _size(kept.pop()) + 1
    return {"answers": kept, "answers_omitted": result.answers_omitted + len(result.answers) - len(kept)}


def _with_counts(group: Summary, most: int | None) -> Summary:
    """With the most frequent of its counts that anybody gave, in their order and without intervals."""
    ranked = sorted(range(len(group.counts)), key=lambda place: -group.counts[place].count)
    kept = [group.counts[place] for place in sorted(ranked[:most]) if group.counts[place].count]
    return group.model_copy(update={"counts": [count.model_copy(update={"interval": None}) for count in kept]})
