"""The logos of apps that a host vouches for (RFC 7591 `logo_uri`): fetched by us, so that no page asks another site.

A picture comes from strangers and is shown beside our own words. So it comes from the origin of the app's metadata
document, by the guarded fetcher, is small, and is what its first bytes say: PNG, JPEG or WebP. SVG is a document that
can hold scripts and links, and is never shown.
"""

from datetime import datetime, timedelta

from oauth.errors import OauthError
from oauth.grants import Client
from oauth.primitives.address_limit import AddressLimit
from oauth.primitives.fetching import CachedFetch, Fetch, FetchFailed, FetchRefused

MAX_LOGO = 65_536
PATIENCE = 2.0  # seconds: a page waits for it
KEPT, KEPT_OUT = timedelta(hours=12), timedelta(minutes=5)
"""For how long a logo is used; and that there is none, so that a slow host holds few pages up."""
PLACES = 100  # logos in memory
OF_HOST = 20
"""Fetches a minute from one host: strangers choose what is asked for."""
OK = 200
FORMATS = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg", b"RIFF": "image/webp"}


class ClientLogos:
    def __init__(self, fetch: Fetch) -> None:
        self._fetch = fetch
        self._logos = CachedFetch(self._load, size=PLACES)
        self._of_host = AddressLimit(OF_HOST, timedelta(minutes=1))

    async def find(self, client: Client, now: datetime) -> tuple[bytes, str] | None:
        """The picture and its media type; None where there is none that can be shown now."""
        url, host = client.logo_uri, client.verified_host
        if url is None or host is None:
            return None
        try:
            return await self._logos.get(url, now, admit=lambda: self._of_host.count(host, now))
        except OauthError:  # no page fails for want of a picture
            return None

    async def _load(self, url: str, _now: datetime) -> tuple[tuple[bytes, str] | None, timedelta]:
        try:
            fetched = await self._fetch(url, max_bytes=MAX_LOGO, seconds=PATIENCE)
        except (FetchFailed, FetchRefused):
            return None, KEPT_OUT
        kind = _media_type(fetched.body) if fetched.status == OK else None
        return (None, KEPT_OUT) if kind is None else ((fetched.body, kind), KEPT)


def _media_type(body: bytes) -> str | None:
    """What the bytes are, whatever was said of them."""
    kind = next((kind for start, kind in FORMATS.items() if body.startswith(start)), None)
    return None if kind == "image/webp" and body[8:12] != b"WEBP" else kind
