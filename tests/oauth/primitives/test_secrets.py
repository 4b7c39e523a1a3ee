"""Keys as strings."""

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oauth.primitives import secrets

HEX = "0123456789abcdef"


@pytest.mark.security("AK-11")
def test_a_new_key_has_the_published_form_and_a_right_checksum() -> None:
    keys = [secrets.new_key() for _ in range(100)]

    assert all(re.fullmatch(r"minds_[0-9a-f]{48}", key) for key in keys)
    assert all(map(secrets.looks_like_key, keys))
    assert not any(map(secrets.is_misspelt, keys))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda key: key[:-1],
        lambda key: key + "0",
        lambda key: key.upper(),
        lambda key: key.replace("minds_", "MINDS_"),
        lambda key: "minds_%",
        lambda key: "minds_*",
        lambda key: "minds_" + "_" * 48,
        lambda key: key[:27],
        lambda key: key.replace("_", "-"),
        lambda key: key + "\0",
        lambda key: key + "%00",
        lambda key: key + "\n",
        lambda key: " " + key,
        lambda key: key[::-1],
        lambda key: key[:-1] + "é",
        lambda key: key[:-1] + "\N{FULLWIDTH DIGIT ONE}",
        lambda key: key[:-1] + "\N{ARABIC-INDIC DIGIT ONE}",
        lambda key: "",
    ],
)
def test_a_near_miss_is_not_recognised(spoil: Callable[[str], str]) -> None:
    assert not secrets.looks_like_key(spoil(secrets.new_key()))


@pytest.mark.security("AK-11")
@given(st.integers(0, 47), st.sampled_from(HEX))
def test_any_wrong_digit_is_a_misspelling(place: int, digit: str) -> None:
    key = secrets.new_key()
    at = len("minds_") + place
    wrong = key[:at] + digit + key[at + 1 :]

    assert secrets.is_misspelt(wrong) == (wrong != key)


SIGNED = f"{'h' * 100}.{'p' * 300}.{'s' * 85}A"


def test_only_a_short_header_a_payload_and_a_whole_signature_look_like_a_token() -> None:
    misses = [
        "", "..", "a.b.c", SIGNED[:-1], SIGNED + "A", SIGNED + ".x", SIGNED[:-1] + "B", SIGNED[:-1] + "=", " " + SIGNED,
        SIGNED + "\n", SIGNED.replace("p", "+"), SIGNED.replace("p", ""), SIGNED.replace("h", "hh" * 2),
        SIGNED.replace("h", "é"),
    ]  # fmt: skip

    assert secrets.looks_like_token(SIGNED)
    assert [miss for miss in misses if secrets.looks_like_token(miss)] == []
