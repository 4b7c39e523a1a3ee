"""`POST /oauth/token` (RFC 6749 section 3.2): one flow for each grant type, one form of answer."""

from collections.abc import Callable, Mapping
from datetime import datetime

import structlog
from starlette.requests import Request
from starlette.responses import Response

from oauth.activity import UNRECORDED, ActivityRecorder
from oauth.endpoints.http import answer, authorization, client_address, form, post
from oauth.errors import StoreUnavailable, UnauthorizedClient, UnsupportedGrantType
from oauth.flows.token_requests import Authenticate, TokenFlow
from oauth.primitives import scopes
from oauth.primitives.client_network_key import network_key
from oauth.primitives.clock import utc_now
from oauth.stores.clients import ClientStore

PATH = "/oauth/token"

log, audit = structlog.get_logger(__name__), structlog.get_logger("audit")


class Token:
    """The token endpoint. `flows` holds a flow by the word that the parameter `grant_type` has for it."""

    def __init__(
        self,
        authenticate: Authenticate,
        flows: Mapping[str, TokenFlow],
        clients: ClientStore,
        now: Callable[[], datetime] = utc_now,
        activity: ActivityRecorder = UNRECORDED,
    ) -> None:
        self._authenticate, self._flows, self._clients, self._now = authenticate, flows, clients, now
        self._activity = activity
        self.routes = [post(PATH, self._exchange)]

    async def _exchange(self, request: Request) -> Response:
        now, parameters = self._now(), await form(request)
        grant_type = parameters.require("grant_type")
        flow = self._flows.get(grant_type)
        if flow is None:
            raise UnsupportedGrantType("This server does not know that grant_type.")
        client = await self._authenticate(authorization(request), parameters, now, client_address(request))
        if grant_type not in client.grant_types:
            raise UnauthorizedClient("The client is not registered for that grant_type.")
        tokens = await flow(client, parameters, now)
        place = network_key(client_address(request))
        audit.info("tokens_issued", grant_type=grant_type, client=client.id, grant=tokens.grant_id, place=place)
        word = "tokens_refreshed" if grant_type == "refresh_token" else "tokens_issued"
        self._activity.note(tokens.user_id, word, client.id, client_name=client.name)
        # After the tokens exist. They are worth more than the note, which the next refresh makes up for.
        try:
            if client.kind == "registered":
                await self._clients.keep_client(client.id, now)
        except StoreUnavailable as fault:
            log.warning("client.use_not_noted", client=client.id, error=type(fault).__name__)
        # The scope is always said (RFC 6749 section 5.1): some clients take its absence for none.
        body = {
            "access_token": tokens.access_token,
            "token_type": "Bearer",
            "expires_in": tokens.expires_in,
            "scope": scopes.written(tokens.scopes),
        }
        return answer(body if tokens.refresh_token is None else {**body, "refresh_token": tokens.refresh_token})
