"""The grant types of the token endpoint (that of devices stands beside their flow)."""

import secrets
from dataclasses import dataclass
from datetime import datetime
from uuid import uuid4

import structlog

from oauth.access_tokens import AccessTokens
from oauth.activity import ActivityRecorder
from oauth.errors import InvalidGrant, InvalidScope, InvalidTarget, UnauthorizedClient
from oauth.flows.authorization import OFFLINE
from oauth.grants import Client, Code, Grant, RefreshToken, Replayed, Reused, Tokens
from oauth.primitives import resources
from oauth.primitives.parameters import Parameters
from oauth.primitives.pkce import proves
from oauth.primitives.sealing import open_under, seal_under
from oauth.primitives.secrets import digest, same
from oauth.settings import OAuthSettings
from oauth.stores.grants import GrantStore

SUCCESSOR = "refresh token successor"
REUSED = "refresh token reused"
SPENT = "The code is expired or was used before; begin again."
DEAD = "The refresh token is unknown, expired, revoked or of another client; begin again."

log = structlog.get_logger(__name__)


PREFIX = "minds_rt_"
"""By which scanners for leaked secrets recognise a refresh token; it has not the form of a key."""


@dataclass(frozen=True, slots=True)
class GrantTypes:
    """Tokens for a request of an authenticated client.

    Each method is one grant type, and refuses with a `ProtocolError` (RFC 6749 section 5.2).
    """

    store: GrantStore
    issuer: AccessTokens
    settings: OAuthSettings
    activity: ActivityRecorder

    async def authorization_code(self, client: Client, parameters: Parameters, now: datetime) -> Tokens:
        """A code becomes tokens (RFC 6749 section 4.1.3, RFC 7636 section 4.6, RFC 8707 section 2.2).

        Every check comes before the claim. A redemption by the client that owns the code with a wrong verifier or
        another redirect URI burns it: whoever has a code has one guess. A request that lacks a parameter or names
        another resource is none, and neither is one of another client; they leave the code alone.

        A second use by that client, with all that proves it, means that the code was stolen together with its verifier,
        or that the client is broken: its family ends, the tokens of the first use included. Without the proof it ends
        nothing, or else whoever saw a code could end what its client has.

        Raises `InvalidRequest`: a parameter is missing; `InvalidGrant`: the code is unknown, expired, used, another
        client's, or not proved to be this client's; `InvalidTarget`: it was granted for another resource.
        """
        code = await self.store.find_code(digest(parameters.require("code")))
        if code is None or code.client_id != client.id:
            raise InvalidGrant("The code is unknown, expired or of another client; begin again.")
        await self._prove(code, parameters, now)
        check_resource(parameters, code.resource, self.settings)
        grant = await self.store.find_grant(code.grant_id)
        if grant is None:
            raise InvalidGrant(SPENT)
        return await self._claim(client, code, grant, now)

    async def refresh_token(self, client: Client, parameters: Parameters, now: datetime) -> Tokens:
        """A token becomes its successor and an access token (RFC 6749 section 6, RFC 9700 section 4.14.2).

        Every use rotates. An answer may get lost, and two processes of one user may share a token: so for a short grace
        the predecessor is answered with the very same successor, which is kept only as what the predecessor itself can
        open. The grace ends earlier when the successor has been used, for then its answer did arrive. After it, who
        shows the predecessor has it from somewhere else than the last answer: the family ends, whoever of the two is
        the thief.

        Raises `InvalidRequest`: the parameter is missing; `InvalidGrant`: the token is unknown, expired, revoked,
        reused, or another client's; `InvalidScope`: more is asked for than was granted; `InvalidTarget`: it was granted
        for another resource.
        """
        secret = parameters.require("refresh_token")
        token = await self.store.find_refresh(digest(secret))
        grant = None if token is None else await self.store.find_live_grant(token.grant_id, now)
        if grant is None or grant.client_id != client.id:
            raise InvalidGrant(DEAD)
        check_resource(parameters, grant.resource, self.settings)
        scopes = _narrowed(parameters, grant)
        # Signed first: should that fail, the token is not rotated yet.
        access_token, seconds = await self.issuer.issue(grant, scopes, now)
        return Tokens(access_token, seconds, scopes, await self._rotate(secret, grant, now), grant.id, grant.user_id)

    async def client_credentials(self, client: Client, parameters: Parameters, now: datetime) -> Tokens:
        """A client acts for itself (RFC 6749 section 4.4), machine to machine, without a person.

        Only for clients of our own configuration that prove who they are. Registration is open to anyone and documents
        are written by anyone, so there nobody would have allowed anything. The grant lives as long as its one token; no
        refresh token (section 4.4.3).

        Raises `UnauthorizedClient`: it is public, or not of our configuration; `InvalidScope`: it asks for nothing that
        it may have, or for what there is not; `InvalidTarget`: the resource is none of ours.
        """
        if client.is_public or client.kind != "configured":
            raise UnauthorizedClient("Only confidential clients of this server's configuration may act for themselves.")
        # What of it the client may have, which the answer says (RFC 6749 section 3.3): clients ask for all that the
        # resource's metadata lists, and do not know which of it is theirs.
        allowed = client.scopes & self.settings.scopes
        asked = parameters.words("scope") - OFFLINE or allowed
        if not asked & allowed or not asked <= self.settings.scopes:
            raise InvalidScope("The client may not have that; leave the parameter out to get all that it may have.")
        grant = Grant(
            id=str(uuid4()),
            user_id=None,
            client_id=client.id,
            client_name=client.name,
            redirect_host=None,
            scopes=asked & allowed,
            resource=resources.chosen(parameters.get("resource"), self.settings.resources),
            created_at=now,
            expires_at=now + self.settings.access,
        )
        access_token, seconds = await self.issuer.issue(grant, grant.scopes, now)
        await self.store.add_grant(grant)
        return Tokens(access_token, seconds, grant.scopes, grant_id=grant.id)

    async def _prove(self, code: Code, parameters: Parameters, now: datetime) -> None:
        verifier, redirect_uri = parameters.require("code_verifier"), parameters.get("redirect_uri")
        if redirect_uri is None and code.redirect_given:
            raise InvalidGrant("The redirect_uri of the authorization request is missing (RFC 6749 section 4.1.3).")
        if redirect_uri is not None and not same(redirect_uri, code.redirect_uri):
            refusal = InvalidGrant("The redirect_uri is not the one that the code was sent to.")
        elif not proves(verifier, code.challenge):
            refusal = InvalidGrant("The code_verifier does not fit the code_challenge (RFC 7636 section 4.6).")
        else:
            return
        if await self.store.burn_code(code.digest, now):
            log.warning("authorization_code.burnt", grant=code.grant_id, client=code.client_id)
        raise refusal

    async def _claim(self, client: Client, code: Code, grant: Grant, now: datetime) -> Tokens:
        # Signed first, so that nothing can fail after the code is used up. Who loses the race never sees the token.
        access_token, seconds = await self.issuer.issue(grant, code.scopes, now)
        secret, refresh = (
            new_refresh_token(grant, self.settings, now) if "refresh_token" in client.grant_types else (None, None)
        )
        match await self.store.claim_code(code.digest, refresh, now):
            case Grant():
                return Tokens(access_token, seconds, code.scopes, secret, code.grant_id, grant.user_id)
            case Reused():
                self._alert("authorization_code.reused", "code_reused", grant)
        raise InvalidGrant(SPENT)

    async def _rotate(self, secret: str, grant: Grant, now: datetime) -> str:
        new_secret, successor = new_refresh_token(grant, self.settings, now)
        sealed = seal_under(secret, SUCCESSOR, new_secret.encode())
        outcome = await self.store.rotate(digest(secret), successor, sealed, now - self.settings.grace, now)
        match outcome:
            case Grant():
                return new_secret
            case Replayed(successor=kept):
                repeated = open_under(secret, SUCCESSOR, kept).decode()
                token = await self.store.find_refresh(digest(repeated))
                if token is not None and token.rotated_at is None:
                    return repeated
                await self.store.revoke_grant(grant.id, REUSED, now)
                self._alert("refresh_token.reused", "token_reused", grant)
            case Reused():
                self._alert("refresh_token.reused", "token_reused", grant)
        raise InvalidGrant(DEAD)

    def _alert(self, alarm: str, event: str, grant: Grant) -> None:
        """Tell of a reuse: the operator in the log, the person on the account page; the store has ended the family."""
        log.warning(alarm, grant=grant.id, client=grant.client_id)
        self.activity.note(grant.user_id, event, grant.client_id, "disconnected", grant.client_name)


