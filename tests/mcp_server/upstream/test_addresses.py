"""Which addresses are public, and which targets are refused before anybody resolves them."""

from ipaddress import IPv4Address, IPv6Address

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.upstream.addresses import AddressRefused, AllowedHosts, check_target, is_public

# fmt: off
ODD_HOSTS = [
    "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "127.0.0.1.", "127.0.0.0x1",
    "010.8.8.8", "256.1.1.1", "8.8.2056", "[::1%25lo]", "a%00b.example", "127.0.0.1%2eexample",
]
# fmt: on


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("ftp://example.com/", "not_http"),
        ("file:///etc/passwd", "not_http"),
        ("gopher://example.com/", "not_http"),
        ("http://ada:secret@example.com/", "credentials_in_url"),
        ("http://ada@example.com/", "credentials_in_url"),
        ("http://127.0.0.1%2f@example.com/", "credentials_in_url"),
        ("http://example.com:22/", "bad_port"),
        ("http://example.com:25/", "bad_port"),
        ("http://example.com:6379/", "bad_port"),
        ("http://example.com:0/", "bad_port"),
        ("http://example.com:65536/", "bad_port"),
        ("http:///path", "bad_host"),
    ],
)
def test_an_address_of_the_wrong_kind_is_refused(url: str, code: str) -> None:
    with pytest.raises(AddressRefused) as refusal:
        check_target(httpx2.URL(url), AllowedHosts())

    assert refusal.value.code == code


@pytest.mark.parametrize("host", ODD_HOSTS)
def test_a_host_in_an_odd_spelling_is_refused(host: str) -> None:
    with pytest.raises((AddressRefused, httpx2.InvalidURL)):
        check_target(httpx2.URL(f"http://{host}/"), AllowedHosts())


@given(st.ip_addresses(v=4))
def test_no_form_of_ipv6_smuggles_an_ipv4_address(inside: IPv4Address) -> None:
    bits = int(inside)
    forms = [bits, (0xFFFF << 32) | bits, (0x64FF9B << 96) | bits, (0x2002 << 112) | (bits << 80)]
    teredo = (0x20010000 << 96) | (bits ^ 0xFFFFFFFF)

    public = [form for form in (*forms, teredo) if is_public(str(IPv6Address(form)))]

    assert public == []


@given(st.ip_addresses())
def test_what_is_taken_for_public_is_global(address: IPv4Address | IPv6Address) -> None:
    assert address.is_global or not is_public(str(address))


@pytest.mark.parametrize("address", ["8.8.8.8", "93.184.215.14", "172.32.0.1", "2606:2800:21f:cb07::1"])
def test_addresses_of_the_public_internet_are_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize("text", ["127.0.0.1", "127.0.0.1:", ":80", "a:0", "a:65536", "a:b", "a:²"])
def test_a_wrong_allow_list_is_refused_at_the_start(text: str) -> None:
    with pytest.raises(ValueError, match="FETCH_ALLOW_HOSTS"):
        AllowedHosts.parse(text)
