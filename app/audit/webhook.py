"""The sink that posts: batches of rows as JSON lines, signed, to one address, by the guarded way out."""

import asyncio
import hmac
import time
from collections.abc import Callable, Sequence

import httpx2
from pydantic import SecretStr

from mcp_server.audit.chain import Row
from mcp_server.audit.sinks import Sink, SinkFailed
from mcp_server.upstream.addresses import AddressRefused

SECONDS = 10.0
SIGNATURE = "X-Audit-Signature"


class WebhookSink(Sink):
    """Any 2xx is an acknowledgement; after anything else the same rows come again, so take `chain` and `seq` as id."""

    name = "webhook"

    def __init__(
        self, web: httpx2.AsyncClient, url: str, secret: SecretStr, clock: Callable[[], float] = time.time
    ) -> None:
        self._web, self._url, self._secret, self._clock = web, url, secret, clock

    async def write(self, rows: Sequence[Row]) -> None:
        body = b"".join(row.line + b"\n" for row in rows)
        headers = {
            "Content-Type": "application/x-ndjson",
            SIGNATURE: signature(self._secret, int(self._clock()), body),
        }
        try:
            async with asyncio.timeout(SECONDS):
                # Its answer is of no use, so not a byte of it is read.
                async with self._web.stream(
                    "POST", self._url, content=body, headers=headers, follow_redirects=False
                ) as response:
                    status = response.status_code
        except TimeoutError:
            raise SinkFailed(f"no answer within {SECONDS:g} s") from None
        except (httpx2.HTTPError, httpx2.InvalidURL, AddressRefused) as fault:
            raise SinkFailed(type(fault).__name__) from None
        if not httpx2.codes.is_success(status):
            raise SinkFailed(f"answered {status}")

    async def aclose(self) -> None:
        await self._web.aclose()


def signature(secret: SecretStr, at: int, body: bytes) -> str:
    """`t=SECONDS,v1=HEX`: HMAC-SHA256 over the time, a dot and the body; the time is signed against replays."""
    mark = hmac.digest(secret.get_secret_value().encode(), f"{at}.".encode() + body, "sha256").hex()
    return f"t={at},v1={mark}"
