"""The figures in Markdown are those of the result."""

from mcp_server.toolsets.panels._exports.markdown_figures import figures
from mcp_server.toolsets.panels._results import Interval, QuestionResult
from tests.mcp_server.toolsets.panels._exports.viewing import cells
from tests.mcp_server.toolsets.panels.reports import report_of

SCALE, CHOICE, SEVERAL, OPEN = (section.result for section in report_of().sections)


def rows_of(result: QuestionResult) -> list[list[str]]:
    return cells("\n\n".join(figures(result)))


def under(result: QuestionResult, first: str, second: str) -> list[list[str]]:
    """The rows below the head that begins with these two labels."""
    rows = rows_of(result)
    start = next(place for place, row in enumerate(rows) if row[:2] == [first, second])
    return [row for row in rows[start + 1 :] if len(row) == len(rows[start])]


def test_a_scale_has_its_mean_interval_median_and_deviation_for_each_group() -> None:
    rows = under(SCALE, "Group", "Asked")[: 1 + len(SCALE.groups)]

    for row, summary in zip(rows, [SCALE.overall, *SCALE.groups], strict=True):
        facts = summary.scale
        assert facts is not None
        assert facts.interval is not None
        assert row[1:4] == [str(summary.members), str(summary.n), str(summary.failed)]
        assert row[4:] == [
            f"{facts.mean:.2f}",
            f"{facts.interval.low:.2f} to {facts.interval.high:.2f}",
            f"{facts.median:.2f}",
            f"{facts.sd:.2f}",
        ]


def test_a_group_without_usable_answers_has_dashes() -> None:
    silent = SCALE.groups[0].model_copy(update={"n": 0, "scale": None, "value": None})
    result = SCALE.model_copy(update={"groups": [silent, *SCALE.groups[1:]]})

    assert under(result, "Group", "Asked")[1][4:] == ["\u2013"] * 4


def test_a_choice_has_its_headline_and_no_mean() -> None:
    rows = under(CHOICE, "Group", "Asked")

    assert rows[0][4] == CHOICE.overall.value


def test_the_distribution_is_whole_with_bars_that_grow_with_the_share() -> None:
    rows = under(SEVERAL, "Answer", "Everyone")[: len(SEVERAL.options)]

    assert [row[0] for row in rows] == SEVERAL.options
    assert [row[1] for row in rows] == [str(count.count) for count in SEVERAL.overall.counts]
    assert [len(row[4]) for row in rows] == [
        len("█" * int(count.share * 20)) + (count.share * 20 % 1 > 1 / 16) for count in SEVERAL.overall.counts
    ]


def test_each_group_stands_beside_the_others_with_its_n() -> None:
    rows = rows_of(CHOICE)
    head = next(row for row in rows if row[0] == "Answer" and "(n " in row[1])

    assert head[1:] == [f"{group.group} (n {group.n})" for group in CHOICE.groups]
    place = rows.index(head)
    first = CHOICE.groups[0].counts
    assert [row[1] for row in rows[place + 1 : place + 1 + len(first)]] == [
        f"{count.count} ({count.share * 100:.0f} %)" for count in first
    ]


def test_themes_have_counts_by_group_and_are_no_distribution() -> None:
    rows = under(OPEN, "Theme", "Personas")

    assert [row[:2] for row in rows] == [[theme.label, str(theme.count)] for theme in OPEN.themes]
    assert [row[4:] for row in rows] == [[f"{one.count} of {one.n}" for one in theme.by_group] for theme in OPEN.themes]
    assert [row for row in rows_of(OPEN) if row[0] == "Answer"] == []


def test_differences_have_a_sign() -> None:
    rows = under(SCALE, "First", "Second")

    assert [row[3] for row in rows] == [f"{one.difference:+.2f}" for one in SCALE.differences]
    assert [row[5] for row in rows] == ["yes" if one.clear else "no" for one in SCALE.differences]


def test_differences_of_shares_are_percentage_points() -> None:
    interval = Interval(low=-0.1, high=0.6, method="Newcombe")
    share = SCALE.differences[0].model_copy(update={"measure": "Email", "difference": -0.25, "interval": interval})
    rows = under(SCALE.model_copy(update={"differences": [share]}), "First", "Second")

    assert rows[0][3:5] == ["-25 points", "-10 % to 60 %"]


def test_without_groups_there_is_everyone_alone() -> None:
    alone = CHOICE.model_copy(update={"groups": []})

    assert under(alone, "Group", "Asked")[0][0] == "Everyone"
    assert [row for row in rows_of(alone) if "(n " in "".join(row)] == []
