"""Options that a sentence names."""

import pytest

from app.internal_api.panels.understanding.alternatives import in_sentence, pairs_of
from app.internal_api.panels.understanding.reading import read


def found(text: str) -> list[tuple[str, ...]]:
    reading = read(text)
    return [in_sentence(reading, sentence, before) for sentence, before in pairs_of(reading.sentences)]


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("Which is best: tea, ale?", ("Tea", "Ale")),
        ("Which is best (tea, ale)?", ("Tea", "Ale")),
        ("Choose between tea and ale.", ("Tea", "Ale")),
        ("Tea or ale?", ("Tea", "Ale")),
        ("Would you rather tea or ale?", ("Tea", "Ale")),
        ("Tea or ale: which is it?", ("Tea", "Ale")),
        ("For tea or ale: is it hot?", ()),
        ("Which is it - tea or ale?", ("Tea", "Ale")),
        ("How often (daily, weekly, never)?", ("Daily", "Weekly", "Never")),
        ("How often (daily, weekly)?", ()),
        ("Why tea or ale?", ()),
        ("One or two times a week, please.", ()),
        ("Can you name tea or ale?", ()),
        ("What would you drink first: tea or ale?", ("Tea", "Ale")),
        ("What do you think of these: tea or ale?", ()),
        ("Our drinks: tea, ale.", ()),
        ("How do you choose between tea and ale?", ()),
        ("Which drinks (such as tea, ale) do you miss?", ()),
    ],
)
def test_the_options_of_a_sentence_are_found(text: str, options: tuple[str, ...]) -> None:
    assert found(text) == [options]


def test_a_sentence_completes_the_question_before_it_and_no_other() -> None:
    assert found("Is it hot? Yes, no.") == [(), ("Yes", "No")]
    assert found("Which one? Tea, ale.") == [(), ("Tea", "Ale")]
    assert found("Which one? (Tea or ale)") == [(), ("Tea", "Ale")]
    assert found("Which one? One or two words will do.") == [(), ()]
    assert found("Which one? Well. Tea, ale.") == [(), (), ()]
