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
        ("Is the tea too hot, mild or too cold for you?", ("Too hot", "Mild", "Too cold")),
        ("Is the tea very hot, hot, cold or very cold?", ("Very hot", "Hot", "Cold", "Very cold")),
        ("Is the tea good, bad or somewhere in between?", ("Good", "Bad", "Somewhere in between")),
        ("Is the tea more than $5, $4 to $5 or less than $4?", ("More than $5", "$4 to $5", "Less than $4")),
        ("Do you drink it daily, weekly or never?", ("Daily", "Weekly", "Never")),
        ("Trinken Sie im Büro, zu Hause oder unterwegs?", ("Im Büro", "Zu Hause", "Unterwegs")),
        ("Kommt Ihnen der Tee zu oft, genau richtig oder zu selten?", ()),
        ("Ist der Tee zu oft, genau richtig oder zu selten da?", ("Zu oft", "Genau richtig", "Zu selten")),
        ("Ist der Tee zu frisch, genau richtig oder zu trocken?", ("Zu frisch", "Genau richtig", "Zu trocken")),
        ("Sind Sie zufrieden, neutral oder sehr unzufrieden?", ("Zufrieden", "Neutral", "Sehr unzufrieden")),
        ("Sind Sie zufrieden, neutral oder unzufrieden?", ("Zufrieden", "Neutral", "Unzufrieden")),
        ("Have you drunk tea at home, at work or at school?", ()),
        ("Is there tea, ale or milk?", ()),
        ("Are you, your wife or your children thirsty?", ()),
        ("Is it hot, cold, or has it no taste?", ()),
        ("Is it hot, cold or quite like what people drink elsewhere?", ()),
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
