"""Around every request: where it comes from, what it says of its caller, and no answer before its row is written."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.audit.told import request_ended
from mcp_server.audit.entries import Origin, current_origin
from mcp_server.audit.recorder import Recorder


class AuditMiddleware:
    """Stands inside the request log, which gives the request its id, and around everything that may refuse."""

    def __init__(self, app: ASGIApp, recorder: Recorder) -> None:
        self.app, self.recorder = app, recorder

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        client = scope.get("client")
        origin, status = Origin(scope.get("request_id", ""), client[0] if client else None), 500

        async def send_after_its_row(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                if origin.must_be_written:
                    await self.recorder.settle()
            await send(message)

        token = current_origin.set(origin)
        try:
            await self.app(scope, receive, send_after_its_row)
        finally:
            request_ended(self.recorder, scope, status)
            current_origin.reset(token)
