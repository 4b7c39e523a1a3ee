"""Some fast observations of a second have an exemplar, and each slow one has."""

from collections.abc import Iterator

import pytest

from app.metrics.exemplars import EXEMPLARS, SLOW, Exemplars
from mcp_server.observability.tracing import current_request

HERE = {"request_id": "here"}


@pytest.fixture
def _request() -> Iterator[None]:
    token = current_request.set("here")
    yield
    current_request.reset(token)


@pytest.mark.usefixtures("_request")
def test_of_many_fast_ones_in_a_second_some_have_one_and_each_slow_one_has() -> None:
    now = 5.0
    exemplars = Exemplars(lambda: now)

    assert [exemplars.of(0.002) for _ in range(EXEMPLARS + 1)] == [HERE] * EXEMPLARS + [None]
    assert exemplars.of(SLOW) == HERE
    now = 6.0
    assert exemplars.of(0.002) == HERE


def test_outside_of_a_request_there_is_nothing_to_read() -> None:
    assert Exemplars().of(1.0) is None
