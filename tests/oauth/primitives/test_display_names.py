"""A name is shown without what hides or reorders; what may imitate is told; a host keeps its end."""

import tomllib
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oauth.primitives.display_names import MAX_HOST, MAX_NAME, NAMELESS, may_imitate, shown_host, shown_name

CASES = tomllib.loads(Path(__file__).with_name("display_names.toml").read_text("utf-8"))


@pytest.mark.security("CO-07", "CO-19")
@given(st.text(max_size=200))
def test_whatever_a_name_is_it_is_shown_in_one_short_line_that_hides_nothing(name: str) -> None:
    shown = shown_name(name)

    assert 0 < len(shown) <= MAX_NAME
    assert {unicodedata.category(character) for character in shown}.isdisjoint({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
    assert shown == shown.strip()
    assert set(shown).isdisjoint("\ufe0f\U000e0100\u17b4\u180b\u180f\u3164")


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Claude", "Claude"),
        ("  Café\r\n\tTools ", "Café Tools"),
        ("evil\u202eedualC\u202c", "eviledualC"),
        ("Cl\u200bau\u2060de\ufeff", "Claude"),
        ("\u2066\u3164\u2069", NAMELESS),
        ("", NAMELESS),
        ("e" + "\u0335" * 50 + "!", "e\u0335\u0335!"),
        ("x" * 2_000, "x" * 79 + "…"),
    ],
)
def test_hidden_characters_are_gone_and_the_rest_stays(name: str, shown: str) -> None:
    assert shown_name(name) == shown


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind in ("honest", "lookalikes") for name in CASES[kind]])
def test_a_name_in_one_language_is_no_imitation_and_one_in_lookalikes_of_another_is_told(kind: str, name: str) -> None:
    assert may_imitate(name) is (kind == "lookalikes")


@pytest.mark.security("CO-19")
def test_a_long_host_is_cut_at_its_front() -> None:
    host = "claude.ai." + "x" * 200 + ".evil.example"

    assert shown_host(host).endswith(".evil.example")
    assert len(shown_host(host)) == MAX_HOST
    assert shown_host("claude.ai") == "claude.ai"
