"""Rankings and scales that run the other way are told by their words, and nothing else is taken for them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.toolsets.panels._aggregation.forms import direction, form_caveats, low_is_good
from tests.mcp_server.toolsets.panels._aggregation.test_wording import BENT, SOUND


def codes(question: str) -> list[str]:
    return [caveat.code for caveat in form_caveats(question, "categorical")]


@pytest.mark.parametrize(
    "question",
    [
        "Rank these features by importance: locks, alerts, app",
        "Please rank: price, speed.",
        "How would you rank these?",
        "Order the following by importance: locks, alerts",
        "Order features by how much you need them: locks, alerts",
        "Put these in order of importance: locks, alerts",
        "Prioritize these features: locks, alerts",
        "Ordnen Sie diese Funktionen nach Wichtigkeit: Schloss, App",
        "Bitte bringen Sie die Punkte in eine Reihenfolge: Schloss, App",
        "Können Sie das in eine Reihenfolge bringen?",
        "Classez ces fonctions : prix, qualité",
        "Ordene las funciones: precio, calidad",
    ],
)
def test_a_ranking_is_known(question: str) -> None:
    assert codes(question) == ["ranking"]


@pytest.mark.parametrize(
    "question",
    [
        "Would you order by phone?",
        "Do you order the food online?",
        "In what order do you read them?",
        "What do you put in your order?",
        "Order a pizza: which one?",
        "Ordnen Sie jedem Bild ein Wort zu.",
        "Does the rank of a company matter to you?",
        *SOUND,
        *(question for _, question in BENT),
    ],
)
def test_other_questions_are_neither_ranking_nor_reversed(question: str) -> None:
    assert codes(question) == []


@pytest.mark.parametrize(
    "question",
    [
        "Rate it from 1 to 6, 1 is the best.",
        "How good is it? 1 = very good, 6 = bad",
        "1 = very good … 6 = bad",
        "How do you rate it, from 1 (best) to 10 (worst)?",
        "Welche Note geben Sie von 1 (sehr gut) bis 6?",
        "Welche Schulnote geben Sie?",
        "Rate 1-6 where 1 is the best grade",
        "How satisfied are you, 1 being very satisfied and 5 very dissatisfied?",
        "How is it, from 1 to 5, 5 being the worst?",
    ],
)
def test_a_scale_on_which_low_is_good_is_known(question: str) -> None:
    assert direction(question) == "low_is_good"
    assert codes(question) == ["reversed_scale"]
    assert low_is_good(question) == ", where a low figure is the good one"


@pytest.mark.parametrize(
    "question",
    ["From 10 (best) down to 1, how good is it?", "On a scale of 10 to 1, how good is it?", "a scale of 5-1"],
)
def test_a_scale_told_downwards_is_not_said_to_be_good_at_its_low_end(question: str) -> None:
    assert direction(question) == "told_downwards"
    assert codes(question) == ["reversed_scale"]
    assert low_is_good(question) == ""


@pytest.mark.parametrize(
    "question",
    [
        "On a scale of 1 to 10, how good is it?",
        "On a scale of 1 to 5, where 5 is the best",
        "Rate it from 1 (worst) to 10 (best).",
        "1 = not at all likely, 10 = very likely",
        "Auf einer Skala von 1 (sehr schlecht) bis 10 (sehr gut)",
        "Do you think that option 1 is the best?",
        "Are there 0 good reasons?",
        "Between 2019 and 2024, was it good?",
    ],
)
def test_an_ordinary_scale_has_no_direction_to_tell(question: str) -> None:
    assert direction(question) is None


@pytest.mark.parametrize(
    ("kind", "counted"), [("categorical", "puts first"), ("scale", "one figure"), ("multiselect", "was named counts")]
)
def test_what_is_counted_instead_of_a_ranking_depends_on_the_kind(kind: str, counted: str) -> None:
    (caveat,) = form_caveats("Rank these: a, b", kind)  # type: ignore[arg-type]  # a known kind

    assert counted in caveat.message
    assert "Which matters most?" in caveat.message


@given(st.text(max_size=300))
def test_any_text_can_be_read(question: str) -> None:
    assert len(form_caveats(question, "scale")) <= 2
