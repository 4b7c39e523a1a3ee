"""What a caller may demand."""

import pytest

from app.internal_api.panels.understanding.wishes import checked_type, wished_most, wished_options, wished_scale
from app.internal_api.panels.understanding.words import MakesNoSense, Wish


@pytest.mark.parametrize(
    ("wish", "kind"),
    [
        (Wish(), None),
        (Wish("qualitative"), "qualitative"),
        (Wish(scale=(1, 5)), "scale"),
        (Wish(most=2), "multiselect"),
        (Wish(options=("A", "B")), None),
    ],
)
def test_the_type_is_named_or_follows_from_what_is_given(wish: Wish, kind: str | None) -> None:
    assert checked_type(wish) == kind


@pytest.mark.parametrize(
    "wish",
    [
        Wish("other"),
        Wish(scale=(1, 5), options=("A", "B")),
        Wish("qualitative", scale=(1, 5)),
        Wish("qualitative", options=("A", "B")),
        Wish("scale", options=("A", "B")),
        Wish("categorical", most=1),
        Wish(scale=(1, 5), most=1),
    ],
)
def test_a_contradiction_is_refused(wish: Wish) -> None:
    with pytest.raises(MakesNoSense) as refused:
        checked_type(wish)

    assert refused.value.code == "INVALID_CLASSIFICATION"


def test_a_scale_is_two_numbers() -> None:
    assert wished_scale(Wish()) is None
    assert wished_scale(Wish(scale=[1, 5.0])) == (1, 5)
    for scale in ([], [1], [1, 2, 3], [5, 1], [1, 1.5]):
        with pytest.raises(MakesNoSense):
            wished_scale(Wish(scale=scale))


def test_options_are_checked_where_there_are_any() -> None:
    assert wished_options(Wish()) == ()
    assert wished_options(Wish(options=["A", "B"])) == ("A", "B")


def test_at_least_one_option_is_allowed() -> None:
    assert wished_most(Wish(most=1)) == 1
    with pytest.raises(MakesNoSense):
        wished_most(Wish(most=0))
