"""One place has one name, however its address is spelt, and however many of them it has."""

import pytest

from oauth.primitives.address_limit import network_key


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
