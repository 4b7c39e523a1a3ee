"""What OAuth clients post: registration (RFC 7591), tokens (RFC 6749 section 3.2), introspection (RFC 7662), revocation
(RFC 7009). For tokens there is one flow for each grant type, and one form of answer.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import structlog
from pydantic import SecretStr
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from oauth.activity import ActivityRecorder
from oauth.endpoints.http import NO_STORE, answer, authorization, capped_body, client_address, form, post
from oauth.errors import InvalidClientMetadata, StoreUnavailable, UnauthorizedClient, UnsupportedGrantType
from oauth.flows.client_assertions import TOKEN_PATH
from oauth.flows.client_authentication import Authenticate
from oauth.flows.issued_tokens import IssuedTokens
from oauth.flows.registration import Registration
from oauth.grants import Client, Tokens
from oauth.primitives import scopes
from oauth.primitives.address_limit import AddressLimit, network_key
from oauth.primitives.display_names import shown_name
from oauth.primitives.parameters import Parameters, read_object
from oauth.primitives.secrets import same
from oauth.stores.clients import ClientStore

REGISTER_PATH = "/oauth/register"
MAX_BODY = 65_536
CREATED = 201


def register_route(registration: Registration, now: Callable[[], datetime], activity: ActivityRecorder) -> Route:
    """The registration endpoint, open to everybody and therefore limited."""

    async def register(request: Request) -> Response:
        registered = await registration.register(await _words(request), client_address(request), now())
        client = registered.client
        activity.note(None, "client_registered", client.id, client_name=shown_name(client.name))
        issued: dict[str, Any] = {"client_id": client.id, "client_id_issued_at": int(client.created_at.timestamp())}
        if registered.secret is not None:
            issued |= {"client_secret": registered.secret, "client_secret_expires_at": 0}  # it does not expire
        return answer({**registered.metadata, **issued}, CREATED)

    return post(REGISTER_PATH, register)


async def _words(request: Request) -> dict[str, Any]:
    # A web page may send text/plain or a form anywhere without asking; JSON it may not.
    if request.headers.get("content-type", "").split(";")[0].strip().lower() != "application/json":
        raise InvalidClientMetadata("Send the metadata as application/json.")
    body = await capped_body(request, MAX_BODY)
    try:
        return read_object(body)
    except ValueError:
        raise InvalidClientMetadata("The body is not one JSON object in UTF-8 with each name once.") from None


log, audit = structlog.get_logger(__name__), structlog.get_logger("audit")
INTROSPECT_PATH, REVOKE_PATH = "/oauth/introspect", "/oauth/revoke"
CHALLENGE = 'Bearer realm="introspection"'
GUESSES = 10
"""Wrong secrets a minute from one network; then none is compared for a while, right or wrong."""

TokenFlow = Callable[[Client, Parameters, datetime], Awaitable[Tokens]]
"""One grant type: tokens for a request of this authenticated client, or a `ProtocolError` (RFC 6749 section 5.2)."""


@dataclass(frozen=True, slots=True)
class TokenEndpoints:
    """Tokens, what they are worth, and their end.

    `flows` holds a flow by the word that the parameter `grant_type` has for it. Introspection is for callers inside the
    installation, who show `introspection_secret`; without one nobody can try tokens on it. Revocation is for public
    clients too: they show the token itself.
    """

    authenticate: Authenticate
    flows: Mapping[str, TokenFlow]
    issued: IssuedTokens
    clients: ClientStore
    introspection_secret: SecretStr | None
    now: Callable[[], datetime]
    activity: ActivityRecorder
    _guesses: AddressLimit = field(init=False, default_factory=lambda: AddressLimit(GUESSES, timedelta(minutes=1)))

    @property
    def routes(self) -> list[Route]:
        introspection = [post(INTROSPECT_PATH, self._introspect)] if self.introspection_secret else []
        return [post(TOKEN_PATH, self._exchange), post(REVOKE_PATH, self._revoke), *introspection]

    async def _exchange(self, request: Request) -> Response:
        now, parameters = self.now(), await form(request)
        grant_type = parameters.require("grant_type")
        flow = self.flows.get(grant_type)
        if flow is None:
            raise UnsupportedGrantType("This server does not know that grant_type.")
        client = await self.authenticate(authorization(request), parameters, now, client_address(request))
        if grant_type not in client.grant_types:
            raise UnauthorizedClient("The client is not registered for that grant_type.")
        tokens = await flow(client, parameters, now)
        place = network_key(client_address(request))
        audit.info("tokens_issued", grant_type=grant_type, client=client.id, grant=tokens.grant_id, place=place)
        word = "tokens_refreshed" if grant_type == "refresh_token" else "tokens_issued"
        self.activity.note(tokens.user_id, word, client.id, client_name=client.name)
        # After the tokens exist. They are worth more than the note, which the next refresh makes up for.
        try:
            if client.kind == "registered":
                await self.clients.keep_client(client.id, now)
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

    async def _introspect(self, request: Request) -> Response:
        now, network = self.now(), network_key(client_address(request))
        self._guesses.check(network, now)
        scheme, _, shown = (authorization(request) or "").partition(" ")
        secret = self.introspection_secret
        if scheme.lower() != "bearer" or not secret or not same(shown, secret.get_secret_value()):
            if shown:  # who shows nothing guesses nothing
                self._guesses.count(network, now)
            return Response(status_code=401, headers={**NO_STORE, "www-authenticate": CHALLENGE})
        token = (await form(request)).require("token")
        return answer(await self.issued.describe(token, self.now()))

    async def _revoke(self, request: Request) -> Response:
        now, parameters = self.now(), await form(request)
        client = await self.authenticate(authorization(request), parameters, now, client_address(request))
        await self.issued.revoke(client, parameters, now)
        # Section 2.2: the same answer for a token that nobody knows; the client has what it wanted.
        return Response(status_code=200, headers=NO_STORE)
