"""A whole authorization-code flow through the user's browser, and what follows it: refresh, revoke, refusals."""

import secrets
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace

from app.doctor import requests
from app.doctor.calling import Caller
from app.doctor.documents import ServerMetadata
from app.doctor.door import Door
from app.doctor.exchanges import Exchange
from app.doctor.loopback import Callback, listening
from app.doctor.messages import ERAS
from app.doctor.observed import Called, Grant
from app.doctor.playing import Player
from app.doctor.profiles import Profile

Tell = Callable[[str], None]
NO_REGISTRATION = "the server registers no clients, and no client that it knows was named (--client-id)"


@dataclass(frozen=True, slots=True)
class KnownClient:
    """A client that the server's operator has set up, or that has a metadata document (`client_id` is its address).

    Its redirect is `http://127.0.0.1:PORT/callback`. The port is 0 where the server lets it differ, as RFC 8252 section
    7.3 has it.
    """

    client_id: str
    secret: str = field(default="", repr=False)
    port: int = 0

    def proof(self, server: ServerMetadata) -> requests.Credentials:
        """How it proves itself: as the server prefers, and by nothing without a secret."""
        if not self.secret:
            return requests.Credentials(self.client_id)
        basic = "client_secret_basic"  # what a server takes that does not say (RFC 8414 section 2)
        method = basic if basic in server.auth_methods or not server.auth_methods else "client_secret_post"
        return requests.Credentials(self.client_id, self.secret, method)


@dataclass
class Tokens:
    """What must not be shown; the last refresh token is the one that counts."""

    access: str = field(default="", repr=False)
    refresh: str = field(default="", repr=False)

    def take(self, answer: Exchange) -> None:
        """Keep what a successful token response holds."""
        told = answer.document or {}
        for name, kept in (("access_token", "access"), ("refresh_token", "refresh")):
            if isinstance(told.get(name), str):
                setattr(self, kept, told[name])


class SignIn:
    """One sign-in at one gateway. `secrets` grows by everything that must never be printed."""

    def __init__(self, door: Door, player: Player, url: str, server: ServerMetadata, hidden: set[str]) -> None:
        self._door = door
        self._player = player
        self._url = url
        self._server = server
        self._hidden = hidden
        self._tokens = Tokens()

    async def run(
        self, profile: Profile, tell: Tell, patience: float, known: KnownClient | None = None
    ) -> tuple[Grant, tuple[Called, ...]]:
        """The flow, then calls in both eras, then the end of the grant: as `known`, or as a client of its own."""
        if known is None and not self._server.registration_endpoint:
            return Grant(gave_up=NO_REGISTRATION), ()
        state = secrets.token_urlsafe(24)
        async with AsyncExitStack() as stack:
            try:
                callback = await stack.enter_async_context(listening(state, known.port if known else 0))
            except OSError as fault:
                return Grant(gave_up=f"nothing can listen for the browser: {fault.strerror}"), ()
            if known is not None:
                return await self._flow(known.proof(self._server), state, callback, tell, patience)
            registration = await self._player.register(profile, self._server, (callback.redirect_uri,))
            if not requests.registered_id(registration):
                return Grant(gave_up="the registration with a loopback redirect failed"), ()
            try:
                return await self._flow(requests.credentials(registration), state, callback, tell, patience)
            finally:
                await self._player.forget(registration)

    async def _flow(
        self, proof: requests.Credentials, state: str, callback: Callback, tell: Tell, patience: float
    ) -> tuple[Grant, tuple[Called, ...]]:
        verifier = requests.new_verifier()
        self._hidden |= {verifier, proof.secret}
        grant = await self._browse(proof, state, verifier, callback, tell, patience)
        return await self._use(grant, proof, verifier, callback.redirect_uri)

    async def _browse(
        self, proof: requests.Credentials, state: str, verifier: str, callback: Callback, tell: Tell, patience: float
    ) -> Grant:
        scope, challenge = self._player.scope(self._server), requests.s256(verifier)
        asked = requests.authorization(
            proof.client_id, callback.redirect_uri, self._player.resource, scope, state, challenge
        )
        tell(requests.with_query(self._server.authorization_endpoint, asked))
        came = await callback.wait(patience)
        if came is None:
            return Grant(gave_up=f"the browser did not come back within {patience:g} s")
        self._hidden.add(came.get("code", ""))
        return Grant(came)

    async def _use(
        self, grant: Grant, proof: requests.Credentials, verifier: str, redirect: str
    ) -> tuple[Grant, tuple[Called, ...]]:
        if "code" not in grant.callback or not self._iss_fits(grant):
            return grant, ()
        form = {
            "grant_type": "authorization_code",
            "code": grant.callback["code"],
            "redirect_uri": redirect,
            "code_verifier": verifier,
            "resource": self._player.resource,
        }
        grant = replace(grant, token=await self._post(self._server.token_endpoint, proof, form))
        if not self._tokens.access:
            return grant, ()
        called = tuple([await Caller(self._door, self._url, self._tokens.access).call(era) for era in ERAS])
        grant = await self._refresh(grant, proof, _spoken(called))
        grant = await self._revoke(grant, proof, _spoken(called))
        # Last, because a strict server answers the second use of a code by ending the whole grant (RFC 6749 4.1.2).
        return replace(grant, code_again=await self._post(self._server.token_endpoint, proof, form, keep=False)), called

    def _iss_fits(self, grant: Grant) -> bool:
        """A client must not send the code anywhere when another issuer answered (RFC 9207 section 2.4)."""
        return grant.callback.get("iss", self._server.issuer) == self._server.issuer

    async def _refresh(self, grant: Grant, proof: requests.Credentials, era: str) -> Grant:
        if not self._tokens.refresh:
            return grant
        answer = await self._post(self._server.token_endpoint, proof, self._refreshing())
        after = await Caller(self._door, self._url, self._tokens.access).list(era)
        return replace(grant, refresh=answer, after_refresh=after)

    async def _revoke(self, grant: Grant, proof: requests.Credentials, era: str) -> Grant:
        if not self._server.revocation_endpoint:
            return grant
        held = self._tokens.refresh or self._tokens.access
        hint = "refresh_token" if self._tokens.refresh else "access_token"
        gone = await self._post(
            self._server.revocation_endpoint, proof, {"token": held, "token_type_hint": hint}, keep=False
        )
        grant = replace(grant, revoke=gone)
        if self._tokens.refresh:
            refused = await self._post(self._server.token_endpoint, proof, self._refreshing(), keep=False)
            grant = replace(grant, refresh_after=refused)
        return replace(grant, call_after=await Caller(self._door, self._url, self._tokens.access).list(era))

    def _refreshing(self) -> dict[str, str]:
        return {
            "grant_type": "refresh_token",
            "refresh_token": self._tokens.refresh,
            "resource": self._player.resource,
        }

    async def _post(
        self, where: str, proof: requests.Credentials, form: dict[str, str], *, keep: bool = True
    ) -> Exchange:
        headers, body = proof.applied(form)
        answer = await self._door.ask("POST", where, headers, body)
        fresh = Tokens()
        fresh.take(answer)
        self._hidden |= {fresh.access, fresh.refresh}
        if keep:
            self._tokens.take(answer)
        return answer


def _spoken(called: tuple[Called, ...]) -> str:
    """An era that this gateway lists its tools in."""
    return next((one.era for one in called if one.listed is not None), ERAS[-1])
