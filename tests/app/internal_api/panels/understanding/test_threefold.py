"""Three and more options in the shape of a yes/no question."""

import pytest

from app.internal_api.panels.understanding.reading import read
from app.internal_api.panels.understanding.threefold import in_a_row


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("Is it hot, cold or mild?", ("Hot", "Cold", "Mild")),
        ("To you, is it hot, cold, or mild?", ("Hot", "Cold", "Mild")),
        ("Is the tea too hot, too cold or just right?", ("Too hot", "Too cold", "Just right")),
        ("Is the tea right, too hot or too cold?", ("Right", "Too hot", "Too cold")),
        ("Should we start in spring, in summer or in autumn?", ("In spring", "In summer", "In autumn")),
        ("Are you glad, calm or cross with the ale?", ("Glad", "Calm", "Cross")),
        ("Does the new tea taste sweet, sour or bitter, in your view?", ("Sweet", "Sour", "Bitter")),
        ("Do you drink tea, ale or neither?", ("Tea", "Ale", "Neither")),
        ("Do you drink tea, ale or milk?", ()),
        ("Is it hot, cold or not?", ()),
        ("Is it hot or cold?", ()),
        ("Is it hot, or so I was told by my friends, or cold?", ()),
        ("Is it hot, cold or mild.", ()),
        ("Is it, as far as you can tell, hot or cold?", ()),
        ("Is it hot,,, or ?", ()),
    ],
)
def test_all_options_are_found_and_nothing_that_stands_around_them(text: str, options: tuple[str, ...]) -> None:
    reading = read(text)

    assert in_a_row(reading, reading.sentences[0], None) == options
