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
        (
            "should the company reduce prices and improve quality?",
            "should the company reduce prices and improve quality",
        ),
        ("would you raise taxes and expand schools?", "would you raise taxes and expand schools"),
        ("do you think prices and wages should rise?", "think prices and wages should"),
        ("should prices and wages rise?", "should prices and wages rise"),
        ("glauben sie, dass preise und lohne steigen?", "glauben sie, dass preise und lohne steigen"),
        ("¿cree que los precios y los salarios suben?", "cree que los precios y los salarios suben"),
        ("pensez-vous que les prix et les salaires montent ?", "pensez-vous que les prix et les salaires"),
        ("sollte die firma preise senken und lohne erhohen?", "sollte die firma preise senken und lohne erhohen?"),
        ("how often and how well do you read?", "how often and how"),
        ("do you like it? ¿lo compraria, o no?", "lo compraria, o no?"),
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
        "what do you drink in the morning? coffee, tea, juice or nothing?",
        "why do you exercise? health, fun, looks or company?",
        "how satisfied are you with the mac and cheese?",
        "do you like rock and roll?",
        "how would you rate the rhythm and blues?",
        "do you like salt and vinegar crisps?",
        "how do you rate procter and gamble?",
        "how satisfied are you with the rules and regulations?",
        "would you stop and look at this poster?",
        "would you come and see us?",
        "can you read and write?",
        "rate these flavours: salt and pepper, chili and lime",
        "should men and women be paid alike?",
        "do you think mom and dad should know?",
        "should the company keep its name?",
        "where do you shop? online? in stores?",
        "was trinken sie? tee, kaffee oder nichts?",
        "",
    ],
)
def test_one_question_is_one(text: str) -> None:
    assert two_questions(text) is None


@pytest.mark.parametrize(
    "question",
    [
        "should schools start later and have longer holidays?",
        "did our staff greet you and offer help?",
    ],
)
def test_two_deeds_of_one_who_is_asked_about_are_two_questions(question: str) -> None:
    assert two_questions(question) is not None
