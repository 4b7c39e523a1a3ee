"""The figures of 300 answers are those that pandas works out from what a person reads in them; and what always holds.

Who was asked, the headlines and the themes are counted by hand. Five students are founders, too, and count once.
"""

from dataclasses import replace
from math import sqrt

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.toolsets.panels._aggregation.aggregate import (
    FOREMOST,
    LARGEST,
    SHORTENED,
    aggregate,
    truncate,
    truncate_all,
)
from mcp_server.toolsets.panels._aggregation.themes import MOST
from mcp_server.toolsets.panels._results import Interval, QuestionResult, Summary
from mcp_server.toolsets.panels._study import AskedQuestion, Code, Reply
from tests.mcp_server.toolsets.panels._aggregation.replies import (
    ANSWERS,
    QUESTIONS,
    choice,
    open_question,
    question,
    replies,
    scale,
    several,
)

EVERYONE, FOUNDERS, STUDENTS, RETIREES = None, "Founders", "Students", "Retirees"
T_975 = {59: 2.00099538, 21: 2.07961384, 20: 2.08596345}  # printed tables, for n of 60, 22 and 21


def summaries(result: QuestionResult) -> dict[str | None, Summary]:
    return {one.group: one for one in (result.overall, *result.groups)}


# --- by hand ---


@pytest.mark.parametrize("name", ["rate", "use", "improve"])
def test_who_was_asked_and_who_answered(name: str) -> None:
    found = _all(aggregate(question(name)))

    assert [(one.group, one.members, one.n, one.failed, one.pending, one.uncoded + one.declined) for one in found] == [
        (EVERYONE, 70, 60, 4, 2, 4),
        (FOUNDERS, 25, 21, 2, 1, 1),
        (STUDENTS, 25, 21, 2, 0, 2),
        (RETIREES, 25, 22, 1, 1, 1),
    ]


def test_without_ids_a_failure_cannot_be_joined_to_an_answer_elsewhere() -> None:
    overall = aggregate(question("which")).overall

    # Eva Falk failed among the founders, and answered among the students.
    assert (overall.members, overall.n, overall.failed) == (71, 60, 5)


def test_the_headlines_are_those_written_by_hand() -> None:
    found = {(name, each.group): each.value for name in QUESTIONS for each in _all(aggregate(question(name)))}

    assert found["which", EVERYONE] == "Price (47 %)"
    assert found["which", RETIREES] == "split: Quality 45 %, Service 27 %"
    assert found["use", STUDENTS] == "Exports 86 %, Chat 48 %, Alerts 24 %"
    assert found["improve", EVERYONE] == "Support (27 of 60), Price (25 of 60), Reports (10 of 60), and 1 more as often"


def _all(result: QuestionResult) -> list[Summary]:
    return [result.overall, *result.groups]


def test_each_theme_is_quoted_from_the_sentence_about_it() -> None:
    found = {theme.label: theme for theme in aggregate(question("improve")).themes}

    assert {label: theme.quote.text for label, theme in found.items() if theme.quote} == {
        "Support": "Support answered only after three days.",
        "Price": "The price is more than I would pay.",
        "Reports": "The reports do not show what I need.",
        "Setup": "The setup took me an afternoon.",
    }


def test_what_stands_out_is_what_stands_out_by_hand() -> None:
    result = aggregate(question("rate"))

    assert result.disagreements == [
        "Founders rate it 2.48 points above Students (interval 1.47 to 3.48; of 3 pairs compared).",
        "Founders rate it 1.58 points above Retirees (interval 0.6 to 2.57; of 3 pairs compared).",
    ]
    assert [(voice.persona, voice.value) for voice in result.dissent[:2]] == [("Yan Rossi", "1"), ("Xia Falk", "3")]
    assert {caveat.code for caveat in result.caveats} == {
        "synthetic", "failed", "processing", "uncoded", "overlap", "many_comparisons",
    }  # fmt: skip


def test_answers_that_nobody_could_read_stand_first_where_answers_are_cut() -> None:
    read = replies(["7"] * 20, "Founders")
    unread = replies([None] * 3, "Students", status="uncoded", message="Somewhere 5-6, " + "well " * 99)
    whole = aggregate(scale(read, unread), shown=12)
    result = truncate(whole, 6_000)

    assert [one.status for one in whole.answers] == ["uncoded"] * 3 + ["answered"] * 9
    assert [one.status for one in result.answers] == ["uncoded"] * 3 + ["answered"] * (len(result.answers) - 3)
    assert whole.answers_omitted == 11 < result.answers_omitted


# --- by pandas ---


