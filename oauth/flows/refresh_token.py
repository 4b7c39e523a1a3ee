"""A refresh token becomes its successor and an access token (RFC 6749 section 6, RFC 9700 section 4.14.2).

Every use rotates. An answer may get lost, and two processes of one user may share a token: so for a short grace
the predecessor is answered with the very same successor, which is kept only as what the predecessor itself can open.
The grace ends earlier when the successor has been used, for then its answer did arrive. After it, who shows the
predecessor has it from somewhere else than the last answer: the family ends, whoever of the two is the thief.
"""

from datetime import datetime

import structlog

from oauth.errors import InvalidGrant, InvalidScope
from oauth.flows.token_requests import OFFLINE, TokenFamilies, check_resource, new_refresh_token
from oauth.grants import Client, Grant, Replayed, Reused, Tokens
from oauth.primitives.parameters import Parameters
from oauth.primitives.sealing import open_under, seal_under
from oauth.primitives.secrets import digest

SUCCESSOR = "refresh token successor"
REUSED = "refresh token reused"

log = structlog.get_logger(__name__)


class RefreshTokens(TokenFamilies):
    """The grant type `refresh_token`."""

    async def __call__(self, client: Client, parameters: Parameters, now: datetime) -> Tokens:
        """Rotate the token and sign an access token with the scopes asked for, by default with all of the grant.

        Raises `InvalidRequest`: the parameter is missing; `InvalidGrant`: the token is unknown, expired, revoked,
        reused, or another client's; `InvalidScope`: more is asked for than was granted; `InvalidTarget`: it was granted
        for another resource.
        """
        secret = parameters.require("refresh_token")
        token = await self.store.find_refresh(digest(secret))
        grant = None if token is None else await self.store.find_live_grant(token.grant_id, now)
        if grant is None or grant.client_id != client.id:
            raise _dead()
        check_resource(parameters, grant.resource, self.settings)
        scopes = _narrowed(parameters, grant)
        # Signed first: should that fail, the token is not rotated yet.
        access_token, seconds = await self.issuer.issue(grant, scopes, now)
        return Tokens(access_token, seconds, scopes, await self._rotate(secret, grant, now), grant.id, grant.user_id)

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
                raise self._reused(grant)
            case Reused():
                raise self._reused(grant)
            case None:
                raise _dead()

    def _reused(self, grant: Grant) -> InvalidGrant:
        """The alert: to the operator in the log, to the person on the account page; the store has ended the family."""
        self.forget(grant.id)  # else this process would let its access token in until it looks again
        log.warning("refresh_token.reused", grant=grant.id, client=grant.client_id)
        if grant.user_id is not None:
            self.activity.note(grant.user_id, "token_reused", grant.client_id, "disconnected", grant.client_name)
        return _dead()


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


def _dead() -> InvalidGrant:
    return InvalidGrant("The refresh token is unknown, expired, revoked or of another client; begin again.")
