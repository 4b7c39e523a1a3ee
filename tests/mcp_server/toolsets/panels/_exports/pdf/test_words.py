"""Words of the report that other formats do not need."""

from dataclasses import replace

from mcp_server.toolsets.panels._exports.pdf.words import NOTHING, headline, joined, plural
from tests.mcp_server.toolsets.panels.reports import KINDS, asked_question, groups_of, result_of


def test_facts_in_a_row_are_broken_between_each_other_only() -> None:
    assert joined(["4 questions", "n = 3"]) == "4\xa0questions  · n\xa0=\xa03"


def test_counts_have_their_number() -> None:
    assert plural(1, "answer") == "1 answer"
    assert plural(0, "answer") == "0 answers"
    assert plural(1200, "story", "stories") == "1,200 stories"


def test_the_headline_of_a_scale_is_its_mean_and_otherwise_the_value() -> None:
    groups = groups_of(1, 3)
    scale = result_of(asked_question(KINDS[0], groups, 1, broken=False)).overall
    choice = result_of(asked_question(KINDS[1], groups, 1, broken=False)).overall

    assert headline(scale) == "mean 4.67"
    assert headline(choice) == "Push message (67 %)"


def test_nobody_has_no_headline() -> None:
    asked = asked_question(KINDS[0], groups_of(1, 2), 1)
    failed = tuple(replace(reply, status="failed", value=None) for reply in asked.replies)

    assert headline(result_of(replace(asked, replies=failed)).overall) == NOTHING
