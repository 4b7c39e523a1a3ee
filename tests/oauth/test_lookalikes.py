"""What a word of lookalikes seems to say."""

import pytest

from oauth.primitives.confusables import has_only_its_shape, looks_latin, pretends_a_name


@pytest.mark.security("CO-07")
@pytest.mark.parametrize(
    "name", ["\u0430\u0440\u0440\u04cf\u0435", "\u0425\u0410\u0406", "Open \u0410\u0406", "M\u0131nds", "Cl\u00e0ude 2"]
)
def test_a_trusted_name_in_other_letters_is_pretended(name: str) -> None:
    assert pretends_a_name(name)


@pytest.mark.parametrize(
    "name", ["Claude", "Open AI", "\u041c\u041e\u0421\u0422", "\u0421\u0421\u0421\u0420", "M\u00fcnchen", ""]
)
def test_a_plain_name_and_an_ordinary_word_pretend_nothing(name: str) -> None:
    assert not pretends_a_name(name)


def test_letters_are_known_by_their_shape() -> None:
    assert looks_latin("\u0430")
    assert not looks_latin("\u0436")
    assert looks_latin("\u13df")
    assert has_only_its_shape("\uab9f")  # small, and shaped as its capital
    assert not has_only_its_shape("\u0430")