def counted(name: str, group: str | None) -> pd.DataFrame:
    """The answers that can be counted; everyone once, by the first group that has an answer."""
    table = pd.read_csv(ANSWERS, dtype=str, keep_default_na=False)
    table = table[(table["question"] == name) & (table["counts_as"] != "")]
    # No two people share a name in this file.
    return table.drop_duplicates("persona") if group is None else table[table["group"] == group]


GROUPS = pytest.mark.parametrize("group", [EVERYONE, FOUNDERS, STUDENTS, RETIREES])


@GROUPS
def test_the_rating_has_the_figures_of_pandas(group: str | None) -> None:
    given_points = counted("rate", group)["counts_as"].astype(float)
    found = summaries(aggregate(question("rate")))[group]

    assert found.scale is not None
    assert found.scale.interval is not None
    assert found.n == given_points.size
    assert found.scale.mean == pytest.approx(given_points.mean())
    assert found.scale.median == given_points.median()
    assert found.scale.sd == pytest.approx(given_points.std())
    half = T_975[given_points.size - 1] * given_points.std() / sqrt(given_points.size)
    assert found.scale.interval.low == pytest.approx(given_points.mean() - half, abs=1e-7)
    assert found.scale.interval.high == pytest.approx(given_points.mean() + half, abs=1e-7)
    often = given_points.value_counts()
    assert {float(count.value): count.count for count in found.counts} == {
        point: often.get(point, 0) for point in map(float, range(1, 11))
    }


@GROUPS
@pytest.mark.parametrize("name", ["which", "use", "improve"])
def test_the_choices_have_the_figures_of_pandas(name: str, group: str | None) -> None:
    table = counted(name, group)
    often = table["counts_as"].str.split("|").explode().value_counts().drop("nothing", errors="ignore")
    found = summaries(aggregate(question(name)))[group]

    assert found.n == len(table)
    named = {count.value.removesuffix("s"): count for count in found.counts if count.count}
    assert {value: count.count for value, count in named.items()} == {
        value.removesuffix("s"): number for value, number in often.items()
    }
    for count in found.counts:
        assert count.share == pytest.approx(count.count / len(table))
        assert_wilson(count.interval, count.count, len(table))


def assert_wilson(interval: Interval | None, count: int, n: int) -> None:
    """The bounds are where the score test is just at its limit: a square equation, solved as such."""
    square, share = 1.959963984540054**2, count / n
    low, high = sorted(np.roots([1 + square / n, -(2 * share + square / n), share**2]).real)

    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=1e-7)


@GROUPS
def test_sentiment_is_the_mean_that_pandas_has(group: str | None) -> None:
    table = counted("improve", group)
    told = table[table["sentiment"] != ""]["sentiment"].astype(float)

    assert summaries(aggregate(question("improve")))[group].sentiment == pytest.approx(told.mean())


# --- what always holds ---

SETTINGS = st.tuples(
    st.sampled_from(["8", "3/10", "11", "Price", "Quality; Price", "price.", "Support", "None", "no idea", ""]),
    st.sampled_from(["The price is high. Support is slow!", "Yes.", "", "x" * 400, "No - e.g. the price."]),
    st.sampled_from(["answered", "answered", "answered", "failed", "timeout", "pending"]),
    st.sampled_from(["A", "B", "C"]),
    st.integers(0, 6),
    st.sampled_from([None, -0.5, 0.9]),
    st.booleans(),
)


def made(told: list[tuple[str, str, str, str, int, float | None, bool]]) -> tuple[Reply, ...]:
    return tuple(
        Reply(
            persona=f"P{who}",
            persona_id=str(who) if known else None,
            group=group,
            status=status,  # type: ignore[arg-type]  # drawn from the known words
            value=value,
            message=message,
            sentiment=sentiment,
        )
        for value, message, status, group, who, sentiment, known in told
    )


def forms(answers: tuple[Reply, ...]) -> list[AskedQuestion]:
    return [
        scale(answers),
        choice(answers),
        choice(answers, options=()),
        several(answers),
        several(answers, options=()),
        open_question(answers),
        open_question(answers, codebook=(Code("Cost", ("Price",)),)),
    ]


answer_lists = st.lists(SETTINGS, max_size=10).map(made)


@given(answer_lists, st.data())
def test_the_order_of_the_replies_changes_nothing(answers: tuple[Reply, ...], data: st.DataObject) -> None:
    shuffled = tuple(data.draw(st.permutations(answers)))

    for one, other in zip(forms(answers), forms(shuffled), strict=True):
        assert aggregate(one) == aggregate(other)


@given(answer_lists)
def test_a_failed_reply_changes_no_figure(answers: tuple[Reply, ...]) -> None:
    # In a group that was asked: of one more group sentences about all groups must not speak.
    group = answers[0].group if answers else "A"
    failed = Reply(persona="Zoe", persona_id="z", group=group, status="failed")

    for one, other in zip(forms(answers), forms((*answers, failed)), strict=True):
        assert figures(aggregate(one)) == figures(aggregate(other))


