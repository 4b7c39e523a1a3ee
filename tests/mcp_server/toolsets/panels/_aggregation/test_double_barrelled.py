"""Two questions in one are told by the words that make them two."""

import pytest

from mcp_server.toolsets.panels._aggregation.double_barrelled import two_questions


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("how fast and easy is the app?", "how fast and easy"),
        ("is the app fast and easy?", "is the app fast and easy?"),
        ("how satisfied are you with the price and the quality?", "the price and the quality"),
        ("would you buy and recommend it?", "would you buy and recommend"),
        ("do you like it, and would you buy it?", "and would you buy it?"),
        ("do you like it? would you buy it?", "would you buy it?"),
        (
            "on a scale of 1 to 5 how good is it, and on a scale of 1 to 10 how cheap?",
            "and on a scale of 1 to 10 how cheap",
        ),
        ("please rate price, speed and support on a scale of 1 to 5.", "price, speed and support"),
        ("please rate the following: price, speed, and support", "the following: price, speed, and support"),
        ("how satisfied are you with the speed, price and support?", "the speed, price and support"),
        ("ist die app schnell und einfach?", "ist die app schnell und einfach?"),
        ("sind die preise fair und verstandlich?", "sind die preise fair und verstandlich?"),
        ("question: how fast and easy is it?", "how fast and easy"),
    ],
)
def test_the_two_things_are_shown(text: str, shown: str) -> None:
    assert two_questions(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "how fast is the app?",
        "is it fast or easy?",
        "why or why not?",
        "would you pay for it? why or why not?",
        "what would make you switch, and why?",
        "which matters most: price and quality, or speed?",
        "which of these do you prefer: fast and cheap, slow and good?",
        "how satisfied are you with the terms and conditions?",
        "how likely are you to recommend us to friends and family?",
        "how important is the time between ordering and delivery?",
        "ist der laden am samstag und sonntag offen?",
        "how satisfied are you with the app, on the whole, and why?",
        "on a scale of 1 to 5, how likely are you, on this scale, to buy?",
        "rate the app on a scale from 1 (slow) to 5 (fast).",
        "rate it between 1 and 10.",
        "does it help? if so, how come?",
        "rate the app and explain your choice.",
        "which of these should we improve? pick up to 2: locks, batteries, app, stations",
        "would you buy it and why?",
        "",
    ],
)
def test_one_question_is_one(text: str) -> None:
    assert two_questions(text) is None
