"""What each protection costs is the difference of the best rounds, told for all that this gateway can switch off."""

from pathlib import Path

import pytest

from bench import protections
from bench.inside import Measured, asked
from bench.protections import EVERYTHING, SWITCHES, TOGETHER, WAY_OUT, Cost, Switch, costs, measure, table
from tests.edge import settings_for
from tests.processes import DidNotStart

PRESENT = [switch for switch in SWITCHES if switch.is_there]


def at(speed: float, *calls: float) -> list[Measured]:
    """What processes measure while the machine takes so many times as long."""
    return [Measured(call * speed, 400 * speed) for call in calls]


def test_a_cost_is_the_difference_of_calls_on_the_fastest_machine_and_what_is_measured_alone_comes_on_top() -> None:
    names = [switch.name for switch in SWITCHES]
    rounds = [
        {
            EVERYTHING: at(speed, 890.0, 910.0),
            **{name: at(2 * speed, 870.0, 870.0) for name in names},
            TOGETHER: at(1 / speed, 800.0, 800.0),
        }
        for speed in (1, 1.5, 0.5)
    ]

    told = {cost.protection: cost.microseconds for cost in costs(rounds, way_out=5.0)}

    assert told == {EVERYTHING: 450.0, **dict.fromkeys(names, 15.0), WAY_OUT: 5.0, TOGETHER: 55.0}


def test_a_difference_is_told_with_its_standard_error() -> None:
    told = {
        cost.protection: cost.error
        for cost in costs([{EVERYTHING: at(1, 890.0, 910.0), TOGETHER: at(1, 800.0, 800.0)}], way_out=5.0)
    }

    assert (told[EVERYTHING], told[TOGETHER], told[WAY_OUT]) == (10.0, 10.0, None)


def test_what_this_gateway_cannot_switch_off_is_said_to_be_missing() -> None:
    told = costs([{EVERYTHING: at(1, 2.0), TOGETHER: at(1, 1.0)}], way_out=1.0)

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


def test_a_run_measures_what_it_is_told_to(tmp_path: Path) -> None:
    told = measure(1, tmp_path, lambda _words: None, 5.0, PRESENT[:1], calls=5)

    measured = {cost.protection for cost in told if cost.microseconds is not None}
    assert measured == {EVERYTHING, PRESENT[0].name, WAY_OUT, TOGETHER}
    assert isinstance(told[-1], Cost)
    assert protections.ALLOWED_MICROSECONDS == 150


def test_a_process_that_cannot_start_is_told_with_its_own_words(tmp_path: Path) -> None:
    with pytest.raises(DidNotStart, match="log_level"), asked("bad", {"LOG_LEVEL": "nonsense"}, tmp_path, 1) as bad:
        bad.measured()
