"""What each protection costs is worked out within a round, and said for all that this gateway can switch off."""

from pathlib import Path

import pytest

from bench import protections
from bench.measure import Plan
from bench.protections import SWITCHES, TOGETHER, Cost, Switch, costs, guard_microseconds, measure, table
from tests.edge import settings_for

PRESENT = [switch for switch in SWITCHES if switch.is_there]


def test_a_cost_is_the_median_of_the_rounds_and_the_breaker_comes_on_top() -> None:
    rounds = [
        {**dict.fromkeys((switch.name for switch in SWITCHES), figure), TOGETHER: 2 * figure}
        for figure in (10.0, 90.0, 12.0)
    ]

    told = {cost.protection: cost.microseconds for cost in costs(rounds, breaker=5.0)}

    assert told == {**{switch.name: 12.0 for switch in SWITCHES}, "breaker": 5.0, TOGETHER: 29.0}


def test_what_this_gateway_cannot_switch_off_is_said_to_be_missing() -> None:
    told = costs([{TOGETHER: 1.0}], breaker=1.0)

    assert "missing" in table(told)
    assert not Switch("nothing", {"NO_SUCH_SETTING": "false"}).is_there


@pytest.mark.parametrize("switch", PRESENT, ids=lambda switch: switch.name)
def test_a_switch_is_a_setting_that_can_be_off(switch: Switch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = settings_for(tmp_path)
    for name, value in switch.settings.items():
        monkeypatch.setenv(name, value)

    switched = settings_for(tmp_path)

    for name in switch.settings:
        assert getattr(switched, name.lower()) != getattr(usual, name.lower())


async def test_the_breaker_costs_something() -> None:
    assert await guard_microseconds(calls=100) > 0


def test_a_run_measures_what_it_is_told_to(tmp_path: Path) -> None:
    told = measure(Plan(rounds=1, seconds=0.2, connections=2), tmp_path, lambda _words: None, PRESENT[:1])

    measured = {cost.protection for cost in told if cost.microseconds is not None}
    assert measured == {PRESENT[0].name, "breaker", TOGETHER}
    assert isinstance(told[-1], Cost)
    assert protections.ALLOWED_MICROSECONDS == 150
