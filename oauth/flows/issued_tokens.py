"""What becomes of tokens once they are issued: whose they are, what they are worth (RFC 7662), their end (RFC 7009).

Revocation ends the whole family: nothing of the delegation is left. Which kind of token it is shows by itself, so
the hint is not needed (RFC 7009 section 2.1 lets it be ignored). A token of another client is refused with
`invalid_grant`: section 2.1 wants that the client is told, and RFC 6749 section 5.2 has that word for "was issued to
another client". A call that is being answered finishes; the next one is refused.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from oauth.access_tokens import AccessTokens
from oauth.activity import ActivityRecorder
from oauth.errors import InvalidGrant
from oauth.grants import Client, Grant
from oauth.primitives import scopes
from oauth.primitives.parameters import Parameters
from oauth.primitives.secrets import digest
from oauth.settings import OAuthSettings
from oauth.stores.devices import DeviceStore
from oauth.stores.grants import GrantStore

INACTIVE: Mapping[str, Any] = {"active": False}
"""The same for every token that is worth nothing, whatever the reason (RFC 7662 section 2.2)."""
REVOKED_BY_CLIENT = "revoked by the client"


@dataclass(frozen=True, slots=True)
class IssuedTokens:
    """What tokens are worth, whose they are, and their end.

    `has_client` says whether a client of this id can be: one that is no longer configured cannot.
    """

    grants: GrantStore
    devices: DeviceStore
    tokens: AccessTokens
    settings: OAuthSettings
    has_client: Callable[[str], bool]
    activity: ActivityRecorder

    async def owner(self, parameters: Parameters, now: datetime) -> str | None:
        """Whose account a request to the token or revocation endpoint shows something of; it uses nothing up.

        A name for the account of a grant that holds or of a device that it has let in; None of what is nobody's. It
        tells apart who has been let in here from who only guesses: codes and tokens are 256 random bits. The owner is
        an account, not a grant: it may have as many grants as it likes, a remembered consent is one GET for each.
        """
        if (secret := parameters.get("device_code")) is not None:
            device = await self.devices.find_device(digest(secret))
            is_let_in = device is not None and device.status == "approved" and now < device.expires_at
            account = device.user_id if device is not None and is_let_in else None
        else:
            secret = parameters.get("code") or parameters.get("refresh_token") or parameters.get("token")
            find = self.grants.find_refresh if parameters.get("code") is None else self.grants.find_code
            found = None if secret is None else await find(digest(secret))
            grant = None if found is None else await self.grants.find_live_grant(found.grant_id, now)
            account = None if grant is None else grant.subject
        return None if account is None else f"account:{account}"

    async def describe(self, token: str, now: datetime) -> Mapping[str, Any]:
        """The members of RFC 7662 section 2.2; nothing that tells who the person is beyond the account's id."""
        refresh = await self.grants.find_refresh(digest(token))
        if refresh is not None:
            grant = await self._live_grant(refresh.grant_id, now)
            if grant is None or refresh.rotated_at is not None or now >= refresh.expires_at:
                return INACTIVE
            began, ends = refresh.created_at.timestamp(), refresh.expires_at.timestamp()
            return self._members(grant, grant.scopes, int(began), int(ends))
        claims = await self.tokens.verify(token, now)
        grant = None if claims is None else await self._live_grant(claims.grant_id, now)
        if claims is None or grant is None:
            return INACTIVE
        members = self._members(grant, claims.scopes & grant.scopes, claims.iat, claims.exp)
        return {**members, "token_type": "Bearer", "jti": claims.jti}

    async def revoke(self, client: Client, parameters: Parameters, now: datetime) -> None:
        """End the family of the token, in every process, if it is known.

        While the store gives no answer, the client must try again (RFC 7009 section 2.2.1).

        Raises `InvalidRequest`: the parameter is missing; `InvalidGrant`: the token is of another client; it stays as
        it is.
        """
        token = parameters.require("token")
        found = await self.grants.find_refresh(digest(token)) or await self.tokens.verify(token, now)
        grant = None if found is None else await self.grants.find_grant(found.grant_id)
        if grant is None:
            return
        if grant.client_id != client.id:
            raise InvalidGrant("The token is of another client.")
        await self.grants.revoke_grant(grant.id, REVOKED_BY_CLIENT, now)
        self.activity.note(grant.user_id, "token_revoked", client.id, client_name=grant.client_name)

    async def _live_grant(self, grant_id: str, now: datetime) -> Grant | None:
        grant = await self.grants.find_live_grant(grant_id, now)
        return grant if grant is not None and self.has_client(grant.client_id) else None

    def _members(self, grant: Grant, held: frozenset[str], iat: int, exp: int) -> Mapping[str, Any]:
        return {
            "active": True,
            "iss": self.settings.issuer,
            "sub": grant.subject,
            "aud": grant.resource,
            "client_id": grant.client_id,
            "scope": scopes.written(held),
            "iat": iat,
            "exp": exp,
        }
