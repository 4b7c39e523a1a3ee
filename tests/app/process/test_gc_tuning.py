"""The collector rests while modules are imported, and not a moment longer."""

import gc

import pytest

from app.process.gc_tuning import growing


def test_the_collector_rests_while_something_grows_and_works_afterwards_whatever_happens() -> None:
    rested = []

    def fail() -> None:
        with growing():
            rested.append(not gc.isenabled())
            raise ImportError

    with pytest.raises(ImportError):
        fail()

    assert (rested, gc.isenabled()) == ([True], True)


def test_a_collector_that_rested_before_rests_on() -> None:
    with growing():
        with growing():
            pass

        assert not gc.isenabled()
