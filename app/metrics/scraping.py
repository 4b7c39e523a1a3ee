"""`/metrics`: who may read it, and in which of the two formats."""

import asyncio
import hmac
import re
from collections.abc import Awaitable, Callable

from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.exposition import generate_latest as plain_text
from prometheus_client.openmetrics import exposition as openmetrics
from prometheus_client.openmetrics.exposition import generate_latest as open_text
from pydantic import SecretStr
from starlette.requests import Request
from starlette.responses import Response

from app.metrics.families import Families
from app.settings import Settings
from app.settings.origins import is_loopback

_PORT = re.compile(r":\d*$")
OPENMETRICS = "application/openmetrics-text"


class Scraping:
    """The endpoint. `look` updates the gauges first."""

    def __init__(self, families: Families, settings: Settings, look: Callable[[], Awaitable[None]]) -> None:
        self._families, self._settings, self._look = families, settings, look

    async def answer(self, request: Request) -> Response:
        if not may_scrape(request, self._settings.metrics_token, is_production=self._settings.is_production):
            return Response(status_code=403)
        if not self._families.counts:
            return Response(status_code=404)
        await self._look()
        # OpenMetrics for whoever asks for it: only that format has exemplars.
        is_open = OPENMETRICS in request.headers.get("accept", "")
        body = await asyncio.to_thread(open_text if is_open else plain_text, self._families.shown())
        media_type = openmetrics.CONTENT_TYPE_LATEST if is_open else CONTENT_TYPE_PLAIN_0_0_4
        return Response(body, media_type=media_type, headers={"cache-control": "no-store"})


def may_scrape(request: Request, token: SecretStr | None, *, is_production: bool) -> bool:
    """With a token set: whoever has it. Without: only this machine itself, spoken to directly.

    In production that cannot be told: a proxy on this machine may pass strangers on without a word of them.
    """
    if token is not None:
        given = request.headers.get("authorization", "")
        return hmac.compare_digest(given.encode(), f"Bearer {token.get_secret_value()}".encode())
    if is_production or {"forwarded", "x-forwarded-for", "x-real-ip"} & set(request.headers.keys()):
        return False
    # The name too: a page may have its own point here, and then asks from this machine.
    name = _PORT.sub("", request.headers.get("host", ""))
    return is_loopback(name) and request.client is not None and is_loopback(request.client.host)
