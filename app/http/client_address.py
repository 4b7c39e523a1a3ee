"""Where a request comes from: the peer, or what trusted proxies say of it. Nobody else's word counts.

Each proxy writes the address that it was called from at the end of `X-Forwarded-For`. Read from the right, the first
address that is no trusted proxy's is the client's; what stands left of it is the client's own invention. Other headers
of this kind (`Forwarded`, `X-Real-IP`, those of CDNs) are not read at all.

uvicorn can do that, too. It takes a proxy that is connected to a socket for both families (`::ffff:10.0.0.1`) for
another one than `10.0.0.1`, and any text in the header for an address.
"""

import ipaddress
from collections.abc import Sequence
from functools import lru_cache

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
MAX_HOPS = 16
"""Proxies that are looked through; more are no chain but an attack on its reader."""


def client_address(peer: str, forwarded: Sequence[str], trusted: Sequence[Network]) -> str:
    """The client's address in its canonical form, when `peer` is connected and these are the lines of the header."""
    client = read_address(peer)
    if client is None:
        return peer
    hops = ",".join(forwarded).split(",") if forwarded else []
    for hop in hops[: -MAX_HOPS - 1 : -1]:
        before = read_address(hop) if any(client in network for network in trusted) else None
        if before is None:  # nobody to be believed said it, or it is no address
            break
        client = before
    return str(client)


@lru_cache(maxsize=4_096)
def read_address(text: str) -> Address | None:
    """An address as proxies write it: bare, `[v6]`, with a port, or an IPv4 address in IPv6 form; else None."""
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return (address.ipv4_mapped or address) if isinstance(address, ipaddress.IPv6Address) else address
