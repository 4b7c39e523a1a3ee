"""Where a request comes from, as what is limited or throttled counts it. Pure."""

import ipaddress
from functools import lru_cache

IPV6_SITE = 64
REMEMBERED = 4_096
"""Addresses, each of which is asked about several times in every request."""


@lru_cache(REMEMBERED)
def network_key(address: str) -> str:
    """One form for the many spellings of an address; an IPv6 site is one place, because it has 2**64 addresses."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.IPv6Network((parsed, IPV6_SITE), strict=False))
