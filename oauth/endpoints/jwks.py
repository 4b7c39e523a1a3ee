"""The keys with which access tokens can be verified (RFC 7517 section 5)."""

from collections.abc import Callable
from datetime import datetime
from typing import Any, Protocol

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from oauth.endpoints.http import OPEN, speaks_json
from oauth.primitives.clock import utc_now

PATH = "/.well-known/jwks.json"
MAX_AGE = 3_600  # seconds: no longer than a key is published before it signs
HEADERS = {"cache-control": f"public, max-age={MAX_AGE}", **OPEN}


class KeySet(Protocol):
    """The published half of the key ring."""

    async def jwks(self, now: datetime) -> dict[str, Any]:
        """The JWK set."""


class JwksEndpoint:
    """The same for everyone, from any origin."""

    def __init__(self, keys: KeySet, now: Callable[[], datetime] = utc_now) -> None:
        self._keys, self._now = keys, now

    @property
    def routes(self) -> list[Route]:
        return [Route(PATH, speaks_json(self._answer), methods=["GET"])]

    async def _answer(self, _request: Request) -> Response:
        return JSONResponse(await self._keys.jwks(self._now()), headers=HEADERS)
