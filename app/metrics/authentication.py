"""Counts what becomes of the credentials that are shown at `/mcp`."""

from app.http.admission import Authenticator
from app.metrics.metrics import Metrics
from mcp_server.caller import Caller
from mcp_server.errors import GatewayError
from oauth.secrets import looks_like_key, looks_like_token


class CountedAuthenticator:
    """The same answers as those of `inner`."""

    def __init__(self, inner: Authenticator, metrics: Metrics) -> None:
        self._inner, self._metrics = inner, metrics

    async def caller(self, bearer: str) -> Caller | None:
        """As `inner`."""
        try:
            caller = await self._inner.caller(bearer)
        except GatewayError:
            self._metrics.authenticated(kind_of(bearer), "unavailable")
            raise
        kind = kind_of(bearer) if caller is None else caller.kind
        self._metrics.authenticated(kind, "invalid" if caller is None else "valid")
        return caller


def kind_of(bearer: str) -> str:
    """What a credential looks like, whether it is good or not."""
    if looks_like_key(bearer):
        return "api_key"
    return "oauth" if looks_like_token(bearer) else "unknown"
