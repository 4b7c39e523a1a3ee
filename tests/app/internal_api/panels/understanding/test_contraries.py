"""Deeds that exclude each other."""

import pytest

from app.internal_api.panels.understanding.contraries import exclude_each_other


@pytest.mark.parametrize(
    ("deeds", "exclude"),
    [
        (("rent", "own"), True),
        (("own", "rent"), True),
        (("walk", "drive", "fly"), True),
        (("buy", "recommend"), False),
        (("buy", "buy"), False),
        (("buy",), False),
    ],
)
def test_one_of_two_contrary_deeds_is_done(deeds: tuple[str, ...], exclude: bool) -> None:
    assert exclude_each_other(deeds) is exclude
