"""Segments, weights and a rerun are made of the answers alone, with the same honesty as groups."""

from dataclasses import replace

import pytest

from mcp_server.errors import InvalidArguments
from mcp_server.toolsets.panels._aggregation.gathering import NOT_TOLD
from mcp_server.toolsets.panels._change import said_of_change
from mcp_server.toolsets.panels._lens import TOO_FEW, Lens, banded
from mcp_server.toolsets.panels._study import Mark
from tests.mcp_server.toolsets.panels._aggregation.replies import choice, open_question, replies, scale

NORTH, SOUTH = {"region": "North", "role": "Buyer"}, {"region": "South", "role": "Buyer"}
TOLD = {f"Founders-{number}": NORTH if number < 4 else SOUTH for number in range(1, 6)}
ASKED = scale(replies(["9", "8", "7", "2", "3"]), replies(["5"], "Others"))


def test_segments_replace_groups_and_hold_everyone_once() -> None:
    result = Lens(TOLD, ("region",)).section(ASKED).result

    assert [(one.group, one.n, one.scale and one.scale.mean) for one in result.groups] == [
        ("region: North", 3, 8),
        ("region: South", 2, 2.5),
        (f"region: {NOT_TOLD}", 1, None),
    ]
    assert (result.by, result.overall.n, result.groups[2].value) == (["region"], 6, TOO_FEW)


def test_two_attributes_make_cells() -> None:
    result = Lens({**TOLD, "Founders-1": {"region": "North", "role": "User"}}, ("role", "region")).section(ASKED).result

    assert [(one.group, one.n) for one in result.groups][:3] == [
        ("role: Buyer, region: North", 2),
        ("role: Buyer, region: South", 2),
        ("role: User, region: North", 1),
    ]


def test_an_attribute_that_nobody_has_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(InvalidArguments, match="region, role"):
        Lens(TOLD, ("age",)).check()


def test_a_value_that_nobody_has_gets_no_weight_and_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(InvalidArguments, match="nobody has region Nord; there are North, South"):
        Lens(TOLD, weights=("region", {"Nord": 0.5, "south": 0.5})).check()


def test_values_that_differ_by_capitals_only_are_one_segment() -> None:
    result = Lens({**TOLD, "Founders-1": {"region": "NORTH"}}, ("region",)).section(ASKED).result

    assert [one.n for one in result.groups] == [3, 2, 1]


def test_ages_are_compared_in_bands_of_ten_and_few_numbers_one_by_one() -> None:
    ages = {
        f"{age}": {"age": str(age), "floor": str(age % 3), "pay": str(age * 1_000)} for age in (*range(18, 40), 104)
    }

    told = banded({**ages, "x": {"age": "unknown"}})
    people = replace(ASKED, replies=replies(["5"] * 23 + ["6"]))
    identified = zip(people.replies, told, strict=True)
    asked = replace(people, replies=tuple(replace(one, persona_id=identity) for one, identity in identified))
    by_age = Lens(told, ("age",)).section(asked).result.groups

    assert [one.group for one in by_age] == ["age: 10-19", "age: 20-29", "age: 30-39", "age: 100-109", "age: unknown"]
    assert {one["floor"] for one in told.values() if "floor" in one} == {"0", "1", "2"}
    assert told["20"]["pay"] == "20000-29999"


def test_weights_give_each_value_its_share_and_tell_the_effective_n() -> None:
    weighted = Lens(TOLD, weights=("region", {"North": 0.5, "South": 0.5, "East": 0.0})).section(ASKED).result.weighted

    assert weighted is not None
    assert weighted.mean == pytest.approx((8 + 2.5) / 2)
    assert weighted.effective_n == pytest.approx(1 / (3 * (1 / 6) ** 2 + 2 * (1 / 4) ** 2))
    assert (weighted.n, weighted.left_out, weighted.missing) == (5, 1, ["East"])


