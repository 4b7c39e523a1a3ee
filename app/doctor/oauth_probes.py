"""One client at the authorization server, up to the sign-in page: registration, good and bad authorization requests."""

import base64
import json
import secrets
from dataclasses import dataclass, field, replace
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from authlib.oauth2.rfc7636 import create_s256_code_challenge

from app.doctor import addresses
from app.doctor.exchanges import Exchange
from app.doctor.gateway_client import GatewayClient
from app.doctor.observations import NO_DOCUMENT, OFFLINE, USABLE_METHODS, Discovery, Endpoint, Played, way_for
from app.doctor.probes import INITIALIZE, bearer, send
from app.doctor.profiles import FOREIGN, LEGACY, Profile, Way

JSON = "application/json"


@dataclass(frozen=True, slots=True)
class Credentials:
    """How a client authenticates at the token endpoint (RFC 6749 section 2.3.1)."""

    client_id: str
    secret: str = field(default="", repr=False)
    method: str = "none"

    def preferred_by(self, server: Exchange) -> "Credentials":
        """The same by the method that the server's metadata prefers, and by none without a secret."""
        methods = server.texts("token_endpoint_auth_methods_supported")
        basic = "client_secret_basic"  # what a server takes that does not say (RFC 8414 section 2)
        method = basic if basic in methods or not methods else "client_secret_post"
        return replace(self, method=method if self.secret else "none")

    def applied(self, form: dict[str, str]) -> tuple[dict[str, str], bytes]:
        """Headers and body of a form of this client."""
        headers = {"content-type": "application/x-www-form-urlencoded", "accept": JSON}
        if self.method == "client_secret_basic":
            pair = f"{quote(self.client_id, safe='')}:{quote(self.secret, safe='')}"
            headers["authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
            return headers, urlencode(form).encode()
        secret = {"client_secret": self.secret} if self.method == "client_secret_post" else {}
        return headers, urlencode({**form, "client_id": self.client_id, **secret}).encode()


class OAuthProbes:
    """Plays clients against one authorization server whose metadata is known."""

    def __init__(self, client: GatewayClient, endpoint: Endpoint, discovery: Discovery, *, registers: bool) -> None:
        self._client, self._endpoint, self._discovery, self._registers = client, endpoint, discovery, registers
        self.server = discovery.server_metadata

    async def play(self, profile: Profile) -> Played:
        """Everything that this client does alone."""
        origin, registration = None, NO_DOCUMENT
        if profile.origin:
            url = self._discovery.url
            origin = await send(self._client, url, LEGACY, "initialize", INITIALIZE, headers={"origin": profile.origin})
        if not self.endpoint("authorization"):
            return Played(with_origin=origin)
        way = way_for(profile, self.server)
        client_id = profile.document if way is Way.DOCUMENT else ""
        if way is Way.DYNAMIC and self._registers:
            registration = await self.register(profile)
            client_id = registration.text("client_id")
        authorize = await self._authorize(profile, client_id)
        page = await self._client.follow(authorize["good"]) if "good" in authorize else None
        await self.unregister(registration)
        return Played(registration, authorize, page, origin)

    async def register(self, profile: Profile, redirects: tuple[str, ...] = ()) -> Exchange:
        """Register as this client does (RFC 7591 section 3.1), with `redirects` of the doctor's own to sign in."""
        headers = {"content-type": JSON, "accept": JSON}
        if profile.user_agent:
            headers["user-agent"] = profile.user_agent
        body = profile.body | ({"redirect_uris": list(redirects)} if redirects else {}) | self._scope
        return await self._client.request("POST", self.endpoint("registration"), headers, json.dumps(body).encode())

    async def unregister(self, registration: Exchange) -> None:
        """Delete the throw-away client where the server allows that (RFC 7592 section 2.3)."""
        where, token = registration.text("registration_client_uri"), registration.text("registration_access_token")
        # The token goes to nobody but the server that issued it.
        if token and addresses.same_origin(where, registration.url):
            await self._client.request("DELETE", where, bearer(token))

    def endpoint(self, name: str) -> str:
        """The server's endpoint of this name; empty where it has none."""
        return self.server.text(f"{name}_endpoint")

    @property
    def resource(self) -> str:
        """What a client asks a token for: the metadata's own name for it, else the address typed (RFC 8707)."""
        return self._discovery.resource_metadata.text("resource") or self._discovery.url

    def authorization(self, client_id: str, redirect: str, state: str, verifier: str) -> dict[str, str]:
        """The parameters of a good authorization request (RFC 6749 section 4.1.1, RFC 7636, RFC 8707)."""
        return {
            "response_type": "code",
            "client_id": client_id,
            "redirect_uri": redirect,
            "code_challenge": create_s256_code_challenge(verifier),
            "code_challenge_method": "S256",
            "state": state,
            "resource": self.resource,
        } | self._scope

    @property
    def _scope(self) -> dict[str, str]:
        scope = scope_for(self._endpoint.parameters.get("scope", ""), self._discovery)
        return {"scope": scope} if scope else {}

    async def _authorize(self, profile: Profile, client_id: str) -> dict[str, Exchange]:
        """Good and bad requests; without a `client_id` only the one that needs none."""
        good = self.authorization(client_id, profile.redirects[0], secrets.token_urlsafe(16), secrets.token_urlsafe(32))
        asked = {"unknown client": good | {"client_id": f"minds-gateway-doctor-{secrets.token_hex(8)}"}}
        if client_id:
            asked["good"] = good
            if profile.moved_redirect:
                asked["moved port"] = good | {"redirect_uri": profile.moved_redirect}
            asked["foreign redirect"] = good | {"redirect_uri": FOREIGN}
            asked["no PKCE"] = {name: good[name] for name in good if not name.startswith("code_challenge")}
            asked["plain PKCE"] = good | {"code_challenge_method": "plain"}
        answers: dict[str, Exchange] = {}
        for name, parameters in asked.items():
            where = with_query(self.endpoint("authorization"), parameters)
            answers[name] = await self._client.request("GET", where, {"accept": "text/html"})
            if name == "good" and client_id == profile.document and answers[name].is_error:
                break  # each further request would only have the document fetched again
        return answers


def scope_for(challenged: str, discovery: Discovery) -> str:
    """The challenge's scopes, else the resource's; `offline_access` where the server lists it."""
    wanted = challenged.split() or list(discovery.resource_metadata.texts("scopes_supported"))
    if OFFLINE in discovery.server_metadata.texts("scopes_supported") and OFFLINE not in wanted:
        wanted.append(OFFLINE)
    return " ".join(wanted)


def with_query(endpoint: str, parameters: dict[str, str]) -> str:
    """The endpoint keeps the query that it has (RFC 6749 section 3.1)."""
    split = urlsplit(endpoint)
    return split._replace(query=urlencode([*parse_qsl(split.query), *parameters.items()])).geturl()


def credentials(registration: Exchange) -> Credentials:
    """How the registered client must authenticate: what the server decided, whatever was asked."""
    secret, method = registration.text("client_secret"), registration.text("token_endpoint_auth_method")
    if method not in USABLE_METHODS:
        method = "client_secret_basic" if secret else "none"  # the default of RFC 7591 section 2
    return Credentials(registration.text("client_id"), secret, method)
