"""The client that waits behind a return path: a sign-in that ends without anybody signed in is an answer, too."""

from datetime import datetime
from urllib.parse import parse_qs, urlsplit

from oauth.endpoints.consent import PATH
from oauth.errors import AccessDenied, Conflict, InvalidClient, InvalidRequest, ProtocolError, TemporarilyUnavailable
from oauth.flows.authorization import Authorization, Destination, address
from oauth.flows.consent import Consents
from oauth.flows.handles import Handles
from oauth.grants import AuthorizationRequest
from oauth.primitives.sealing import Tampered
from oauth.settings import OAuthSettings


class WaitingClients:
    """Finds the request in a return path, and where its client hears of an error (RFC 6749 section 4.1.2.1)."""

    def __init__(
        self, authorization: Authorization, handles: Handles, consents: Consents, settings: OAuthSettings
    ) -> None:
        self._authorization, self._handles, self._consents = authorization, handles, consents
        self._settings = settings

    async def address(self, path: str, error: ProtocolError, now: datetime) -> str | None:
        """Where the client that waits behind `path` hears of `error`; None where none waits, or no longer.

        A person's no is final, so it uses the request up. After any other error they may try again.

        Raises:
            StoreUnavailable: the store gave no answer.

        """
        asked = await self._waiting(path, now)
        if asked is None:
            return None
        if isinstance(error, AccessDenied):
            try:
                await self._consents.refuse(asked, now)
            except Conflict:
                return None
        answer = {"error": error.error, "error_description": error.description}
        return address(Destination(asked.redirect_uri, asked.state), self._settings.issuer, **answer)

    async def _waiting(self, path: str, now: datetime) -> AuthorizationRequest | None:
        parts = urlsplit(path)
        handles = parse_qs(parts.query).get("request", [])
        if parts.path != PATH or len(handles) != 1:
            return None
        try:
            asked = self._handles.open(handles[0], now)
            await self._authorization.still_holds(asked, now)
        except (Tampered, InvalidClient, InvalidRequest, TemporarilyUnavailable):
            return None
        return asked
