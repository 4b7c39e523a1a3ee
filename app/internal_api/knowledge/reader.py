"""Read what users give and name: files in child processes, and pages fetched within bounds of time and of bytes."""

import asyncio
import json
import sys
from dataclasses import replace
from pathlib import PurePosixPath
from typing import IO
from urllib.parse import unquote

import httpx2
import orjson
import structlog

from app.internal_api.children import ChildFailed, run_child
from app.internal_api.knowledge.documents import Document, SourceRefused
from app.internal_api.knowledge.media_types import ACCEPTED, is_hopeless, split_media_type

COMMAND = (sys.executable, "-P", "-m", "app.internal_api.knowledge.extract")
SECONDS = 60  # by the clock; the limit of processor time is the child's own

MAX_URL = 2_048
ACCEPT = "text/html,application/xhtml+xml,text/markdown,text/plain,application/pdf,application/json,*/*;q=0.5"
ENCODINGS = frozenset({"gzip", "x-gzip", "deflate"})
GONE = frozenset({404, 410})

log = structlog.get_logger(__name__)


async def read_document(
    data: bytes | IO[bytes], *, filename: str, media_type: str | None, seconds: float = SECONDS
) -> Document:
    """Read one source, from a file from where it stands.

    Raises `SourceRefused`: as `extract_document`; `too_large` for what takes too much time or memory; `unreadable`.
    """
    named = json.dumps((filename, media_type))
    try:
        written = await run_child(*COMMAND, named, stdin=data, seconds=seconds)
    except TimeoutError:
        raise SourceRefused("too_large", "The source takes too long to read. Give it in several parts.") from None
    except ChildFailed as failed:
        # A signal is a limit's, as a rule; any other status is a broken installation, or a fault of ours.
        log.warning("document_reader.failed", status=failed.status, reason=failed.reason)
        if failed.status < 0 or failed.reason.endswith("MemoryError\n"):
            raise SourceRefused("too_large", "The source takes too much time or memory to read.") from None
        raise SourceRefused("unreadable", "The source cannot be read.") from None
    result = orjson.loads(written)
    if "code" in result:
        raise SourceRefused(result["code"], result["message"])
    pages = result.pop("pages")
    return Document(**result, pages=None if pages is None else tuple(pages))


async def fetch_document(web: httpx2.AsyncClient, url: str, *, max_bytes: int, deadline: float) -> Document:
    """Fetch one page within `deadline` seconds, and read it; `web` is the guarded client.

    Raises `SourceRefused`: `bad_url`, `not_http`, the words of the client's guard (`private_address`, `bad_host`,
    `bad_port`, `credentials_in_url`), `unreachable`, `too_many_redirects`, `not_found`, `http_status`, `timeout`,
    `too_large`, `bad_encoding`, and those of `read_document`.
    """
    try:
        target = httpx2.URL(url.strip())
    except httpx2.InvalidURL:
        raise SourceRefused("bad_url", "The link is not a valid address.") from None
    if target.scheme not in {"http", "https"}:
        raise SourceRefused("not_http", "The link must begin with http:// or https://.")
    if not target.host or len(url) > MAX_URL:
        raise SourceRefused("bad_url", "The link has no host, or is too long.")
    try:
        async with asyncio.timeout(deadline):
            response, data = await _get(web, target, max_bytes)
    except TimeoutError:
        raise SourceRefused("timeout", f"The page was not fetched within {deadline:g} seconds.") from None
    name, media_type = PurePosixPath(unquote(response.url.path)).name, response.headers.get("Content-Type")
    document = await read_document(data, filename=name or response.url.host, media_type=media_type)
    return replace(document, source=response.url.host, link=str(response.url))


async def _get(web: httpx2.AsyncClient, target: httpx2.URL, max_bytes: int) -> tuple[httpx2.Response, bytes]:
    headers = {"Accept": ACCEPT, "Accept-Encoding": "gzip, deflate"}
    try:
        async with web.stream("GET", target, headers=headers) as response:
            _check_head(response)
            # The decoder unpacks in pieces of a megabyte, so a bomb is noticed after the cap and one piece more.
            data = bytearray()
            async for piece in response.aiter_bytes():
                data += piece
                if len(data) > max_bytes:
                    raise SourceRefused("too_large", f"The page is larger than {max_bytes:,} bytes.")
            return response, bytes(data)
    except httpx2.TimeoutException:
        raise SourceRefused("timeout", "The page's server did not answer in time.") from None
    except httpx2.TooManyRedirects:
        raise SourceRefused("too_many_redirects", "The link redirects too often.") from None
    except httpx2.DecodingError:
        raise SourceRefused("bad_encoding", "The page's compression is broken.") from None
    except httpx2.RequestError as error:
        # The guard's refusal is known by its stable word: its class belongs to a package that is not imported here.
        code = getattr(error, "code", None)
        if isinstance(code, str):
            raise SourceRefused(code, str(error)) from None
        raise SourceRefused("unreachable", "The page's server cannot be reached.") from None


def _check_head(response: httpx2.Response) -> None:
    if not response.is_success:
        said, status = f"The page's server answered {response.status_code}.", response.status_code
        raise SourceRefused("not_found" if status in GONE else "http_status", said, status=status)
    if is_hopeless(split_media_type(response.headers.get("Content-Type"))[0]):
        raise SourceRefused("not_text", f"The page is not of an accepted kind: {ACCEPTED}.")
    # One layer at most: every further one multiplies what a few bytes can make the decoder do, by a thousand,
    # without a byte of output that the cap below could count.
    layers = [name.strip().lower() for name in response.headers.get("Content-Encoding", "").split(",")]
    if [name for name in layers if name not in ENCODINGS | {"", "identity"}] or len(layers) > 1:
        raise SourceRefused("bad_encoding", "The page is compressed in a way that was not asked for.")
