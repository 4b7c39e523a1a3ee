"""Who a bearer credential belongs to: at `/mcp`, and at the embedded API."""

from functools import partial

import jwt
from pydantic import SecretStr

from app.internal_api.errors import Unavailable
from app.internal_api.principals import Principal
from app.key_checks import NotAsked, TooManyChecks, client_network
from mcp_server import errors
from mcp_server.caller import Caller, current_caller
from mcp_server.minds_api.api import Api
from mcp_server.minds_api.credentials import DEMO_SUBJECT, INTERNAL_AUDIENCE, INTERNAL_ISSUER
from mcp_server.minds_api.operations import Operation
from oauth.errors import StoreUnavailable
from oauth.models import Verified
from oauth.primitives.scopes import ALL as ALL_SCOPES
from oauth.primitives.secrets import digest
from oauth.verifier import Verifier

VISITOR = Principal(
    "00000000-0000-4000-8000-000000000000", frozenset({"sparks:read", "sparks:write", "sparks:chat"}), demo=True
)
"""Who owns what visitors make. Nobody can sign in as it: it is no row of `users`."""


class GatewayAuthenticator:
    """API keys and access tokens at one resource: `/mcp`, or the embedded API.

    Towards the embedded API the gateway signs service tokens for its caller. Towards the real one a key goes along as
    the caller's credential; a token never does (minds-api.md 12.6), the key goes that its account linked at
    `account_url`.
    """

    def __init__(self, verifier: Verifier, resource: str, account_url: str = "") -> None:
        """`account_url` is where accounts link keys of the real API; empty with the embedded one."""
        self._verifier, self._resource, self._account_url = verifier, resource, account_url

    async def caller(self, bearer: str) -> Caller | None:
        """The caller of `bearer`, or None.

        Raises `ServiceUnavailable`: the store gave no answer; that is never "nobody"; `CircuitBreakerOpen`: the
        internal API, whose key it may be, is left alone for a moment; `RateLimitExceeded`: its address has shown too
        many keys that are not good.
        """
        try:
            verified = await self._verifier.verify(bearer)
            is_key = verified is not None and verified.kind == "api_key"
            # A key is good everywhere, a token where it was issued for.
            if verified is None or not (is_key or verified.audience == self._resource):
                return None
        except TooManyChecks as refused:
            raise errors.RateLimitExceeded(refused.retry_after) from None
        except NotAsked as unasked:
            raise errors.CircuitBreakerOpen(unasked.retry_after) from None
        except StoreUnavailable:
            raise errors.ServiceUnavailable("The credential cannot be checked at the moment; try again") from None
        return Caller(
            kind="api_key" if is_key else "oauth",
            subject=verified.subject,
            scopes=verified.scopes,
            client_id=verified.client_id,
            credential=(SecretStr(bearer) if is_key else verified.linked_key) if self._account_url else None,
            account_url=self._account_url,
            again=partial(self.caller, bearer),
        )


class UpstreamKeys:
    """The real internal API as the authority on its own keys. It knows no scopes: such a key may do everything there.

    What everybody here reads is not there, so nobody's key of that API may write it.
    """

    def __init__(self, api: Api) -> None:
        self._api = api

    async def check(self, key: str) -> Verified | None:
        """Who `key` belongs to, asked of the API by showing it (`GET /auth/me`).

        Raises `StoreUnavailable`: the API gave no answer; `NotAsked` where its breaker is open.
        """
        # Whose key it is shows later; until then the places at the bulkhead are those of the address.
        holder = Caller(kind="api_key", subject=client_network(), credential=SecretStr(key))
        token = current_caller.set(holder)
        try:
            me = await self._api.call("GET", "auth", "me", operation=Operation.IDENTITY)
        except (errors.AuthenticationRequired, errors.PermissionDenied):  # unknown, or known and suspended
            return None
        except errors.CircuitBreakerOpen as error:
            raise NotAsked(error.retry_after) from None
        except (errors.GatewayError, errors.ToolFailure) as error:
            raise StoreUnavailable(str(error)) from None
        finally:
            current_caller.reset(token)
        subject = me.get("id") if isinstance(me, dict) else None
        if not isinstance(subject, str):
            raise StoreUnavailable("the internal API did not say whose key it is")
        return Verified(subject, ALL_SCOPES - {"docs:write"}, client_id=f"key:{digest(key)[:12]}")


class EmbeddedPrincipals:
    """The embedded API's callers: those for whom the gateway speaks, with service tokens that it signs.

    With an `authenticator`, also those of API keys and access tokens. In the HTTP process the API is not asked about
    these: they are checked before it (`app.http.direct_api`), and a service token opens nothing at the port.
    """

    def __init__(self, secret: SecretStr, authenticator: GatewayAuthenticator | None = None) -> None:
        self._secret, self._authenticator = secret, authenticator

    async def find(self, bearer: str) -> Principal | None:
        """The principal of `bearer`, or None. Raises `Unavailable`: the store gave no answer."""
        try:
            claims = jwt.decode(
                bearer,
                self._secret.get_secret_value(),
                algorithms=["HS256"],
                audience=INTERNAL_AUDIENCE,
                issuer=INTERNAL_ISSUER,
                options={"require": ["exp", "iat", "iss", "aud", "sub"]},
            )
        except jwt.InvalidTokenError:
            return await self._of_credential(bearer)
        if claims["sub"] == DEMO_SUBJECT:
            return VISITOR
        if not claims["sub"]:
            return None
        return Principal(claims["sub"], frozenset(str(claims.get("scope", "")).split()))

    async def _of_credential(self, bearer: str) -> Principal | None:
        try:
            caller = await self._authenticator.caller(bearer) if self._authenticator is not None else None
        except errors.GatewayError:
            raise Unavailable from None
        return Principal(caller.subject or "", caller.scopes) if caller is not None else None

    def visitor(self) -> Principal:
        """Who asks without a credential."""
        return VISITOR
