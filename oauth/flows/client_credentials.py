"""A client acts for itself (RFC 6749 section 4.4): machine to machine, without a person.

Only for clients of our own configuration that prove who they are. Registration is open to anyone and documents are
written by anyone, so there nobody would have allowed anything.
"""

from datetime import datetime
from uuid import uuid4

from oauth.access_tokens import AccessTokens
from oauth.errors import InvalidScope, UnauthorizedClient
from oauth.flows.token_requests import OFFLINE
from oauth.grants import Client, Grant, Tokens
from oauth.primitives import resources
from oauth.primitives.parameters import Parameters
from oauth.settings import OAuthSettings
from oauth.stores.grants import GrantStore


class ClientCredentials:
    """The grant type `client_credentials`."""

    def __init__(self, store: GrantStore, issuer: AccessTokens, settings: OAuthSettings) -> None:
        self._store, self._issuer, self._settings = store, issuer, settings

    async def __call__(self, client: Client, parameters: Parameters, now: datetime) -> Tokens:
        """A grant that lives as long as its one token; no refresh token (RFC 6749 section 4.4.3).

        Raises `UnauthorizedClient`: it is public, or not of our configuration; `InvalidScope`: it asks for nothing that
        it may have, or for what there is not; `InvalidTarget`: the resource is none of ours.
        """
        if client.is_public or client.kind != "configured":
            raise UnauthorizedClient("Only confidential clients of this server's configuration may act for themselves.")
        # What of it the client may have, which the answer says (RFC 6749 section 3.3): clients ask for all that the
        # resource's metadata lists, and do not know which of it is theirs.
        allowed = client.scopes & self._settings.scopes
        asked = parameters.words("scope") - OFFLINE or allowed
        if not asked & allowed or not asked <= self._settings.scopes:
            raise InvalidScope("The client may not have that; leave the parameter out to get all that it may have.")
        grant = Grant(
            id=str(uuid4()),
            user_id=None,
            client_id=client.id,
            client_name=client.name,
            redirect_host=None,
            scopes=asked & allowed,
            resource=resources.chosen(parameters.get("resource"), self._settings.resources),
            created_at=now,
            expires_at=now + self._settings.access,
        )
        access_token, seconds = await self._issuer.issue(grant, grant.scopes, now)
        await self._store.add_grant(grant)
        return Tokens(access_token, seconds, grant.scopes, grant_id=grant.id)
