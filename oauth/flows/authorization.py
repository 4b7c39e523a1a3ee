"""Whether a request for authorization is in order (RFC 6749 section 4.1.1, RFC 9700 section 2.1).

The order of the checks is the defence: until the redirect URI is known to belong to the client, nothing may be
sent to it, so what is wrong is said here. From then on the client hears of it, with its `state` and our `iss`.
"""

import re
from datetime import datetime
from urllib.parse import parse_qsl, quote, urlencode, urlsplit
from uuid import uuid4

from pydantic import TypeAdapter

from oauth import errors
from oauth.flows.clients import Clients
from oauth.grants import AuthorizationRequest, Client
from oauth.primitives import redirects
from oauth.primitives.parameters import Parameters
from oauth.primitives.pkce import checked_challenge
from oauth.primitives.resources import chosen
from oauth.primitives.sealing import Sealer
from oauth.settings import OAuthSettings
from oauth.stores.tables import CLIENT_ID

PROMPTS = frozenset({"none", "login", "consent", "select_account"})
SIGN_UP = {"create": "login"}
"""OpenID Connect Prompt Create: an account is made by whoever runs the server, or by the first sign-in with a provider.
Either way the person belongs on the sign-in page, and a client that asks for more is not turned away."""
OFFLINE = frozenset({"offline_access"})
"""Clients ask for it wherever the metadata lists it, and repeat what they asked for once; it is no scope of a token."""
MAX_ASKED = 500
"""Characters of words that nobody can have here which are kept. Known servers' words take far fewer."""
_CLIENT_ID_FORM = re.compile(rf"[\x20-\x7e]{{1,{CLIENT_ID}}}")  # RFC 6749 appendix A.1
_SCOPE_FORM = re.compile(r"[\x21\x23-\x5b\x5d-\x7e]+")  # RFC 6749 section 3.3


_REQUEST = TypeAdapter(AuthorizationRequest)
PURPOSE = "authorization request"
MAX_HANDLE = 6_000
"""The sign-in seals it once more into its own address, a third longer; a parameter there has 8,192 at most."""


class SentBack(errors.OauthError):
    """A refusal that the client is to hear of, by way of the browser: at `address`."""

    def __init__(self, address: str) -> None:
        super().__init__("the authorization request is refused")
        self.address = address


class Authorization:
    """Checks requests, and seals each into a handle for its way through sign-in and consent."""

    def __init__(self, clients: Clients, sealer: Sealer, settings: OAuthSettings) -> None:
        self._clients, self._sealer, self._settings = clients, sealer, settings

    async def begin(self, parameters: Parameters, now: datetime, place: str = "") -> str:
        """A handle, URL-safe text, for what is asked; `place` is the address of who asks.

        Raises `SentBack`: it is refused, and the client may be told; `InvalidRequest`: where an answer would go cannot
        be trusted; nothing may be sent there; `InvalidClient`, `TemporarilyUnavailable`, `StoreUnavailable`: as
        `Clients.find`.
        """
        client = await self._client(parameters.get("client_id"), now, place)
        redirect_uri = _trusted_redirect(parameters.get("redirect_uri"), client)
        try:
            handle = self.seal(self._checked(parameters, client, redirect_uri, now))
        except errors.ProtocolError as error:
            state = parameters.get("state")
            raise SentBack(address(redirect_uri, state, self._settings.issuer, **error.parameters)) from error
        return handle

    def seal(self, request: AuthorizationRequest) -> str:
        """The handle of a request, good from its `issued_at` for as long as the settings say.

        Raises `InvalidRequest`: it would not fit into an address; clients put all sorts of things into their `state`.
        """
        handle = self._sealer.seal(PURPOSE, _REQUEST.dump_json(request), request.issued_at)
        if len(handle) > MAX_HANDLE:
            raise errors.InvalidRequest("The request is too long; send a shorter state.")
        return handle

    async def resume(self, handle: str, now: datetime) -> tuple[AuthorizationRequest, Client]:
        """The request of a handle, which was checked minutes ago, in another process perhaps, and its client.

        Raises `Tampered`: it was not sealed here for this purpose, or is too old (`Stale`); `InvalidRequest`: its
        redirect URI is no longer one of the client's; `InvalidClient`, `TemporarilyUnavailable`, `StoreUnavailable`: as
        `Clients.find`.
        """
        sealed = self._sealer.open(PURPOSE, handle, max_age=self._settings.request, now=now)
        request = _REQUEST.validate_json(sealed)
        client = await self._client(request.client_id, now)
        _trusted_redirect(request.redirect_uri, client)
        return request, client

    async def _client(self, client_id: str | None, now: datetime, place: str = "") -> Client:
        if client_id is None:
            raise errors.InvalidRequest("The parameter client_id is missing.")
        if not _CLIENT_ID_FORM.fullmatch(client_id):
            raise errors.InvalidClient("No app has this client_id.")
        return await self._clients.find(client_id, now, place)

    def _checked(
        self, parameters: Parameters, client: Client, redirect_uri: str, now: datetime
    ) -> AuthorizationRequest:
        if "authorization_code" not in client.grant_types:
            raise errors.UnauthorizedClient("This client is not registered for the authorization code grant.")
        _check_form(parameters)
        challenge = checked_challenge(parameters.get("code_challenge"), parameters.get("code_challenge_method"))
        asked = parameters.words("scope")
        scopes = granted_at_most(asked, client.scopes, self._settings.scopes)
        return AuthorizationRequest(
            id=str(uuid4()),
            client_id=client.id,
            redirect_uri=redirect_uri,
            redirect_given=parameters.get("redirect_uri") is not None,
            challenge=challenge,
            state=parameters.get("state"),
            resource=chosen(parameters.get("resource"), self._settings.resources),
            scopes=scopes,
            prompt=_prompt(parameters),
            issued_at=now,
            asked=kept_words(asked, scopes),
        )


