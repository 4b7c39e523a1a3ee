"""`POST /oauth/revoke` (RFC 7009), for public clients too: they show the token itself."""

from collections.abc import Callable
from datetime import datetime

from starlette.requests import Request
from starlette.responses import Response

from oauth.endpoints.http import NO_STORE, authorization, client_address, form, post
from oauth.flows.revocation import Revocation
from oauth.flows.token_requests import Authenticate
from oauth.primitives.clock import utc_now

PATH = "/oauth/revoke"


class Revoke:
    """The revocation endpoint. `forget` is called with the id of an ended grant, after that is stored."""

    def __init__(
        self,
        authenticate: Authenticate,
        revocation: Revocation,
        forget: Callable[[str], None],
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        self._authenticate, self._revocation = authenticate, revocation
        self._forget, self._now = forget, now
        self.routes = [post(PATH, self._revoke)]

    async def _revoke(self, request: Request) -> Response:
        now, parameters = self._now(), await form(request)
        client = await self._authenticate(authorization(request), parameters, now, client_address(request))
        ended = await self._revocation.revoke(client, parameters, now)
        if ended is not None:
            self._forget(ended)
        # Section 2.2: the same answer for a token that nobody knows; the client has what it wanted.
        return Response(status_code=200, headers=NO_STORE)
