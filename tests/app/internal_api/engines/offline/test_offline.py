"""The offline engine over texts that it was made with, and over others."""

from typing import Any

import pytest

from tests.app.internal_api.engines.offline.judged import surveyed, texts_of

SETS = {name: texts_of(name) for name in ("tuning", "held_out")}


def each(kind: str) -> pytest.MarkDecorator:
    given = [pytest.param(one, id=f"{name} {place}") for name in SETS for place, one in enumerate(SETS[name][kind])]
    return pytest.mark.parametrize("given", given)


@each("survey")
def test_a_survey_is_answered_with_what_a_sentence_states_and_never_with_another_value(given: dict[str, Any]) -> None:
    said = [(sentence, value, surveyed(given, sentence)) for sentence, value in given["cases"]]

    assert [each for each in said if each[2] not in ("", each[1])] == []
    stated = [value == found for _, value, found in said if value]
    assert sum(stated) / len(stated) >= 0.5
