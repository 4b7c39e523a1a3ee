"""A code becomes tokens (RFC 6749 section 4.1.3, RFC 7636 section 4.6, RFC 8707 section 2.2).

Every check comes before the claim. A redemption by the client that owns the code with a wrong verifier or another
redirect URI burns it: whoever has a code has one guess. A request that lacks a parameter or names another resource is
none, and neither is one of another client; they leave the code alone.

A second use by that client, with all that proves it, means that the code was stolen together with its verifier, or
that the client is broken: its family ends, the tokens of the first use included. Without the proof it ends nothing, or
else whoever saw a code could end what its client has.
"""

from datetime import datetime

import structlog

from oauth.errors import InvalidGrant
from oauth.flows.token_requests import TokenFamilies, check_resource, new_refresh_token
from oauth.grants import Client, Code, Grant, Reused, Tokens
from oauth.primitives.parameters import Parameters
from oauth.primitives.pkce import proves
from oauth.primitives.secrets import digest, same

log = structlog.get_logger(__name__)


class AuthorizationCodes(TokenFamilies):
    """The grant type `authorization_code`."""

    async def __call__(self, client: Client, parameters: Parameters, now: datetime) -> Tokens:
        """Use the code up and give its tokens.

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
            raise _spent()
        return await self._claim(client, code, grant, now)

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
            case Reused(grant_id):
                self.forget(grant_id)  # else this process would let its access token in until it looks again
                log.warning("authorization_code.reused", grant=grant_id, client=client.id)
                self.activity.note(grant.user_id, "code_reused", client.id, "disconnected", grant.client_name)
                raise _spent()
            case None:
                raise _spent()


def _spent() -> InvalidGrant:
    return InvalidGrant("The code is expired or was used before; begin again.")
