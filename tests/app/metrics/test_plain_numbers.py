"""Counters and histograms in plain numbers say what the library's own say."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry, Counter, Histogram, disable_created_metrics, generate_latest
from prometheus_client.openmetrics.exposition import generate_latest as open_text

from app.metrics.plain_numbers import Count, Counts, Distributions

BOUNDS = (0.001, 0.5, 1, 2.5, 60)
TOLD = st.lists(
    st.tuples(st.sampled_from(["list", "ask"]), st.sampled_from(BOUNDS) | st.floats(0, 100, allow_subnormal=False))
)


@given(TOLD)
def test_a_scrape_of_them_is_a_scrape_of_the_librarys(told: list[tuple[str, float]]) -> None:
    disable_created_metrics()  # type: ignore[no-untyped-call]  # it has no hints
    own, other = CollectorRegistry(), CollectorRegistry()
    family = Distributions("call_seconds", "Calls", ["tool"], BOUNDS)
    own.register(family)
    library = Histogram("call_seconds", "Calls", ["tool"], registry=other, buckets=BOUNDS)

    for tool, seconds in told:
        family.child([tool]).observe(seconds)
        library.labels(tool).observe(seconds)

    assert generate_latest(own) == generate_latest(other)
    assert open_text(own) == open_text(other)  # type: ignore[no-untyped-call]  # it has no hints


def test_the_last_exemplar_of_a_bucket_is_shown_with_it() -> None:
    registry = CollectorRegistry()
    family = Distributions("call_seconds", "Calls", [], BOUNDS)
    registry.register(family)

    for seconds, request in ((0.2, "first"), (0.3, "second"), (100.0, "slow")):
        family.child([]).observe(seconds, {"request_id": request})
    family.child([]).observe(0.4)

    shown = open_text(registry).decode()  # type: ignore[no-untyped-call]  # it has no hints
    assert 'call_seconds_bucket{le="0.5"} 3.0 # {request_id="second"} 0.3 ' in shown
    assert 'call_seconds_bucket{le="+Inf"} 4.0 # {request_id="slow"} 100.0 ' in shown
    assert shown.count("request_id") == 2


def test_a_second_family_of_the_same_name_is_refused() -> None:
    registry = CollectorRegistry()
    registry.register(Distributions("call_seconds", "Calls", [], BOUNDS))

    with pytest.raises(ValueError, match="Duplicated timeseries"):
        registry.register(Distributions("call_seconds", "Calls", [], BOUNDS))


@given(st.lists(st.tuples(st.sampled_from(["list", "ask"]), st.sampled_from([0, 1, 2.5]))))
def test_a_scrape_of_counters_is_a_scrape_of_the_librarys(told: list[tuple[str, float]]) -> None:
    disable_created_metrics()  # type: ignore[no-untyped-call]  # it has no hints
    own, other = CollectorRegistry(), CollectorRegistry()
    family = Counts("calls_total", "Calls", ["tool"])
    own.register(family)
    library = Counter("calls_total", "Calls", ["tool"], registry=other)

    for tool, amount in told:
        family.child([tool]).inc(amount)
        library.labels(tool).inc(amount)

    assert generate_latest(own) == generate_latest(other)
    assert open_text(own) == open_text(other)  # type: ignore[no-untyped-call]  # it has no hints


def test_a_counter_never_falls() -> None:
    count = Count()

    with pytest.raises(ValueError, match="never falls"):
        count.inc(-1)
    assert count.value == 0
