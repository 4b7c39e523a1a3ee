"""Headers that every response carries, whatever made it."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

ALWAYS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
}
HSTS = "max-age=31536000; includeSubDomains"


def always(*, https: bool) -> dict[str, str]:
    """The headers of every answer; over TLS also that browsers shall stay there (RFC 6797)."""
    return {**ALWAYS, **({"strict-transport-security": HSTS} if https else {})}


class SecurityHeadersMiddleware:
    """Sets what is missing: a page that needs a policy of its own has set it by then."""

    def __init__(self, app: ASGIApp, *, https: bool) -> None:
        self.app = app
        self.headers = [(name.encode(), value.encode()) for name, value in always(https=https).items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                present = {name.lower() for name, _ in message.get("headers", ())}
                message["headers"] = [
                    *message.get("headers", ()),
                    *(one for one in self.headers if one[0] not in present),
                ]
            await send(message)

        await self.app(scope, receive, send_with_headers)