def figures(result: QuestionResult) -> object:
    """Without of how many had something on it: that counts all who were asked."""
    told = [(one, (one.value or "").rpartition(" had something on this: ")[2]) for one in _all(result) if one.n]
    each = [(one.group, one.n, value, one.scale, one.counts, one.sentiment) for one, value in told]
    return each, result.themes, result.differences, result.agreements, result.dissent, result.quotes


@given(answer_lists)
def test_every_quote_is_in_the_answer_of_the_persona_that_is_named(answers: tuple[Reply, ...]) -> None:
    for asked in forms(answers):
        result = aggregate(asked)
        themes = [theme.quote for theme in result.themes if theme.quote]
        quoted = [(one.persona, one.group, one.text) for one in (*themes, *result.quotes)]
        quoted += [(one.persona, one.group, one.quote) for one in result.dissent if one.quote]
        for persona, group, text in quoted:
            said = [one.message for one in answers if (one.persona, one.group) == (persona, group)]
            assert any(text in message for message in said)
            assert 0 < len(text) <= 240


@given(answer_lists)
def test_counts_and_shares_fit_together(answers: tuple[Reply, ...]) -> None:
    for asked in forms(answers):
        result = aggregate(asked)
        for one in _all(result):
            assert one.members == one.n + one.declined + one.uncoded + one.failed + one.pending
            assert (one.value is None) == (one.n == 0)
            assert one.n or (one.counts, one.scale, one.sentiment) == ([], None, None)
            if asked.type in {"scale", "categorical"} and one.n:
                assert sum(count.count for count in one.counts) == one.n
                assert sum(count.share for count in one.counts) == pytest.approx(1)
            assert all(count.count <= one.n for count in one.counts)
        assert result.overall.n <= sum(group.n for group in result.groups)
        # What is clear among all comparisons is so by itself, and not the other way round.
        assert all(one.interval is not None and one.interval.low > 0 for one in result.differences if one.clear)


@pytest.mark.parametrize("asked", [scale(), choice(), several(), open_question()])
def test_no_reply_at_all_gives_a_result_without_figures(asked: AskedQuestion) -> None:
    result = aggregate(asked)

    assert result.overall.n == 0
    assert result.overall.value is None
    assert (result.themes, result.differences, result.dissent, result.quotes, result.answers) == ([], [], [], [], [])
    assert [caveat.code for caveat in result.caveats] == ["synthetic", "no_answers"]


# --- what is passed on ---


def test_answers_are_listed_by_group_and_name_and_cut() -> None:
    asked = replace(scale(replies(["8", "9"], "B"), replies(["7"], "A")), groups=("B", "A"))

    result = aggregate(asked, shown=2)

    assert [(one.group, one.persona, one.value) for one in result.answers] == [("B", "B 1", "8"), ("B", "B 2", "9")]
    assert result.answers_omitted == 1
    assert aggregate(asked, shown=0).answers_omitted == 3
    assert aggregate(asked).answers_omitted == 0


def test_themes_that_are_not_listed_are_counted() -> None:
    many = aggregate(open_question(replies([f"Theme {number}" for number in range(60)])))

    assert len(many.themes) == MOST
    assert "10 more themes" in next(caveat.message for caveat in many.caveats if caveat.code == "more_themes")


def result(*, personas: int = 200, words: int = 10, question: str = "How likely?", top: int = 100) -> QuestionResult:
    names = tuple(f"Group {n}" for n in range(8))
    replies = tuple(
        Reply(f"P{n}", names[n % 8], str(n), value=str(n * 7 % (top + 1)), message="Word " * words)
        for n in range(personas)
    )
    return aggregate(AskedQuestion("1", question, "scale", (0, top), groups=names, replies=replies))


def points(one: QuestionResult) -> dict[str, int]:
    return {count.value: count.count for count in one.overall.counts if count.count}


def size(one: QuestionResult) -> int:
    return len(one.model_dump_json(by_alias=True))


@pytest.mark.parametrize("long", [result(), result(words=1_000), result(words=1_000, question="Why? " * 2_000)])
@pytest.mark.parametrize("most", [LARGEST, LARGEST // 5])
def test_a_long_result_fits_says_so_and_keeps_its_figures(long: QuestionResult, most: int) -> None:
    assert size(long) > most

    short = truncate(long, most)

    assert size(short) <= most
    assert SHORTENED in short.caveats
    assert points(short) == points(long)
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
    five = [result(personas=24, top=10)] * 5

    assert 1 < len(truncate_all(five, 30_000)) < 5
    assert len(truncate_all(five, 1)) == 1
