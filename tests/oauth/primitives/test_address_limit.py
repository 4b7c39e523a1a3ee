"""The limit on what strangers make us do, and the one name that each of their places has."""

from datetime import timedelta

import pytest

from oauth.errors import TooManyRequests
from oauth.primitives.address_limit import AddressLimit, network_key
from tests.oauth.clients import NOW

MINUTE = timedelta(minutes=1)


@pytest.mark.security("RL-12")
def test_no_window_holds_more_and_who_waits_as_told_is_let_in() -> None:
    limit = AddressLimit(2, MINUTE)
    limit.count("a", NOW)
    limit.count("a", NOW + timedelta(seconds=59))

    with pytest.raises(TooManyRequests) as refused:
        limit.count("a", NOW + timedelta(seconds=59.5))
    assert refused.value.retry_after == 1
    limit.count("a", NOW + timedelta(seconds=60.5))
    with pytest.raises(TooManyRequests):
        limit.count("a", NOW + timedelta(seconds=61))


def test_one_place_does_not_cost_another_and_few_are_remembered() -> None:
    limit = AddressLimit(1, MINUTE, places=2)
    for place in ("a", "b"):
        limit.count(place, NOW)
    with pytest.raises(TooManyRequests):
        limit.count("a", NOW)

    limit.count("c", NOW)  # `b` was quiet for longest

    with pytest.raises(TooManyRequests):
        limit.count("a", NOW)
    limit.count("b", NOW)


@pytest.mark.security("RL-04")
@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:DB8:1:2:FFFF::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("unknown", "unknown"),
    ],
)
def test_a_client_that_can_choose_its_address_is_one_place(address: str, place: str) -> None:
    assert network_key(address) == place
