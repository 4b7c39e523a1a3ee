"""`POST /oauth/introspect` (RFC 7662) and `POST /oauth/revoke` (RFC 7009): the life of issued tokens."""

from collections.abc import Callable
from datetime import datetime, timedelta

from pydantic import SecretStr
from starlette.requests import Request
from starlette.responses import Response

from oauth.endpoints.http import NO_STORE, answer, authorization, client_address, form, post
from oauth.flows.issued_tokens import Introspection, Revocation
from oauth.flows.token_requests import Authenticate
from oauth.primitives.address_limit import AddressLimit
from oauth.primitives.client_network_key import network_key
from oauth.primitives.clock import utc_now
from oauth.primitives.secrets import same

INTROSPECT_PATH, REVOKE_PATH = "/oauth/introspect", "/oauth/revoke"
CHALLENGE = 'Bearer realm="introspection"'
GUESSES = 10
"""Wrong secrets a minute from one network; then none is compared for a while, right or wrong."""


class Introspect:
    """For callers inside the installation, who show its secret; without a secret nobody can try tokens on it."""

    def __init__(
        self, introspection: Introspection, secret: SecretStr | None, now: Callable[[], datetime] = utc_now
    ) -> None:
        self._introspection, self._now = introspection, now
        self._guesses = AddressLimit(GUESSES, timedelta(minutes=1))
        self._secret = "" if secret is None else secret.get_secret_value()
        self.routes = [post(INTROSPECT_PATH, self._introspect)] if self._secret else []

    async def _introspect(self, request: Request) -> Response:
        now, network = self._now(), network_key(client_address(request))
        self._guesses.check(network, now)
        scheme, _, shown = (authorization(request) or "").partition(" ")
        if scheme.lower() != "bearer" or not same(shown, self._secret):
            if shown:  # who shows nothing guesses nothing
                self._guesses.count(network, now)
            return Response(status_code=401, headers={**NO_STORE, "www-authenticate": CHALLENGE})
        token = (await form(request)).require("token")
        return answer(await self._introspection.describe(token, self._now()))


class Revoke:
    """For public clients too: they show the token itself. `forget` is called with the grant that a request ended."""

    def __init__(
        self,
        authenticate: Authenticate,
        revocation: Revocation,
        forget: Callable[[str], None],
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        self._authenticate, self._revocation = authenticate, revocation
        self._forget, self._now = forget, now
        self.routes = [post(REVOKE_PATH, self._revoke)]

    async def _revoke(self, request: Request) -> Response:
        now, parameters = self._now(), await form(request)
        client = await self._authenticate(authorization(request), parameters, now, client_address(request))
        ended = await self._revocation.revoke(client, parameters, now)
        if ended is not None:
            self._forget(ended)
        # Section 2.2: the same answer for a token that nobody knows; the client has what it wanted.
        return Response(status_code=200, headers=NO_STORE)
