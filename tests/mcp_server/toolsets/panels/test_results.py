"""A long result is shortened until it fits, says so, and keeps its figures."""

import pytest

from mcp_server.toolsets.panels._aggregation.aggregate import (
    FOREMOST,
    LARGEST,
    SHORTENED,
    aggregate,
    truncate,
    truncate_all,
)
from mcp_server.toolsets.panels._results import QuestionResult
from mcp_server.toolsets.panels._study import AskedQuestion, Reply


def result(*, personas: int = 200, words: int = 10, question: str = "How likely?", top: int = 100) -> QuestionResult:
    names = tuple(f"Group {n}" for n in range(8))
    replies = tuple(
        Reply(f"P{n}", names[n % 8], str(n), value=str(n * 7 % (top + 1)), message="Word " * words)
        for n in range(personas)
    )
    return aggregate(AskedQuestion("1", question, "scale", (0, top), groups=names, replies=replies))


def given(one: QuestionResult) -> dict[str, int]:
    return {count.value: count.count for count in one.overall.counts if count.count}


def size(one: QuestionResult) -> int:
    return len(one.model_dump_json(by_alias=True))


def test_a_short_result_stays_as_it_is() -> None:
    short = result(personas=10, top=10)

    assert truncate(short) is short


@pytest.mark.parametrize("long", [result(), result(words=1_000), result(words=1_000, question="Why? " * 2_000)])
@pytest.mark.parametrize("most", [LARGEST, LARGEST // 5])
def test_a_long_result_fits_says_so_and_keeps_its_figures(long: QuestionResult, most: int) -> None:
    assert size(long) > most

    short = truncate(long, most)

    assert size(short) <= most
    assert SHORTENED in short.caveats
    assert given(short) == given(long)
    assert short.overall.scale == long.overall.scale
    assert [(group.n, group.scale) for group in short.groups] == [(group.n, group.scale) for group in long.groups]
    assert len(short.answers) + short.answers_omitted == len(long.answers) + long.answers_omitted


def test_of_a_group_the_foremost_are_kept_in_their_order() -> None:
    short = truncate(result(), LARGEST // 5)

    for group in short.groups:
        points = [int(count.value) for count in group.counts]
        assert 0 < len(points) <= FOREMOST
        assert points == sorted(points)


def test_several_questions_share_the_room() -> None:
    five = truncate_all([result(words=1_000)] * 5)

    assert len(five) == 5
    assert sum(map(size, five)) <= LARGEST


def test_what_does_not_fit_at_all_is_left_out_but_never_the_first() -> None:
    shown = truncate_all([result()] * 5, 12_000)

    assert 1 <= len(shown) < 5
