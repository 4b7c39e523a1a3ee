"""Which addresses may be fetched at all: pure decisions about URLs, hosts, ports and IP addresses.

`mcp_server.upstream.web` asks these questions for every request and every redirect hop.
"""

import tomllib
from ipaddress import IPv4Address, IPv4Network, IPv6Network, ip_address
from pathlib import Path

import httpx2

DEFAULT_PORTS = {"http": 80, "https": 443}
FIRST_FREE_PORT = 1024
LAST_PORT = 65535
PRIVATE = "The address is not on the public internet."
_REFUSED = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
BAD_PORTS = frozenset(_REFUSED["bad_ports"])
REFUSED_IPV4, REFUSED_IPV6 = tuple(map(IPv4Network, _REFUSED["ipv4"])), tuple(map(IPv6Network, _REFUSED["ipv6"]))
# Global unicast is the only IPv6 block that is public. Everything outside it is refused without being named:
# `::1`, mapped and compatible IPv4, NAT64 (64:ff9b::/96 and its local form), unique local, link-local,
# site-local, multicast.
PUBLIC_IPV6 = IPv6Network("2000::/3")


class AddressRefused(httpx2.TransportError):
    """An address that is never fetched.

    `code` is stable: `not_http`, `credentials_in_url`, `bad_port`, `bad_host` or `private_address`. The
    message names no address: what a name resolves to inside our network is not the user's to learn.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


AllowedHosts = frozenset[tuple[str, int]]
"""The exact `host:port` pairs of FETCH_ALLOW_HOSTS, which may be private and may use any port."""


def parse_hosts(text: str) -> AllowedHosts:
    """Read `127.0.0.1:8080, [::1]:8080 docs.test:80`. Raises ValueError: an entry is not a host and a port."""
    pairs = set()
    for entry in text.replace(",", " ").split():
        host, colon, port = entry.rpartition(":")
        if not (colon and host and port.isascii() and port.isdigit() and 0 < int(port) <= LAST_PORT):
            raise ValueError(f"FETCH_ALLOW_HOSTS: {entry!r} is not host:port")
        pairs.add((host.removeprefix("[").removesuffix("]").lower(), int(port)))
    return frozenset(pairs)


def is_public(address: str) -> bool:
    """Whether a textual IP address belongs to the public internet."""
    parsed = ip_address(address)
    if isinstance(parsed, IPv4Address):
        return not any(parsed in network for network in REFUSED_IPV4)
    return parsed in PUBLIC_IPV6 and not any(parsed in network for network in REFUSED_IPV6)


def check_target(url: httpx2.URL, allow: AllowedHosts) -> tuple[str, int]:
    """The host and port of `url`, when both may be asked for at all.

    Raises `AddressRefused`: the scheme, the user information, the host's spelling or the port.
    """
    if url.scheme not in DEFAULT_PORTS:
        raise AddressRefused("not_http", "Only http and https addresses are fetched.")
    if url.userinfo:
        raise AddressRefused("credentials_in_url", "Addresses with a user name or password are not fetched.")
    host, port = url.raw_host.decode("ascii"), url.port or DEFAULT_PORTS[url.scheme]
    if url.port == 0 or port > LAST_PORT:
        raise AddressRefused("bad_port", "There is no such port.")
    if (host, port) in allow:
        return host, port
    if (port < FIRST_FREE_PORT and port not in DEFAULT_PORTS.values()) or port in BAD_PORTS:
        raise AddressRefused("bad_port", f"Port {port} is not fetched from.")
    # `127.1`, `2130706433`, `0x7f.1` and `0177.0.0.1` are loopback to the C library and a name to others:
    # what ends in a number (in the sense of the URL standard) must be an address in its canonical spelling.
    last = host.rstrip(".").rpartition(".")[2]
    numeric = (last.isdigit() or last.startswith("0x")) and ":" not in host
    if not host or "%" in host or (numeric and not _is_canonical_ipv4(host)):
        raise AddressRefused("bad_host", "The address has no usable host name.")
    if last == "localhost":  # RFC 6761 6.3: loopback by definition, whatever a resolver makes of `localhost.`
        raise AddressRefused("private_address", PRIVATE)
    return host, port


def _is_canonical_ipv4(host: str) -> bool:
    try:
        return str(IPv4Address(host)) == host
    except ValueError:
        return False
