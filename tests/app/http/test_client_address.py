"""Whose word counts for where a request comes from."""

from ipaddress import ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.http.request_context import client_address, read_address
from oauth.primitives.address_limit import network_key

PROXIES = ("10.0.0.1/32", "10.0.0.2/32", "2001:db8:ffff::/48")


def seen(peer: str, *lines: str, trusted: tuple[str, ...] = PROXIES) -> str:
    return client_address(peer, lines, [ip_network(network) for network in trusted])


@pytest.mark.security("RL-03")
@given(st.lists(st.one_of(st.ip_addresses().map(str), st.text(max_size=20)), max_size=5))
def test_nobody_who_is_no_trusted_proxy_can_name_another_address(words: list[str]) -> None:
    assert seen("192.0.2.9", ", ".join(words)) == "192.0.2.9"
    assert seen("10.0.0.1", *words, trusted=()) == "10.0.0.1"


@pytest.mark.security("RL-05")
@given(st.lists(st.ip_addresses().map(str), max_size=20))
def test_behind_two_proxies_the_address_before_them_counts_whatever_the_client_wrote(invented: list[str]) -> None:
    header = ", ".join([*invented, "203.0.113.7", "10.0.0.1"])

    assert seen("10.0.0.2", header) == "203.0.113.7"


@pytest.mark.security("RL-05")
@pytest.mark.parametrize(
    ("lines", "client"),
    [
        (["198.51.100.1, 203.0.113.7"], "203.0.113.7"),
        (["198.51.100.1", "203.0.113.7"], "203.0.113.7"),
        (["203.0.113.7:4711"], "203.0.113.7"),
        (["[2001:db8::7]:4711"], "2001:db8::7"),
        (["::ffff:203.0.113.7"], "203.0.113.7"),
        (["2001:DB8:0::0007"], "2001:db8::7"),
        (["203.0.113.7, unknown"], "10.0.0.1"),
        (["203.0.113.7, "], "10.0.0.1"),
        ([], "10.0.0.1"),
        (["10.0.0.2"], "10.0.0.2"),
        (["198.51.100.1, 2001:db8:ffff::9"], "198.51.100.1"),
    ],
)
def test_hops_are_read_from_the_right_in_every_spelling(lines: list[str], client: str) -> None:
    assert seen("10.0.0.1", *lines) == client


def test_a_proxy_on_a_socket_for_both_families_is_known() -> None:
    assert seen("::ffff:10.0.0.1", "203.0.113.7") == "203.0.113.7"


def test_an_endless_chain_of_proxies_is_not_followed() -> None:
    assert seen("10.0.0.1", ",".join(["203.0.113.7", *["10.0.0.2"] * 1000])) == "10.0.0.2"


@pytest.mark.security("RL-04")
def test_a_site_is_one_place_however_its_addresses_are_written() -> None:
    site = {network_key(seen(f"2001:db8:0:1::{host:x}")) for host in range(1000)}
    mapped = {network_key(seen(address)) for address in ("::ffff:192.0.2.1", "192.0.2.1", "::FFFF:C000:0201")}
    spelt = {network_key(seen(address)) for address in ("2001:DB8:0:1::A", "2001:0db8:0000:0001::000a")}

    assert (len(site), len(mapped)) == (1, 1)
    assert spelt == site


def test_what_is_no_address_is_none() -> None:
    assert {read_address(text) for text in ("", "unix:", "a.example", "[::x", "1.2.3.4.5", "999.1.1.1")} == {None}
    assert str(read_address("fe80::1%eth0")) == "fe80::1"
