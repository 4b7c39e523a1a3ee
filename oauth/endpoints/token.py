"""What OAuth clients post: registration (RFC 7591), tokens (RFC 6749 section 3.2), introspection (RFC 7662), revocation
(RFC 7009). For tokens there is one flow for each grant type, and one form of answer.
"""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

import structlog
from pydantic import SecretStr
from starlette.requests import Request
from starlette.responses import Response

from oauth.activity import UNRECORDED, ActivityRecorder
from oauth.endpoints.http import NO_STORE, answer, authorization, capped_body, client_address, form, post
from oauth.errors import InvalidClientMetadata, StoreUnavailable, UnauthorizedClient, UnsupportedGrantType
from oauth.flows.issued_tokens import Introspection, Revocation
from oauth.flows.registration import Registration
from oauth.flows.token_requests import Authenticate, TokenFlow
from oauth.primitives import scopes
from oauth.primitives.address_limit import AddressLimit, network_key
from oauth.primitives.clock import utc_now
from oauth.primitives.display_names import shown_name
from oauth.primitives.parameters import read_object
from oauth.primitives.secrets import same
from oauth.stores.clients import ClientStore

REGISTER_PATH = "/oauth/register"
MAX_BODY = 65_536
CREATED = 201


class Register:
    """The registration endpoint, open to everybody and therefore limited."""

    def __init__(
        self,
        registration: Registration,
        now: Callable[[], datetime] = utc_now,
        activity: ActivityRecorder = UNRECORDED,
    ) -> None:
        self._registration, self._now, self._activity = registration, now, activity
        self.routes = [post(REGISTER_PATH, self._register)]

    async def _register(self, request: Request) -> Response:
        now, address = self._now(), client_address(request)
        registered = await self._registration.register(await _words(request), address, now)
        client = registered.client
        self._activity.note(None, "client_registered", client.id, client_name=shown_name(client.name))
        issued: dict[str, Any] = {"client_id": client.id, "client_id_issued_at": int(client.created_at.timestamp())}
        if registered.secret is not None:
            issued |= {"client_secret": registered.secret, "client_secret_expires_at": 0}  # it does not expire
        return answer({**registered.metadata, **issued}, CREATED)


async def _words(request: Request) -> dict[str, Any]:
    # A web page may send text/plain or a form anywhere without asking; JSON it may not.
    if request.headers.get("content-type", "").split(";")[0].strip().lower() != "application/json":
        raise InvalidClientMetadata("Send the metadata as application/json.")
    body = await capped_body(request, MAX_BODY)
    try:
        return read_object(body)
    except ValueError:
        raise InvalidClientMetadata("The body is not one JSON object in UTF-8 with each name once.") from None


TOKEN_PATH = "/oauth/token"  # noqa: S105  # an address, not a secret

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
        self.routes = [post(TOKEN_PATH, self._exchange)]

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
