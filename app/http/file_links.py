"""Exported files by signed links: whoever holds one may download, until it expires; nobody else learns anything."""

import asyncio
import hmac
from collections.abc import Awaitable, Callable
from urllib.parse import quote, urlencode

from pydantic import SecretStr
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from mcp_server.toolkit.files import FileStore, Link, safe_name, timestamp

PATH = "/exports"
LABEL = b"minds-gateway: links to exported files, v1"

HEADERS = {
    "cache-control": "private, no-store",
    "content-security-policy": "default-src 'none'; sandbox",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}


class Exports:
    """Publishes files, and serves them under `site_url`; `now` is the wall clock.

    `is_there` tells whether a panel exists, where that can be known. Links are signed with a key of their own, derived
    from the secret that all processes of the installation share.
    """

    def __init__(
        self,
        store: FileStore,
        secret: SecretStr,
        site_url: str,
        is_there: Callable[[str], Awaitable[bool]] | None = None,
    ) -> None:
        self._store, self._site, self._is_there = store, site_url, is_there
        self._key = hmac.digest(secret.get_secret_value().encode(), LABEL, "sha256")

    @property
    def route(self) -> Route:
        return Route(f"{PATH}/{{identity}}/{{name}}", self.download, methods=["GET", "HEAD"])

    async def publish(self, file_name: str, media_type: str, content: bytes, *, of: str = "") -> Link:
        """Keep `content`, and sign a link to it."""
        name = safe_name(file_name)
        kept = await asyncio.to_thread(self._store.put, name, media_type, content)
        expires = str(kept.expires)
        query = urlencode({"expires": expires, "of": of, "signature": self._sign(kept.id, name, expires, of)})
        return Link(f"{self._site}{PATH}/{kept.id}/{quote(name, safe='')}?{query}", timestamp(kept.expires))

    async def download(self, request: Request) -> Response:
        """The file. What is forged, expired or unknown is not told apart, and what is forged reaches no file."""
        identity, name = request.path_params["identity"], request.path_params["name"]
        expires, of, signature = (request.query_params.get(part, "") for part in ("expires", "of", "signature"))
        kept = None
        expected = self._sign(identity, name, expires, of).encode()
        is_ours = hmac.compare_digest(expected, signature.encode("utf-8", "surrogatepass"))
        is_valid = is_ours and self._store.now() < int(expires)
        if is_valid and (not of or self._is_there is None or await self._is_there(of)):
            kept = await asyncio.to_thread(self._store.find, identity, name)
        if kept is None:
            raise HTTPException(404, headers=HEADERS)
        disposition = f"attachment; filename*=UTF-8''{quote(kept.path.name, safe='')}"
        headers = {**HEADERS, "content-disposition": disposition}
        return FileResponse(kept.path, headers=headers, media_type=kept.media_type)

    def _sign(self, *parts: str) -> str:
        """In hexadecimal. The parts cannot be shifted against each other: there are four, and none has a line end."""
        text = "\n".join(parts).encode("utf-8", "surrogatepass")
        return hmac.digest(self._key, text, "sha256").hex()
