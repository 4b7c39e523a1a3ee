"""What must be said beside the figures is said, and only then."""

from dataclasses import replace

import pytest

from mcp_server.toolsets.panels._aggregation.aggregate import aggregate
from mcp_server.toolsets.panels._aggregation.caveats import caveats
from mcp_server.toolsets.panels._aggregation.gathering import gather
from mcp_server.toolsets.panels._aggregation.summaries import summarize
from mcp_server.toolsets.panels._study import AskedQuestion
from tests.mcp_server.toolsets.panels._aggregation.replies import choice, open_question, replies, scale, several

SOUND = scale(replies(["7", "8"] * 10))


def said(asked: AskedQuestion) -> dict[str, str]:
    gathered = gather(asked)
    overall = summarize(None, gathered.everyone, gathered)
    groups = [summarize(name, entries, gathered) for name, entries in gathered.groups.items()]
    return {caveat.code: caveat.message for caveat in caveats(gathered, overall, groups)}


def test_a_sound_question_has_only_the_standing_caveat() -> None:
    assert list(said(SOUND)) == ["synthetic"]


def test_small_groups_are_named_with_their_size() -> None:
    found = said(scale(replies(["7", "8"] * 10, "Large"), replies(["7", "8"], "Small")))

    assert "Small (2)" in found["small_group"]
    assert "Large" not in found["small_group"]


def test_those_who_failed_are_named_up_to_five() -> None:
    failed = replies([None] * 7, status="failed", error="engine_error", persona_id=None)
    slow = replies([None], "Founders", status="timeout", persona="Zoe", persona_id="z")

    found = said(replace(SOUND, replies=(*SOUND.replies, *failed, *slow)))["failed"]

    assert found.startswith("8 personas gave no answer: engine_error (7), too slow (1). They are ")
    assert "and 3 more" in found
    assert "Zoe (too slow)" in said(replace(SOUND, replies=(*SOUND.replies, *slow)))["failed"]


def test_what_could_not_be_counted_is_told_by_name() -> None:
    assert "Founders 3" in said(scale(replies(["7", "8", "many"])))["unclear"]


def test_what_was_named_but_not_offered_is_told() -> None:
    assert "Speed" in said(several(replies(["Price; Speed"])))["not_offered"]
    assert "not_offered" not in said(several(replies(["Price", "Speed"])))


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (replace(SOUND, status="processing"), "processing"),
        (replace(SOUND, replies=(*SOUND.replies, *replies([None], "Late", status="pending"))), "processing"),
        (replace(SOUND, status="failed"), "incomplete"),
        (replace(SOUND, engine="offline"), "offline_engine"),
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


@pytest.mark.parametrize("asked", [choice(replies(["Price"] * 90 + ["Quality"] * 10)), replace(SOUND, engine="gpt")])
def test_clear_results_have_no_caveat_of_their_own(asked: AskedQuestion) -> None:
    assert list(said(asked)) == ["synthetic"]


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


def test_who_chose_none_of_several_is_counted() -> None:
    found = said(several(replies(["Price", "none", "None", "none"])))

    assert found["none_chosen"] == "3 of 4 personas chose none of the options."
    assert "none_chosen" not in said(several(replies(["Price", "Quality"])))


def test_who_answered_without_any_knowledge_is_counted() -> None:
    bare, known = replies(["7", "8"], origin="mind_personality"), replies(["7"], "B", origin="mind_knowledge")

    assert said(scale(bare, known))["no_knowledge"].startswith("2 of 3 personas")
    assert "no_knowledge" not in said(scale(known))
