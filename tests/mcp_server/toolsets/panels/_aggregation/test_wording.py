"""The two faults of wording that matter most are found, and sound wording is left alone."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.toolsets.panels._aggregation.caveats import low_is_good, wording_caveats

SOUND = """
How likely are you to recommend us to friends and colleagues?
Which of these features would you use (pick up to 3)?
What is unclear, credible, missing?
Would you pay $15/month for X? Why or why not?
What do you like and dislike about the app?
Which do you prefer: fast and cheap, or slow and good?
How much do you agree or disagree that the app is easy to use?
To what extent do you agree or disagree that the price is fair?
What are the pros and cons of working from home?
How satisfied are you with the terms and conditions?
What comes to mind when you hear the tagline "Fast and easy, isn't it?"
On a scale between 1 and 10, how clear is the page?
How many cups of coffee and tea do you drink?
Which plan would you choose and why?
Wie zufrieden sind Sie mit dem Preis?
"""
BENT = """
leading: Don't you agree that the price is fair?
leading: Do you agree that the app is easy?
leading: The app is easy, isn't it?
leading: Obviously it is cheap. How do you like it?
leading: Finden Sie nicht, dass es teuer ist?
leading: C'est facile, n'est-ce pas ?
leading: ¿No cree que el precio es justo?
double_barrelled: How fast and reliable is the app?
double_barrelled: How satisfied are you with the price and the quality?
double_barrelled: How would you rate the food and the service?
double_barrelled: Do you like it and would you buy it?
double_barrelled: Was it easy and how often do you use it?
double_barrelled: Wie schnell und einfach ist die App?
reversed_scale: How good is it? 1 = best, 6 = worst
reversed_scale: Bitte bewerten Sie mit Schulnoten.
"""


def codes(question: str) -> list[str]:
    return [code for code, _ in wording_caveats(question)]


@pytest.mark.parametrize("question", SOUND.strip().splitlines())
def test_a_sound_question_is_left_alone(question: str) -> None:
    assert codes(question) == []


@pytest.mark.parametrize("line", BENT.strip().splitlines())
def test_a_bent_question_gets_its_warning_and_a_better_wording(line: str) -> None:
    code, _, question = line.partition(": ")

    ((found, message),) = wording_caveats(question)

    assert found == code
    assert re.search(r"\bAsk\b", message)


def test_a_low_grade_is_said_to_be_the_good_one() -> None:
    assert low_is_good("From 1 (very good) to 6?")
    assert not low_is_good("From 1 (very bad) to 10 (very good)?")


@given(st.text(max_size=300))
def test_any_text_can_be_read(question: str) -> None:
    assert len(codes(question)) == len(set(codes(question)))
