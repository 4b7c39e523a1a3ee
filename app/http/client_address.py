"""Where a request comes from: the peer, or what trusted proxies say of it. Nobody else's word counts.

Each proxy writes the address that it was called from at the end of `X-Forwarded-For`. Read from the right, the first
address that is no trusted proxy's is the client's; what stands left of it is the client's own invention. Other headers
of this kind (`Forwarded`, `X-Real-IP`, those of CDNs) are not read at all.
"""

import ipaddress
from collections.abc import Sequence

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
FARTHEST = 16
"""Proxies that are looked through; more are no chain but an attack on its reader."""


class ClientAddressMiddleware:
    """Puts the client's address into `scope["client"]`, in its canonical form.

    uvicorn can do that, too. It takes a proxy that is connected to a socket for both families (`::ffff:10.0.0.1`) for
    another one than `10.0.0.1`, and any text in the header for an address.
    """

    def __init__(self, app: ASGIApp, trusted: Sequence[str]) -> None:
        self.app = app
        self._trusted = [ipaddress.ip_network(network) for network in trusted]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope.get("client"):
            host, port = scope["client"]
            found = self.client(host, Headers(scope=scope).getlist("x-forwarded-for") if self._trusted else [])
            scope["client"] = (found, port if found == host else 0)
        await self.app(scope, receive, send)

    def client(self, peer: str, forwarded: Sequence[str]) -> str:
        """The address of who asks, when `peer` is connected and these are the lines of the header."""
        at = read_address(peer)
        if at is None:
            return peer
        hops = ",".join(forwarded).split(",") if forwarded else []
        for hop in hops[: -FARTHEST - 1 : -1]:
            before = read_address(hop) if self._is_proxy(at) else None
            if before is None:  # nobody to be believed said it, or it is no address
                break
            at = before
        return str(at)

    def _is_proxy(self, address: Address) -> bool:
        return any(address in network for network in self._trusted)


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