def test_weighted_shares_stand_beside_the_unweighted() -> None:
    asked = choice(replies(["Price", "Price", "Price", "Quality", "Quality"]))
    result = Lens(TOLD, weights=("region", {"north": 0.2, "south": 0.8})).section(asked).result

    assert result.weighted is not None
    assert {one.value: one.share for one in result.weighted.shares} == pytest.approx(
        {"Price": 0.2, "Quality": 0.8, "Service": 0}
    )
    assert [one.code for one in result.caveats][-1] == "weighted"


def test_a_rerun_tells_who_moved_in_each_group_and_how_far() -> None:
    before = replace(scale(replies(["9", "9", "7", "2", "2"])), id="before")
    change = Lens(earlier=before).section(ASKED).result.change

    assert change is not None
    assert (change.n, change.moved, change.share_moved, change.repeatability) == (5, 2, 0.4, 0.6)
    (shift,) = change.shifts
    assert (shift.before, shift.after, shift.difference) == pytest.approx((5.8, 5.8, 0))
    assert shift.interval is not None
    assert shift.interval.low < 0 < shift.interval.high
    assert [(one.group, one.n, one.moved) for one in change.by_group] == [("Founders", 5, 2), ("Others", 0, 0)]
    assert [one.shift for one in change.by_group] == [shift, None]
    told = list(said_of_change(change))
    assert told[0].endswith("By group: Founders 2 of 5 (+0.00; interval -0.88 to +0.88), Others 0 of 0.")
    assert told[1] == "mean of these: 5.8 before, 5.8 now (+0.00; interval -0.88 to +0.88)."


def test_a_rerun_of_choices_has_the_shift_of_each_share() -> None:
    before = replace(choice(replies(["Price", "Price", "Price", "Price"])), id="before")
    change = Lens(earlier=before).section(choice(replies(["Price", "Quality", "Price", "Quality"]))).result.change

    assert change is not None
    assert {one.measure: one.difference for one in change.shifts} == {"Price": -0.5, "Quality": 0.5}


@pytest.mark.parametrize("other", [open_question(), choice(), replace(ASKED, text="Another?")])
def test_another_question_is_not_compared(other: object) -> None:
    with pytest.raises(InvalidArguments):
        Lens(earlier=other).section(ASKED)  # type: ignore[arg-type]  # one of the three


@pytest.mark.parametrize("coded_by", [None, "embeddings"])
def test_open_questions_are_compared_only_where_both_were_coded_in_the_same_way(coded_by: str | None) -> None:
    earlier = open_question(replies(["Quiet"]), coded_by=coded_by)
    with pytest.raises(InvalidArguments, match="in the same way"):
        Lens(earlier=earlier).section(open_question(replies(["Quiet"]), coded_by="model"))


def test_nothing_is_compared_where_only_those_were_coded_who_repeat_themselves() -> None:
    before = replace(open_question(replies(["Quiet"]), coded_by="model"), id="before")
    now = replace(open_question(replies(["Quiet"]), coded_by="model"), coding_failure="it answers 500")
    with pytest.raises(InvalidArguments, match="in the same way"):
        Lens(earlier=before).section(now)


def test_coded_answers_are_compared_by_their_themes() -> None:
    quiet, price = (Mark("c1", "Quiet"),), (Mark("c2", "Price"),)
    before = replies(["Hush"], "A", codes=quiet), replies(["Loud"], "B", codes=quiet)
    now = replies(["Silence"], "A", codes=quiet), replies(["Cost"], "B", codes=price)

    lens = Lens(earlier=replace(open_question(*before, coded_by="model"), id="before"))
    result = lens.section(open_question(*now, coded_by="model")).result

    assert result.change is not None
    assert (result.change.n, result.change.moved) == (2, 1)
    assert {one.measure: one.difference for one in result.change.shifts} == {"Price": 0.5, "Quiet": -0.5}
