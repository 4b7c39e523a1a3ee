"""`POST /oauth/introspect` (RFC 7662) for callers inside the installation, who show its introspection secret."""

from collections.abc import Callable
from datetime import datetime, timedelta

from pydantic import SecretStr
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from oauth.endpoints.http import NO_STORE, answer, authorization, client_address, form, speaks_json
from oauth.flows.introspection import Introspection
from oauth.primitives.address_limit import AddressLimit
from oauth.primitives.client_network_key import network_key
from oauth.primitives.clock import utc_now
from oauth.primitives.secrets import same

PATH = "/oauth/introspect"
CHALLENGE = 'Bearer realm="introspection"'
GUESSES = 10
"""Wrong secrets a minute from one place; then none is compared for a while, right or wrong."""


class Introspect:
    """The introspection endpoint; without a secret there is none, so that nobody can try tokens on it."""

    def __init__(
        self, introspection: Introspection, secret: SecretStr | None, now: Callable[[], datetime] = utc_now
    ) -> None:
        self._introspection, self._now = introspection, now
        self._guesses = AddressLimit(GUESSES, timedelta(minutes=1))
        self._secret = "" if secret is None else secret.get_secret_value()
        self.routes = [Route(PATH, speaks_json(self._introspect), methods=["POST"])] if self._secret else []

    async def _introspect(self, request: Request) -> Response:
        now, place = self._now(), network_key(client_address(request))
        self._guesses.check(place, now)
        scheme, _, shown = (authorization(request) or "").partition(" ")
        if scheme.lower() != "bearer" or not same(shown, self._secret):
            if shown:  # who shows nothing guesses nothing
                self._guesses.count(place, now)
            return Response(status_code=401, headers={**NO_STORE, "www-authenticate": CHALLENGE})
        token = (await form(request)).require("token")
        return answer(await self._introspection.describe(token, self._now()))