def granted_at_most(asked: frozenset[str], of_client: frozenset[str], known: frozenset[str]) -> frozenset[str]:
    """The scopes that a person will be asked for.

    RFC 6749 section 3.3 lets us ignore a part of what is asked, and say so with the token: clients ask for the
    words of other servers (`openid`), and for all that some metadata lists. Nothing usable at all is refused.
    No scope asked means all that the client registered for, or else all there are: fewer would break clients
    that never ask, on their first writing call, and the person still chooses from them.

    Raises `InvalidScope`: one is malformed, or none can be granted.
    """
    if not all(map(_SCOPE_FORM.fullmatch, asked)):
        raise errors.InvalidScope("The scope holds characters that no scope may have.")
    allowed = known & of_client if of_client else known
    wanted = asked - OFFLINE  # every grant can be refreshed, so there is nothing to ask a person about
    granted = wanted & allowed if wanted else allowed
    if not granted:
        raise errors.InvalidScope("None of these scopes can be granted; see scopes_supported in the metadata.")
    return granted


def kept_words(asked: frozenset[str], offered: frozenset[str]) -> str:
    """The words asked for beyond those `offered`; none of them when they are too many to keep."""
    text = " ".join(sorted(asked - offered - OFFLINE))
    return text if len(text) <= MAX_ASKED else ""


def address(redirect_uri: str, state: str | None, issuer: str, **answer: str) -> str:
    """The redirect URI with the answer, its `state`, and the issuer, which ends mix-ups (RFC 9207 section 2)."""
    joint = "&" if urlsplit(redirect_uri).query else "" if redirect_uri.endswith("?") else "?"
    echoed = {} if state is None else {"state": state}
    # A space as %20, never as "+": not every client decodes its address as a form.
    return redirect_uri + joint + urlencode(answer | echoed | {"iss": issuer}, quote_via=quote, safe="")


def _trusted_redirect(asked: str | None, client: Client) -> str:
    """Where the answer goes: what is asked, if the client registered it, or the only one that it registered."""
    if asked is None:
        if len(client.redirect_uris) != 1:
            raise errors.InvalidRequest("The parameter redirect_uri is missing, and the app has not just one.")
        asked = client.redirect_uris[0]
    if not redirects.matches(asked, client.redirect_uris):
        raise errors.InvalidRequest("The redirect_uri is not one that the app registered.")
    if redirects.ANSWER & dict(parse_qsl(urlsplit(asked).query, keep_blank_values=True)).keys():
        raise errors.InvalidRequest("The redirect_uri holds a parameter that only an answer may have.")
    return asked


def _check_form(parameters: Parameters) -> None:
    response_type = parameters.require("response_type")
    if response_type != "code":
        raise errors.UnsupportedResponseType("The response_type must be code.")
    if parameters.get("request") is not None or parameters.get("request_uri") is not None:
        raise errors.InvalidRequest("Request objects are not supported; send the parameters themselves.")
    if parameters.get("response_mode") not in {None, "query"}:
        raise errors.InvalidRequest("The response_mode must be query.")


def _prompt(parameters: Parameters) -> frozenset[str]:
    prompt = frozenset(SIGN_UP.get(word, word) for word in parameters.words("prompt"))
    if not prompt <= PROMPTS:
        raise errors.InvalidRequest("The prompt must be none, login, consent or select_account.")
    if "none" in prompt and len(prompt) > 1:
        raise errors.InvalidRequest("The prompt none excludes all others.")
    return prompt
