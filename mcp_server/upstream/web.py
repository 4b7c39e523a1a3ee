"""An HTTP client for addresses that a user names: every request and every redirect is checked, then pinned.

A server that fetches what strangers name can be turned against its own network (SSRF): cloud metadata on
169.254.169.254, databases on loopback, routers on 192.168.1.1. So the name is resolved once, every address
of the answer must be public, and the connection goes to the address that was checked.
"""

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable, Sequence
from functools import cache, cached_property
from http.cookiejar import CookieJar, DefaultCookiePolicy

import httpx2

from mcp_server.upstream.addresses import PRIVATE, AddressRefused, AllowedHosts, check_target, is_public

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""Host and port to the textual addresses that they resolve to."""

MAX_REDIRECTS = 5
CHECK_SECONDS = 3.0
MAX_ADDRESSES = 4  # a name with a thousand dead addresses must not cost a thousand connection timeouts
# A fetch must never speak for anybody: these would reach whatever host the user, or a redirect, names.
CREDENTIALS = ("authorization", "proxy-authorization", "cookie")


async def resolve_host(host: str, port: int) -> Sequence[str]:
    """Ask the system's resolver, off the event loop."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in found))


class GuardedTransport(httpx2.AsyncBaseTransport):
    """Check the target, resolve it once, and send the request to an address that passed.

    `open_inner` is called for the first request: most processes fetch nothing, and a TLS context with its library takes
    3 MB. It keeps no connection alive: it would see addresses instead of names, so an idle TLS connection that was
    verified for one name would serve another name on the same address unverified.
    """

    def __init__(
        self, open_inner: Callable[[], httpx2.AsyncBaseTransport], allow: AllowedHosts, resolve: Resolve
    ) -> None:
        self._open_inner, self._allow, self._resolve = open_inner, allow, resolve

    @cached_property
    def _inner(self) -> httpx2.AsyncBaseTransport:
        return self._open_inner()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        host, port = check_target(request.url, self._allow)
        try:
            async with asyncio.timeout(request.extensions.get("timeout", {}).get("connect")):
                addresses = await self._resolve(host, port)
        except TimeoutError:
            raise httpx2.ConnectTimeout("The host name was not resolved in time.") from None
        except (OSError, UnicodeError):
            raise httpx2.ConnectError("The host name does not resolve.") from None
        _refuse_private(addresses, host, port, self._allow)
        failure: httpx2.TransportError = httpx2.ConnectError("The host has no address.")
        for address in addresses[:MAX_ADDRESSES]:
            try:
                response = await self._inner.handle_async_request(_pinned(request, host, address))
            except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
                failure = error
                continue
            if not response.has_redirect_location:
                return response
            # Before it follows a redirect, the client reads the redirect's own body to the end, which need not come:
            # nobody looks at that body, so it is not read at all.
            await response.aclose()
            return httpx2.Response(response.status_code, headers={"Location": response.headers["Location"]})
        raise failure

    async def aclose(self) -> None:
        if "_inner" in vars(self):
            await self._inner.aclose()


async def check_link(url: str, allow: AllowedHosts, *, resolve: Resolve = resolve_host) -> None:
    """Say at once what a fetch of `url` would be refused for. The fetch asks again: this answer may change meanwhile.

    A name that does not resolve at this moment is no refusal.

    Raises `AddressRefused`: the address, or what it resolves to, is never fetched.
    """
    try:
        host, port = check_target(httpx2.URL(url), allow)
    except httpx2.InvalidURL:
        raise AddressRefused("bad_host", "The address is not a web address.") from None
    try:
        async with asyncio.timeout(CHECK_SECONDS):
            addresses = await resolve(host, port)
    except (TimeoutError, OSError, UnicodeError):
        return
    _refuse_private(addresses, host, port, allow)


def _refuse_private(addresses: Sequence[str], host: str, port: int, allow: AllowedHosts) -> None:
    # One private address among public ones is refused as well: which of them is dialled would be luck,
    # and mixed answers are how rebinding attacks begin.
    if (host, port) not in allow and not all(is_public(address) for address in addresses):
        raise AddressRefused("private_address", PRIVATE)


def _pinned(request: httpx2.Request, host: str, address: str) -> httpx2.Request:
    # Only the address changes: the Host header stays, and so does the name that the certificate must have.
    return httpx2.Request(
        request.method,
        request.url.copy_with(host=address),
        headers=[(name, value) for name, value in request.headers.raw if name.lower().decode() not in CREDENTIALS],
        stream=request.stream,
        extensions={**request.extensions, "sni_hostname": host},
    )


@cache
def trusted() -> ssl.SSLContext:
    """Whom this machine trusts, by `SSL_CERT_FILE` too. One for all clients: reading the certificates takes 25 ms."""
    return httpx2.create_ssl_context()


def open_web(
    allow: AllowedHosts, *, resolve: Resolve = resolve_host, verify: ssl.SSLContext | bool = True
) -> httpx2.AsyncClient:
    """A client for fetching what users name; the overall deadline of a fetch is the caller's.

    It reads no proxy from the environment (a proxy would resolve the name again, unchecked), keeps no cookie
    and carries no credential.
    """
    limits = httpx2.Limits(max_connections=50, max_keepalive_connections=0)

    def inner() -> httpx2.AsyncBaseTransport:
        context = trusted() if verify is True else verify
        return httpx2.AsyncHTTPTransport(verify=context, trust_env=False, limits=limits)

    return httpx2.AsyncClient(
        transport=GuardedTransport(inner, allow, resolve),
        trust_env=False,
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
        follow_redirects=True,
        max_redirects=MAX_REDIRECTS,
        timeout=httpx2.Timeout(10, connect=5),
        headers={"User-Agent": "minds-gateway"},
    )
