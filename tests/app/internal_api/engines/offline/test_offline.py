"""The offline engine over texts that it was made with, and over others."""

import math
from typing import Any

import pytest

from app.internal_api.knowledge.embeddings import Embedder
from tests.app.internal_api.engines.offline.judged import PURE, asked, confused, surveyed, texts_of, themes

SETS = {name: texts_of(name) for name in ("tuning", "held_out", "later", "paraphrases", "others")}
EMBED = Embedder.installed()
NEEDS_EXTRA = pytest.mark.skipif(EMBED is None, reason="the extra has no wheel for this Python")


def each(kind: str) -> pytest.MarkDecorator:
    given = [
        pytest.param(one, id=f"{name} {place}") for name in SETS for place, one in enumerate(SETS[name].get(kind, ()))
    ]
    return pytest.mark.parametrize("given", given)


@NEEDS_EXTRA
@each("themes")
def test_planted_themes_are_found_whole_and_hardly_a_theme_is_impure(given: dict[str, Any]) -> None:
    assert EMBED is not None
    found, impure = themes(EMBED, given)

    assert sum(theme.recall >= 0.6 and theme.precision >= PURE for theme in found) >= given["found"], found
    assert len(impure) <= 1, impure


@NEEDS_EXTRA
@each("contraries")
def test_contraries_never_share_a_theme(given: dict[str, Any]) -> None:
    assert EMBED is not None
    assert confused(EMBED, given) == []


@each("survey")
def test_a_survey_is_answered_with_what_a_sentence_states_and_never_with_another_value(given: dict[str, Any]) -> None:
    said = [(sentence, value, surveyed(given, sentence)) for sentence, value in given["cases"]]

    assert [each for each in said if each[2] not in ("", each[1])] == []
    stated = [value == found for _, value, found in said if value]
    assert sum(stated) / len(stated) >= 0.5


@pytest.mark.parametrize(
    "embed",
    [
        pytest.param(None, id="words"),
        pytest.param(EMBED, id="words and meaning", marks=[NEEDS_EXTRA, pytest.mark.slow]),
    ],
)
@each("texts")
async def test_a_text_answers_what_it_tells_and_nothing_else(given: dict[str, Any], embed: Embedder | None) -> None:
    told = {question: (fact, *await asked(given, question, embed)) for question, fact in given["answered"]}
    taken = [question for question in given["unanswerable"] if not (await asked(given, question, embed))[1]]

    right = [question for question, (fact, said, declined) in told.items() if not declined and fact in said]
    shown = [question for question, (fact, said, _) in told.items() if fact in said]
    assert [each for each, (_, _, declined) in told.items() if not declined] == right
    if embed is not None:
        assert len(right) / len(told) >= given.get("right", 0.2), told
        assert len(shown) / len(told) >= given.get("shown", 0.8), told
    assert len(taken) <= math.ceil(len(given["unanswerable"]) / 12), taken
