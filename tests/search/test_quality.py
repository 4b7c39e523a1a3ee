"""Documentation search finds the right page, on the questions that nothing was tuned on."""

from collections.abc import Iterator
from pathlib import PurePosixPath

import pytest

from mcp_server.toolsets.docs.index import DocsIndex
from tests.search.material import TREES, Question, fetched, questions

DEEP, SHALLOW = 10, 5


@pytest.fixture(scope="module")
def indexes() -> Iterator[dict[str, DocsIndex]]:
    found = {tree.name: DocsIndex(fetched(tree), None) for tree in TREES}
    for index in found.values():
        index.refresh()
    yield found
    for index in found.values():
        index.close()


def rank(index: DocsIndex, question: Question) -> int:
    hits = enumerate(index.search.search(question.text, DEEP), 1)
    return next((place for place, hit in hits if question.is_answered_by(hit.key)), 0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("asked", "reciprocal", "recall"),
    [([one for one in questions() if one.aside], 0.80, 0.92), (questions("others_questions.toml"), 0.80, 0.86)],
    ids=["set aside", "of another"],
)
def test_the_right_page_is_among_the_first_for_questions_that_nothing_was_tuned_on(
    indexes: dict[str, DocsIndex], asked: list[Question], reciprocal: float, recall: float
) -> None:
    ranks = [rank(indexes[question.tree], question) for question in asked]

    assert sum(len(index.pages) for index in indexes.values()) > 1_000
    assert sum(1 / place for place in ranks if place) / len(ranks) >= reciprocal
    assert sum(0 < place <= SHALLOW for place in ranks) / len(ranks) >= recall


@pytest.mark.slow
def test_every_question_names_a_page_that_is_there(indexes: dict[str, DocsIndex]) -> None:
    unanswered = [
        (question.text, answer)
        for question in (*questions(), *questions("others_questions.toml"))
        for answer in question.answers
        if not any(PurePosixPath("/", path).match(answer) for path in indexes[question.tree].pages)
    ]

    assert len(questions()) >= 80
    assert unanswered == []
