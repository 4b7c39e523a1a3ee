"""The HTTP client after a sign-in on this machine: each request carries an access token that is still good.

One refresh token is kept for all processes of this user, and each renewal uses it up. So renewals hold a lock
on a file, look first at what another process may have kept meanwhile, and keep the successor before they use
it. A process that dies in between asks again with the old one: within its grace the server answers the same.
"""

import asyncio
import time
from collections.abc import Callable

import httpx2
import structlog

from mcp_server.caller import Caller
from mcp_server.errors import AuthenticationRequired, ServiceUnavailable
from mcp_server.login.authorization_server import AuthorizationServer, open_client
from mcp_server.login.keeping import Keeper
from mcp_server.login.words import LOGIN, Ended, Tokens, Unreachable

DOUBT_SECONDS = 60.0
"""A token that was issued so recently and is refused all the same would not be helped by another."""

log = structlog.get_logger(__name__)


class NotSignedIn(AuthenticationRequired):
    """Nothing is kept for this gateway, or it has ended."""

    title = "You are not signed in to this gateway, or your sign-in has ended"
    on_stdio = f"run `{LOGIN}` in a terminal, or set MINDSAI_API_KEY to an API key"


class SignedIn(httpx2.AsyncBaseTransport):
    """Credentials and transport towards the gateway at `site`; `inner` is the network's edge."""

    def __init__(
        self, site: str, keeper: Keeper, inner: httpx2.AsyncBaseTransport, *, now: Callable[[], float] = time.time
    ) -> None:
        self._http = open_client()
        self._server = AuthorizationServer(site, self._http, now)
        self._keeper, self._inner, self._now = keeper, inner, now
        self._tokens: Tokens | None = None
        self._renewed_at = float("-inf")
        self._renewal: asyncio.Task[None] | None = None

    async def ready(self) -> None:
        """Have a good token at hand before a call's deadline begins. If there is none, the first request says so."""
        try:
            await self._good()
        except (NotSignedIn, ServiceUnavailable):
            return

    def bearer(self, caller: Caller) -> str:  # noqa: ARG002  the one caller of this process
        """The access token; that it is still good is seen to when the request goes out.

        Raises `NotSignedIn`: there is none.
        """
        return self._held().access_token.get_secret_value()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """The access token, which is renewed when the request goes out. Raises NotSignedIn: there is none."""
        if "authorization" not in request.headers:
            return await self._inner.handle_async_request(request)
        tokens = await self._good()
        request.headers["authorization"] = f"Bearer {tokens.access_token.get_secret_value()}"
        response = await self._inner.handle_async_request(request)
        if response.status_code != httpx2.codes.UNAUTHORIZED:
            return response
        await response.aclose()
        if self._now() < self._renewed_at + DOUBT_SECONDS:
            self._tokens = None  # the next call looks whether somebody has signed in again meanwhile
            raise NotSignedIn
        # Revoked, or the clock of this machine is wrong. A refused request did nothing, so it may be sent again.
        await self._renew(tokens)
        request.headers["authorization"] = f"Bearer {self._held().access_token.get_secret_value()}"
        return await self._inner.handle_async_request(request)

    async def aclose(self) -> None:
        """Let a renewal under way keep what it gets, then close."""
        if self._renewal is not None:
            await asyncio.wait([self._renewal])
        await self._http.aclose()
        await self._inner.aclose()

    async def _good(self) -> Tokens:
        if self._tokens is None:  # signing in while this process runs is enough: it need not be started again
            self._tokens = await asyncio.to_thread(self._keeper.load, self._server.site)
        tokens = self._held()
        if self._now() >= tokens.renew_at:
            try:
                await self._renew(tokens)
            except ServiceUnavailable:
                if self._now() >= tokens.expires_at:
                    raise
        return self._held()

    def _held(self) -> Tokens:
        if self._tokens is None:
            raise NotSignedIn
        return self._tokens

    async def _renew(self, stale: Tokens) -> None:
        """Replace `stale`, once for all who wait. Whoever gives up waiting does not stop it: that would lose tokens."""
        if self._renewal is None or self._renewal.done():
            self._renewal = asyncio.create_task(self._replace(stale))
            # Take note of a fault for which nobody waits any more; who waits gets it.
            self._renewal.add_done_callback(lambda renewal: renewal.cancelled() or renewal.exception())
        try:
            await asyncio.shield(self._renewal)
        except (Unreachable, OSError) as fault:
            log.warning("sign_in_not_renewed", reason=str(fault))
            raise ServiceUnavailable from None

    async def _replace(self, stale: Tokens) -> None:
        site = self._server.site
        async with self._keeper.locked(site):
            kept = await asyncio.to_thread(self._keeper.load, site)
            # Signed out meanwhile, or another process was here.
            if kept is None or (kept.access_token != stale.access_token and self._now() < kept.renew_at):
                self._tokens = kept
                return
            try:
                renewed = await self._server.renew(kept)
            except Ended:
                await asyncio.to_thread(self._keeper.forget, site)
                self._tokens = None
                log.warning("sign_in_ended", site=site, advice=LOGIN)
                return
            try:
                await asyncio.to_thread(self._keeper.keep, renewed)
            except OSError as fault:  # a full disk: this process can go on, the next one has to sign in again
                log.error("tokens_not_kept", reason=str(fault), advice=LOGIN)  # noqa: TRY400  the reason says it all
            self._tokens, self._renewed_at = renewed, self._now()
