"""What every transport of the stack shares: it wraps another one, and reads what a request says of itself.

A request carries its policy in `request.extensions`: `operation` (its class; there is one breaker and one time limit
for each); `stream`, where an event stream may be left open; `decode`, which reads a whole response within the time
limit; and where they differ from the operation's own, `seconds`, `retries` and `place` (subject and operation at the
bulkhead).
"""

import httpx2

DEFAULT_OPERATION = "default"


class Layer(httpx2.AsyncBaseTransport):
    """A transport around `inner`."""

    def __init__(self, inner: httpx2.AsyncBaseTransport) -> None:
        self._inner = inner

    async def aclose(self) -> None:
        await self._inner.aclose()
