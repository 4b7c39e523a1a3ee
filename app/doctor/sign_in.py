"""A whole authorization-code flow through the user's browser, and what follows it: refresh, revoke, refusals."""

import asyncio
import hmac
import secrets
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from http import HTTPStatus

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from app.doctor.exchanges import Exchange
from app.doctor.gateway_client import GatewayClient
from app.doctor.oauth_probes import Credentials, OAuthProbes, credentials, with_query
from app.doctor.observations import NO_DOCUMENT, Called, Grant
from app.doctor.probes import bearer, call_tool, send
from app.doctor.profiles import ERAS, Profile

Show = Callable[[str], None]
"""Shows a person the address that a browser has to open."""
NO_REGISTRATION = "the server registers no clients, and no client that it knows was named (--client-id)"
PATH = "/callback"
DONE = "<!doctype html><title>doctor</title><p>The doctor has its answer. You can close this page."


class SignIn:
    """One sign-in at one gateway. `hidden` grows by everything that must never be printed."""

    def __init__(self, client: GatewayClient, probes: OAuthProbes, url: str, hidden: set[str]) -> None:
        self._client, self._probes, self._url, self._hidden = client, probes, url, hidden
        self._credentials = Credentials("")
        self._access = self._refresh_token = ""

    async def run(
        self, profile: Profile, show: Show, seconds: float, known: Credentials | None = None, port: int = 0
    ) -> tuple[Grant, tuple[Called, ...]]:
        """The flow, then calls in both eras, then the end of the grant: as `known`, or as a client of its own.

        The redirect is `http://127.0.0.1:PORT/callback`. The port is 0 where the server lets it differ, as RFC 8252
        section 7.3 has it.
        """
        if known is None and not self._probes.endpoint("registration"):
            return Grant(gave_up=NO_REGISTRATION), ()
        try:
            listener = socket.create_server(("127.0.0.1", port))
        except OSError as fault:
            return Grant(gave_up=f"nothing can listen for the browser: {fault.strerror}"), ()
        callback = Callback(secrets.token_urlsafe(24), listener)
        async with callback.listening():
            registration = NO_DOCUMENT if known else await self._probes.register(profile, (callback.redirect_uri,))
            self._credentials = known.preferred_by(self._probes.server) if known else credentials(registration)
            if not self._credentials.client_id:
                return Grant(gave_up="the registration with a loopback redirect failed"), ()
            try:
                return await self._flow(callback, show, seconds)
            finally:
                await self._probes.unregister(registration)

    async def _flow(self, callback: "Callback", show: Show, seconds: float) -> tuple[Grant, tuple[Called, ...]]:
        verifier = secrets.token_urlsafe(32)  # 43 characters that RFC 7636 section 4.1 allows
        self._hidden |= {verifier, self._credentials.secret}
        client_id = self._credentials.client_id
        request = self._probes.authorization(client_id, callback.redirect_uri, callback.state, verifier)
        show(with_query(self._probes.endpoint("authorization"), request))
        try:
            returned = await asyncio.wait_for(callback.parameters, seconds)
        except TimeoutError:
            return Grant(gave_up=f"the browser did not come back within {seconds:g} s"), ()
        grant, code = Grant(returned), returned.get("code", "")
        self._hidden.add(code)
        # A client must not send the code anywhere when another issuer answered (RFC 9207 section 2.4).
        issuer = self._probes.server.text("issuer")
        if "code" not in returned or returned.get("iss", issuer) != issuer:
            return grant, ()
        exchange = {"code": code, "redirect_uri": callback.redirect_uri, "code_verifier": verifier}
        return grant, await self._use(grant, exchange)

    async def _use(self, grant: Grant, exchange: dict[str, str]) -> tuple[Called, ...]:
        grant.token = await self._token("authorization_code", **exchange)
        self._keep(grant.token)
        if not self._access:
            return ()
        called = tuple([await call_tool(self._client, self._url, era, self._access) for era in ERAS])
        era = next((one.era for one in called if one.listed is not None), ERAS[-1])
        if self._refresh_token:
            grant.refresh = await self._token("refresh_token", refresh_token=self._refresh_token)
            self._keep(grant.refresh)
            grant.after_refresh = await self._list_tools(era)
        if self._probes.endpoint("revocation"):
            hint = "refresh_token" if self._refresh_token else "access_token"
            form = {"token": self._refresh_token or self._access, "token_type_hint": hint}
            grant.revoke = await self._post("revocation", form)
            if self._refresh_token:
                grant.refresh_after = await self._token("refresh_token", refresh_token=self._refresh_token)
            grant.call_after = await self._list_tools(era)
        # Last, because a strict server answers the second use of a code by ending the whole grant (RFC 6749 4.1.2).
        grant.code_again = await self._token("authorization_code", **exchange)
        return called

    async def _token(self, grant_type: str, **form: str) -> Exchange:
        return await self._post("token", {"grant_type": grant_type, **form, "resource": self._probes.resource})

    async def _post(self, endpoint: str, form: dict[str, str]) -> Exchange:
        headers, body = self._credentials.applied(form)
        answer = await self._client.request("POST", self._probes.endpoint(endpoint), headers, body)
        self._hidden |= {answer.text("access_token"), answer.text("refresh_token")}
        return answer

    def _keep(self, answer: Exchange) -> None:
        """The last refresh token is the one that counts."""
        self._access = answer.text("access_token") or self._access
        self._refresh_token = answer.text("refresh_token") or self._refresh_token

    async def _list_tools(self, era: str) -> Exchange:
        """Shows whether the access token still counts."""
        return await send(self._client, self._url, era, "tools/list", headers=bearer(self._access))


class Callback:
    """Waits at one path on loopback for the one request that carries `state`; all others are refused (RFC 8252 7.3)."""

    def __init__(self, state: str, listener: socket.socket) -> None:
        self.state, self._listener = state, listener
        self.redirect_uri = f"http://127.0.0.1:{listener.getsockname()[1]}{PATH}"
        self.parameters: asyncio.Future[dict[str, str]] = asyncio.get_running_loop().create_future()

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[None]:
        app = Starlette(routes=[Route(PATH, self._answer, methods=["GET"])])
        server = uvicorn.Server(uvicorn.Config(app, http="h11", lifespan="off", log_config=None, server_header=False))
        serving = asyncio.create_task(server.serve(sockets=[self._listener]))
        try:
            yield
        finally:
            server.should_exit = True
            await serving

    async def _answer(self, request: Request) -> Response:
        pairs = request.query_params.multi_items()
        found = dict(pairs)
        # A page that guesses the port must not be able to end the wait, nor to plant a code (RFC 6749 section 10.12).
        if len(found) != len(pairs) or not hmac.compare_digest(found.get("state", "").encode(), self.state.encode()):
            return Response(status_code=HTTPStatus.BAD_REQUEST)
        if not self.parameters.done():
            self.parameters.set_result(found)
        return HTMLResponse(DONE, headers={"cache-control": "no-store", "referrer-policy": "no-referrer"})
