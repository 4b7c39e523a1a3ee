"""The transport that reads a response whole, within the time of its operation."""

import httpx2

from mcp_server.upstream.deadline import DeadlineTimeout
from mcp_server.upstream.event_stream import is_event_stream
from mcp_server.upstream.failure_mapping import UnreadableAnswer
from mcp_server.upstream.layer import Layer

MAX_BODY_BYTES = 16 * 1024 * 1024
"""A body beyond this is no answer: memory stays bounded whatever the upstream sends."""

CODED = ("content-encoding", "content-length", "transfer-encoding")
"""Headers that do not describe a body any more that was decoded."""


class DeadlineTransport(Layer):
    """What comes from here is whole and decoded, but for event streams that were asked for: they must begin in time.

    Raises:
        TimeoutError: the operation's time is over.
        DeadlinePassed: the caller's own time was over before.
        UnreadableAnswer: the body is too large.

    """

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        async with DeadlineTimeout(request.extensions["seconds"]):
            response = await self._inner.handle_async_request(request)
            if request.extensions.get("stream") and is_event_stream(response):
                return response
            if not response.is_closed:
                try:
                    response = await _whole(response)
                finally:
                    await response.aclose()
            if len(response.content) > MAX_BODY_BYTES:
                raise UnreadableAnswer("the answer is too large")
            if (decode := request.extensions.get("decode")) is not None:
                await decode(response)
            return response


async def _whole(response: httpx2.Response) -> httpx2.Response:
    """`response` with its bytes; those of a redirect are nobody's, and are not read."""
    body = bytearray()
    if not response.is_redirect:
        async for part in response.aiter_bytes():
            body += part
            if len(body) > MAX_BODY_BYTES:
                raise UnreadableAnswer("the answer is too large")
    headers = [(name, value) for name, value in response.headers.items() if name not in CODED]
    return httpx2.Response(response.status_code, headers=headers, content=bytes(body))
