"""Options and themes are counted for everyone and for each group."""

import pytest

from mcp_server.toolsets.panels._exports.pdf.shares import comparison, distribution, of_theme, shown_themes, themes
from tests.mcp_server.toolsets.panels._exports.pdf.paper import Paper, drawn
from tests.mcp_server.toolsets.panels.reports import report_of

REPORT = report_of(groups=2, each=3, broken=False)
CHOICE, SEVERAL, OPEN = (section.result for section in REPORT.sections[1:])


def test_the_comparison_has_everyone_and_every_group(paper: Paper) -> None:
    drawn(paper, comparison(paper, CHOICE))

    assert {"Everyone", *(group.name for group in REPORT.groups)} <= set(paper.texts)
    assert {count.value for count in CHOICE.overall.counts} <= set(paper.texts)


def test_the_distribution_has_everyone_only(paper: Paper) -> None:
    drawn(paper, distribution(paper, SEVERAL))

    assert "Everyone" in paper.texts
    assert REPORT.groups[0].name not in paper.texts


def test_an_option_that_a_group_does_not_know_counts_as_nobody(paper: Paper) -> None:
    first = CHOICE.groups[0]
    less = first.model_copy(update={"counts": first.counts[1:]})
    (block,) = comparison(paper, CHOICE.model_copy(update={"groups": [less, CHOICE.groups[1]]}))

    assert block.alt is not None
    assert f"Email: Everyone 2 · 33 %, {first.group} 0 · 0 %" in block.alt


def test_themes_are_counted_by_group(paper: Paper) -> None:
    drawn(paper, themes(paper, OPEN))

    assert {theme.label for theme in OPEN.themes} >= {"Price worries"} <= set(paper.texts)
    theme = OPEN.themes[0]
    assert of_theme(theme, OPEN.overall).count == theme.count
    assert [of_theme(theme, group).count for group in OPEN.groups] == [own.count for own in theme.by_group]


def test_a_group_that_no_theme_knows_speaks_of_none() -> None:
    unknown = OPEN.groups[0].model_copy(update={"group": "Another"})

    assert of_theme(OPEN.themes[0], unknown).told == "0 · 0 %"


@pytest.mark.parametrize(("several", "single", "expected"), [(2, 30, 6), (9, 30, 9), (40, 2, 12), (1, 2, 3), (0, 0, 0)])
def test_themes_of_one_voice_each_do_not_bury_the_common_ones(several: int, single: int, expected: int) -> None:
    theme = OPEN.themes[0]
    many = [theme.model_copy(update={"count": 2})] * several + [theme.model_copy(update={"count": 1})] * single

    shown, rest = shown_themes(OPEN.model_copy(update={"themes": many}))

    assert (len(shown), len(shown) + len(rest)) == (expected, several + single)


def test_the_chart_of_themes_has_those_that_are_shown(paper: Paper) -> None:
    many = [OPEN.themes[0].model_copy(update={"label": f"Theme {n}", "count": 1}) for n in range(9)]

    drawn(paper, themes(paper, OPEN.model_copy(update={"themes": many})))

    assert [text for text in paper.texts if text.startswith("Theme ")] == [f"Theme {n}" for n in range(6)]
