"""Which client makes a request to the token endpoint and its like, and whether it proves it (RFC 6749 section 2.3)."""

import base64
import binascii
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from urllib.parse import unquote_plus

import structlog

from oauth.errors import InvalidClient, InvalidRequest, TooManyRequests
from oauth.flows.client_assertions import TYPE, Assertions, claimed_issuer
from oauth.flows.clients import Clients
from oauth.grants import AuthMethod, Client
from oauth.primitives import secrets
from oauth.primitives.address_limit import AddressLimit, network_key
from oauth.primitives.parameters import Parameters

GUESSES = 10  # wrong secrets a minute for one client from one place
REFUSED = "The client is unknown, or did not authenticate in the way that it is registered for."


Authenticate = Callable[[str | None, Parameters, datetime, str], Awaitable[Client]]
"""The client that sends a request, by its Authorization header, its parameters, the time, and where it comes from."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Presented:
    """What a request shows of its client, by the one method that it uses.

    `literal` is a Basic secret as it stands. The TypeScript SDK and many others join id and secret without encoding
    them first, so that `+` and `%` in a secret mean themselves. Either reading has to match the whole secret.
    """

    client_id: str
    method: AuthMethod
    proof: str = field(default="", repr=False)
    literal: str = field(default="", repr=False)


class ClientAuthentication:
    """Tells which client makes a request; `assertions` checks what clients sign."""

    def __init__(self, clients: Clients, assertions: Assertions) -> None:
        self._clients, self._assertions = clients, assertions
        self._guesses = AddressLimit(GUESSES, timedelta(minutes=1))

    async def __call__(
        self, authorization: str | None, parameters: Parameters, now: datetime, place: str = ""
    ) -> Client:
        """The client that makes the request. A public one is only named: it has nothing to prove itself with.

        `place` is the address of who asks. After `GUESSES` wrong secrets no further one of that place is compared for
        a while, right or wrong: an answer to a guess would make the limit worthless. It holds for client and place
        together, so that nobody locks a client out that asks from anywhere else.

        Raises `InvalidRequest`: the request uses two methods at once; `InvalidClient`: it names no client, an unknown
        one, or does not prove to be it; `TemporarilyUnavailable`: the client's document or keys cannot be read now;
        `TooManyRequests`: they are asked for too often, or there were too many wrong secrets.
        """
        presented = present(authorization, parameters)
        client = await self._clients.find(presented.client_id, now, place)
        if presented.method not in client.auth_methods:
            raise InvalidClient(REFUSED)
        if presented.method == "private_key_jwt":
            await self._assertions.check(client, presented.proof, now)
        elif presented.method != "none":
            self._check_secret(client, presented, f"{network_key(place)} {client.id}", now)
        return client

    def _check_secret(self, client: Client, presented: Presented, source: str, now: datetime) -> None:
        # Nothing waits between the first line and the count, so that requests at once are no more guesses.
        try:
            self._guesses.check(source, now)
        except TooManyRequests:
            log.warning("client_secret.guessed", client=client.id)
            raise
        known, readings = client.secret_digest, (presented.proof, presented.literal)
        if known is None or not any(secrets.same(secrets.digest(reading), known) for reading in readings):
            self._guesses.count(source, now)
            raise InvalidClient(REFUSED)


def present(authorization: str | None, parameters: Parameters) -> Presented:
    """The client and the method of a request, nothing of it checked.

    Raises `InvalidRequest`: there are two methods, or two clients; `InvalidClient`: there is no client, or what there
    is cannot be read.
    """
    basic = _basic(authorization)
    secret, assertion = parameters.get("client_secret"), parameters.get("client_assertion")
    if [basic, secret, assertion].count(None) < 2:  # noqa: PLR2004  # of three at most one is there
        raise InvalidRequest("Authenticate the client in one way only.")
    named, literal = parameters.get("client_id"), ""
    if basic is not None:
        client_id, secret, literal = basic
        method: AuthMethod = "client_secret_basic" if secret else "none"  # RFC 6749 section 2.3.1: may be empty
    elif assertion is not None:
        if parameters.get("client_assertion_type") != TYPE:
            raise InvalidClient(f"The client_assertion_type must be {TYPE}.")
        client_id, method = named or claimed_issuer(assertion) or "", "private_key_jwt"
    else:
        client_id, method = named or "", "client_secret_post" if secret else "none"
    if not client_id:
        raise InvalidClient("The request names no client; send its client_id.")
    if named is not None and named != client_id:
        raise InvalidRequest("The request names two clients.")
    return Presented(client_id, method, assertion or secret or "", literal)


def _basic(header: str | None) -> tuple[str, str, str] | None:
    """Id and secret, each form-encoded before they were joined (RFC 6749 section 2.3.1), and the secret undecoded.

    Other schemes are nobody's client authentication, so they do not count: proxies of clients add a bearer token.
    """
    if header is None or header.strip().partition(" ")[0].lower() != "basic":
        return None
    try:
        decoded = base64.b64decode(header.strip()[len("basic") :].strip(), validate=True).decode("utf-8")
        client_id, colon, secret = decoded.partition(":")
        parts = unquote_plus(client_id, errors="strict"), unquote_plus(secret), secret
    except (binascii.Error, ValueError):
        raise InvalidClient("The Basic credentials cannot be read.") from None
    if not colon or not client_id:
        raise InvalidClient("The Basic credentials are not a client_id and a secret.")
    return parts
