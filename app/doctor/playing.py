"""Plays one client up to the sign-in page: its registration, and good and bad authorization requests."""

import secrets
from collections.abc import Iterator

from app.doctor import addresses, messages, requests
from app.doctor.documents import ServerMetadata
from app.doctor.door import Door
from app.doctor.exchanges import Exchange
from app.doctor.observe import say
from app.doctor.observed import Discovery, Endpoint, Played
from app.doctor.profiles import Profile, Way


class Player:
    """Plays clients against one gateway whose documents are known."""

    def __init__(self, door: Door, endpoint: Endpoint, discovery: Discovery, *, registers: bool) -> None:
        self._door = door
        self._endpoint = endpoint
        self._discovery = discovery
        self._registers = registers

    async def play(self, profile: Profile) -> Played:
        """Everything that this client does alone."""
        url, server = self._discovery.url, self._discovery.server_metadata
        origin = await say(self._door, url, messages.initialize(), origin=profile.origin) if profile.origin else None
        if server is None or not server.authorization_endpoint:
            return Played(with_origin=origin)
        way, registration = requests.way_for(profile, server), None
        client_id = profile.document if way is Way.DOCUMENT else ""
        if way is Way.DYNAMIC and self._registers:
            registration = await self.register(profile, server)
            client_id = requests.registered_id(registration)
        authorize = await self._authorize(profile, server, client_id)
        page = await self._door.follow(authorize["good"]) if "good" in authorize else None
        if registration is not None:
            await self.forget(registration)
        return Played(client_id, registration, authorize, page, origin)

    async def register(self, profile: Profile, server: ServerMetadata, redirects: tuple[str, ...] = ()) -> Exchange:
        """Register as this client does (RFC 7591 section 3.1)."""
        headers = {"content-type": "application/json", "accept": "application/json", **_voice(profile)}
        body = requests.registration(profile, self.scope(server), redirects)
        return await self._door.ask("POST", server.registration_endpoint, headers, body)

    async def forget(self, registration: Exchange) -> None:
        """Delete the throw-away client where the server lets its maker do so (RFC 7592 section 2.3)."""
        told = registration.document or {}
        where, token = told.get("registration_client_uri"), told.get("registration_access_token")
        # The token goes to nobody but the server that issued it.
        if isinstance(where, str) and isinstance(token, str) and addresses.same_origin(where, registration.url):
            await self._door.ask("DELETE", where, {"authorization": f"Bearer {token}"})

    def scope(self, server: ServerMetadata) -> str:
        challenged = self._endpoint.parameters.get("scope", "")
        return requests.scope_for(challenged, self._discovery.resource_metadata, server)

    @property
    def resource(self) -> str:
        """What a client asks a token for: the metadata's own name for it, else the address typed (RFC 8707)."""
        known = self._discovery.resource_metadata
        return known.resource if known and known.resource else self._discovery.url

    async def _authorize(self, profile: Profile, server: ServerMetadata, client_id: str) -> dict[str, Exchange]:
        good = requests.authorization(
            client_id,
            profile.redirects[0],
            self.resource,
            self.scope(server),
            secrets.token_urlsafe(16),
            requests.s256(requests.new_verifier()),
        )
        asked: dict[str, Exchange] = {}
        for name, parameters in _probes(profile, good):
            where = requests.with_query(server.authorization_endpoint, parameters)
            asked[name] = await self._door.ask("GET", where, {"accept": "text/html"})
            if Played(client_id, authorize=asked).document_unread:
                break  # each further question would only have it fetched again
        return asked


def _probes(profile: Profile, good: dict[str, str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Good and bad requests; without a `client_id` only the one that needs none."""
    unknown = f"minds-gateway-doctor-{secrets.token_hex(8)}"
    yield "unknown client", good | {"client_id": unknown}
    if not good["client_id"]:
        return
    yield "good", good
    if profile.moved_redirect:
        yield "moved port", good | {"redirect_uri": profile.moved_redirect}
    yield "foreign redirect", good | {"redirect_uri": requests.FOREIGN}
    yield "no PKCE", {name: value for name, value in good.items() if not name.startswith("code_challenge")}
    yield "plain PKCE", good | {"code_challenge_method": "plain"}


def _voice(profile: Profile) -> dict[str, str]:
    return {"user-agent": profile.user_agent} if profile.user_agent else {}
