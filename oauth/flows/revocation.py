"""A client gives a token back (RFC 7009), and with it the whole family: nothing of the delegation is left.

Which kind of token it is shows by itself, so the hint is not needed (section 2.1 lets it be ignored). A token of
another client is refused with `invalid_grant`: section 2.1 wants that the client is told, and RFC 6749 section 5.2
has that word for "was issued to another client". A call that is being answered finishes; the next one is refused.
"""

from datetime import datetime
from typing import Protocol

from oauth.errors import InvalidGrant
from oauth.flows.parties import Noter
from oauth.grants import AccessClaims, Client
from oauth.primitives.parameters import Parameters
from oauth.primitives.secrets import digest
from oauth.stores.grants import GrantStore

REVOKED_BY_CLIENT = "revoked by the client"


class TokenReader(Protocol):
    """Reads access tokens."""

    async def verify(self, token: str, now: datetime) -> AccessClaims | None:
        """What the token says, if it is one of ours and not expired.

        Raises:
            StoreUnavailable: the keys could not be read.

        """


class Revocation:
    """Ends families."""

    def __init__(self, store: GrantStore, tokens: TokenReader, activity: Noter | None = None) -> None:
        self._store, self._tokens, self._activity = store, tokens, activity

    async def revoke(self, client: Client, parameters: Parameters, now: datetime) -> str | None:
        """End the family of the token, in every process, and return its grant; None for a token that is unknown.

        Raises:
            InvalidRequest: the parameter is missing.
            InvalidGrant: the token is of another client; it stays as it is.
            StoreUnavailable: the store gave no answer, so the client must try again (section 2.2.1).

        """
        grant_id = await self._grant_of(parameters.require("token"), now)
        grant = None if grant_id is None else await self._store.find_grant(grant_id)
        if grant is None:
            return None
        if grant.client_id != client.id:
            raise InvalidGrant("The token is of another client.")
        await self._store.revoke_grant(grant.id, REVOKED_BY_CLIENT, now)
        if self._activity is not None:
            self._activity.note(grant.user_id, "token_revoked", client.id, client_name=grant.client_name)
        return grant.id

    async def _grant_of(self, token: str, now: datetime) -> str | None:
        refresh = await self._store.find_refresh(digest(token))
        if refresh is not None:
            return refresh.grant_id
        claims = await self._tokens.verify(token, now)
        return None if claims is None else claims.grant_id
