"""Profiles that a model wrote."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.engines.chat.profiles import UnreadableProfile, read_profile
from app.internal_api.engines.engine import Profile

WRITTEN = json.dumps({"discipline": "Coffee", "description": "Knows  coffee.", "traits": ["calm", " ", "exact"]})


@pytest.mark.parametrize(
    "text", [WRITTEN, f"```json\n{WRITTEN}\n```", f"Here you {{are}}: {WRITTEN} Enjoy!", f'{{"other": 1}} {WRITTEN}']
)
def test_a_profile_is_found_in_what_surrounds_it(text: str) -> None:
    assert read_profile(text) == Profile("Coffee", "Knows coffee.", ("calm", "exact"))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no json",
        "{" * 50_000,
        "[1]",
        '{"discipline": "x"}',
        '{"discipline": 1, "description": "x"}',
        '{"discipline": "", "description": "x"}',
    ],
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(UnreadableProfile):
        read_profile(text)


def test_traits_are_few_and_hold_no_marks() -> None:
    profile = read_profile(
        json.dumps({"discipline": "[[CITE:0]]", "description": "x", "traits": [str(number) for number in range(20)]})
    )

    assert len(profile.traits) == 8
    assert "[[" not in profile.discipline


@given(st.text())
def test_no_text_makes_it_fail_in_another_way(text: str) -> None:
    with pytest.raises(UnreadableProfile):
        read_profile(text)
