"""How much is tried: little in the suite, as much as `make fuzz N=100000` says by hand."""

import os

from hypothesis import HealthCheck, settings

VARIABLE = "FUZZ_EXAMPLES"
SMALL = 60
HANG = 20.0
"""Seconds after which an answer counts as none. The matrix says three, on a machine that does nothing else."""


def examples(share: float = 1.0) -> int:
    """The examples of one test; `share` of them where an example is dear."""
    return max(1, int(int(os.environ.get(VARIABLE, SMALL)) * share))


def bounded(share: float = 1.0) -> settings:
    """For a test whose fixtures serve all its examples."""
    return settings(
        max_examples=examples(share),
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
    )