def new_refresh_token(grant: Grant, settings: OAuthSettings, now: datetime) -> tuple[str, RefreshToken]:
    """A refresh token of 256 random bits, and what is kept of it; it ends with its family at the latest."""
    secret = PREFIX + secrets.token_urlsafe(32)
    return secret, RefreshToken(digest(secret), grant.id, now, min(now + settings.refresh, grant.expires_at))


def _narrowed(parameters: Parameters, grant: Grant) -> frozenset[str]:
    """What is granted of what is asked for.

    Clients repeat the words of their first request, with those that nobody can have here and those that the person
    unticked; RFC 6749 section 3.3 lets us pass over them then, and so here. A word that was never asked for is more
    than was granted (section 6), and so are words of which none was.
    """
    asked = parameters.words("scope") - OFFLINE
    granted = asked & grant.scopes
    if not asked <= grant.scopes | {*grant.asked.split(" ")} or (asked and not granted):
        raise InvalidScope("More is asked for than was granted; leave the parameter out to get all of it.")
    return granted or grant.scopes


def check_resource(parameters: Parameters, granted: str, settings: OAuthSettings) -> None:
    """Let pass what was granted, in whatever spelling, and no word about it (RFC 8707 section 2.2).

    Raises `InvalidTarget`: it is another resource, or none.
    """
    named = parameters.get("resource")
    if named is not None and resources.chosen(named, settings.resources) != granted:
        raise InvalidTarget("The authorization is for another resource; leave the parameter out or send the same.")
