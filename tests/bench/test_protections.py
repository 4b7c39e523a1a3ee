"""What each protection costs is the difference of two halves, told for all that this gateway can switch off."""

from pathlib import Path

import pytest

from bench.inside import Measured
from bench.protections import EVERYTHING, SWITCHES, TOGETHER, WAY_OUT, Round, Switch, costs, table
from tests.edge import settings_for

PRESENT = [switch for switch in SWITCHES if switch.is_there]


def told_by(speed: float, *calls: tuple[float, float]) -> list[Measured]:
    """What processes measure, in yardsticks, while the machine takes so many times as long."""
    return [Measured(call, without, 400 * speed) for call, without in calls]


def test_a_cost_is_the_difference_in_yardsticks_and_what_is_measured_alone_comes_on_top() -> None:
    names = [switch.name for switch in SWITCHES]
    rounds: list[Round] = [
        {
            **{name: told_by(speed, (3.0 + odd, 2.75), (3.0 + odd, 2.75)) for name in names},
            TOGETHER: told_by(2 * speed, (3.0, 2.25), (3.0, 2.25 - odd)),
        }
        for speed, odd in ((1, 0), (1.5, 0.5), (0.5, 0))
    ]

    told = {cost.protection: cost.microseconds for cost in costs(rounds, way_out=5.0)}

    assert told == {EVERYTHING: 600.0, **dict.fromkeys(names, 50.0), WAY_OUT: 5.0, TOGETHER: 155.0}


def test_a_difference_is_told_with_its_standard_error() -> None:
    told = {cost.protection: cost.error for cost in costs([{TOGETHER: told_by(1, (3.0, 2.0), (3.0, 2.5))}], 5.0)}

    assert (told[EVERYTHING], told[TOGETHER], told[WAY_OUT]) == (0.0, 100.0, None)


def test_what_this_gateway_cannot_switch_off_is_said_to_be_missing() -> None:
    told = costs([{TOGETHER: told_by(1, (2.0, 1.0))}], way_out=1.0)

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
