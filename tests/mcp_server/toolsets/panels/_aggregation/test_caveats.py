"""What must be said beside the figures is said, and only then."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.toolsets.panels._aggregation.aggregate import aggregate
from mcp_server.toolsets.panels._aggregation.caveats import caveats, low_is_good, wording_caveats
from mcp_server.toolsets.panels._aggregation.differences import compare
from mcp_server.toolsets.panels._aggregation.gathering import gather
from mcp_server.toolsets.panels._aggregation.summaries import summarize
from mcp_server.toolsets.panels._study import AskedQuestion
from tests.mcp_server.toolsets.panels._aggregation.replies import choice, open_question, replies, scale, several

SOUND = scale(replies(["7", "8"] * 10))


def said(asked: AskedQuestion) -> dict[str, str]:
    gathered = gather(asked)
    overall = summarize(None, gathered.everyone, gathered)
    groups = [summarize(name, entries, gathered) for name, entries in gathered.groups.items()]
    return {caveat.code: caveat.message for caveat in caveats(gathered, overall, groups, compare(gathered).made)}


def test_small_groups_are_named_with_their_size_and_a_sound_question_has_only_the_standing_caveat() -> None:
    found = said(scale(replies(["7", "8"] * 10, "Large"), replies(["7", "8"], "Small")))

    assert list(said(SOUND)) == ["synthetic"]
    assert "Small (2)" in found["small_group"]
    assert "Large" not in found["small_group"]


def test_those_who_failed_are_named_up_to_five() -> None:
    failed = replies([None] * 7, status="failed", error="engine_error", persona_id=None)
    slow = replies([None], "Founders", status="timeout", persona="Zoe", persona_id="z")

    found = said(replace(SOUND, replies=(*SOUND.replies, *failed, *slow)))["failed"]

    assert found.startswith("8 personas gave no answer: engine_error (7), too slow (1). They are ")
    assert "and 3 more" in found
    assert "Zoe (too slow)" in said(replace(SOUND, replies=(*SOUND.replies, *slow)))["failed"]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (replace(SOUND, status="processing"), "processing"),
        (replace(SOUND, replies=(*SOUND.replies, *replies([None], "Late", status="pending"))), "processing"),
        (replace(SOUND, status="failed"), "incomplete"),
        (replace(SOUND, engine="offline"), "offline_engine"),
        (replace(SOUND, engine="offline (client-sampling: 0 of 3)"), "offline_engine"),
        (replace(SOUND, engine="offline (client-sampling: 0 of 3)"), "client_model"),
        (replace(SOUND, notes=("Answers may be missing.",)), "note"),
        (replace(SOUND, text="How is it? 1 = best, 10 = worst"), "reversed_scale"),
        (replace(SOUND, text="Don't you agree that it is fair?"), "leading"),
        (scale(replies(["1", "10"] * 6)), "wide_interval"),
        (choice(replies(["Price"] * 6 + ["Quality"] * 3 + ["Service"])), "wide_interval"),
        (choice(replies(["Price"] * 51 + ["Quality"] * 49)), "tie"),
    ],
)
def test_each_condition_has_its_caveat(asked: AskedQuestion, expected: str) -> None:
    assert expected in said(asked)


def test_an_interval_without_width_is_not_left_to_look_certain() -> None:
    found = said(scale(replies(["7"] * 12, "Alike"), replies(["7", "8"] * 6, "Apart")))

    assert "Alike (12)" in found["no_spread"]
    assert "Apart" not in found["no_spread"]
    assert "no interval" in found["no_spread"]
    assert "no_spread" not in said(scale(replies(["7"])))


def test_many_comparisons_are_told_with_what_was_done_about_them() -> None:
    two, three = (scale(*(replies(["7", "8"] * 6, name) for name in names)) for names in ("AB", "ABC"))

    assert "many_comparisons" not in said(two)
    assert said(three)["many_comparisons"].startswith("3 comparisons")
    assert "Holm" in said(three)["many_comparisons"]


def test_who_names_nothing_is_counted_and_makes_no_theme() -> None:
    asked = open_question(replies(["No clear view", "Don't know", "Price", "Keine klare Meinung"]))

    result = aggregate(asked)

    assert next(one.message for one in result.caveats if one.code == "no_view").startswith("3 of 4 personas")
    assert [theme.label for theme in result.themes] == ["Price"]


def test_who_chose_none_of_several_or_what_was_not_offered_is_counted() -> None:
    found = said(several(replies(["Price", "none", "None", "none"])))

    assert found["none_chosen"] == "3 of 4 personas chose none of the options."
    assert "none_chosen" not in said(several(replies(["Price", "Quality"])))
    assert "Speed" in said(several(replies(["Price; Speed"])))["not_offered"]
    assert "not_offered" not in said(several(replies(["Price", "Speed"])))


def test_who_answered_without_any_knowledge_is_counted() -> None:
    bare, known = replies(["7", "8"], origin="mind_personality"), replies(["7"], "B", origin="mind_knowledge")

    assert said(scale(bare, known))["no_knowledge"].startswith("2 of 3 personas")
    assert "no_knowledge" not in said(scale(known))


NEUTRAL = """
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


@pytest.mark.parametrize("question", NEUTRAL.strip().splitlines())
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


def test_who_declined_and_whose_words_could_not_be_read_are_named_with_the_reason() -> None:
    knows_nothing = replies([None], "Late", status="declined", error="unsupported", persona="Zoe")
    unread = replies(["7 or 8"], "Odd", persona="Uma")

    found = said(replace(SOUND, replies=(*SOUND.replies, *knows_nothing, *unread, *replies(["N/A"], "No"))))

    assert found["no_view"].startswith("2 of 23 personas")
    assert "(no answer was found in its knowledge: 1)" in found["no_view"]
    assert "Zoe" in found["no_view"]
    assert "Uma" in found["uncoded"]
