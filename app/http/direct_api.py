"""Who reaches the embedded API from outside pays as at `/mcp`, and what they change is told to the audit log.

The gateway's own calls come through the same address. They are charged nothing and told nothing: the call of the tool
was, already.
"""

import time
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.authentication import EmbeddedPrincipals, Seen
from app.http.caller import bearer_of
from app.http.concurrency_limit import AtOnce
from app.http.rate_limit import Guesses, rate_limit_key, settle
from app.internal_api.errors import Unavailable
from app.internal_api.http.operation import Router
from app.internal_api.principals import FOUND
from app.internal_api.resources.table import operations
from mcp_server.audit.entries import Entry, Event
from mcp_server.audit.recorder import Recorder
from mcp_server.caller import Caller
from mcp_server.errors import ServiceUnavailable

PRICES: Mapping[str, str] = MappingProxyType(
    {
        "createMind": "create_ai_persona_or_digital_twin",
        "completeWithMind": "talk_to_ai_persona",
        "createAudience": "create_group",
        "createStudy": "create_panel",
        "askStudy": "ask_panel",
        "exportStudy": "export_panel",
    }
)
"""The tools that do the same as an operation. Each other change costs what a tool without a limit of its own does."""

REFUSED = 400


class OutsideMiddleware:
    """Stands before the whole embedded API; `guesses` is None where nothing is limited."""

    def __init__(
        self,
        app: ASGIApp,
        principals: EmbeddedPrincipals,
        recorder: Recorder,
        guesses: Guesses | None,
        at_once: AtOnce,
    ) -> None:
        self.app, self._principals, self._router = app, principals, Router(operations())
        self._recorder, self._guesses, self._at_once = recorder, guesses, at_once

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        given = Headers(scope=scope).getlist("authorization")
        seen = await self._seen(scope, given) if given else None
        if given:  # looked at once; the API's own 401 answers who is nobody
            scope[FOUND] = None if seen is None else seen.principal
        if seen is not None and seen.caller is None:
            await self.app(scope, receive, send)
            return
        change = self._router.change(scope["method"], scope["path"])
        if seen is not None:
            scope["caller"] = seen.caller
        if self._guesses is not None:
            await self._charge(scope, change, self._guesses, is_guess=bool(given) and seen is None)
        with self._at_once.held(scope):
            if seen is None or seen.caller is None or change is None:
                await self.app(scope, receive, send)
            else:
                await self._told(scope, receive, send, change, seen.caller)

    async def _seen(self, scope: Scope, given: list[str]) -> Seen | None:
        bearer = bearer_of(given[0]) if len(given) == 1 else None
        try:
            return None if bearer is None else await self._principals.look(bearer)
        except Unavailable:  # ours, so nobody pays for it
            if self._guesses is not None:
                scope["charge"] = await self._guesses.limits.look(rate_limit_key(scope))
            raise ServiceUnavailable("The credential cannot be checked at the moment; try again") from None

    async def _charge(self, scope: Scope, change: str | None, guesses: Guesses, *, is_guess: bool) -> None:
        if is_guess:
            await guesses.charge(scope)
            return
        tool = PRICES.get(change or "")
        settle(scope, await guesses.limits.charge(rate_limit_key(scope), tool, is_call=change is not None))

    async def _told(self, scope: Scope, receive: Receive, send: Send, change: str, caller: Caller) -> None:
        """Tell of the change before it is made, as of a call of a tool that writes: should the process die in the
        middle, the log says that it was begun. And once its outcome is known: when the answer begins, since a stream
        may last.
        """
        method = {"method": scope["method"]}
        begun = Entry(Event.API_INVOKE, "ok", caller.subject, caller.client_id, tool=change, detail=method)
        self._recorder.record(begun)
        row, started = replace(begun, event=Event.API_CHANGE, outcome="failed", reason="no answer"), time.perf_counter()
        is_told = False

        def tell() -> None:
            nonlocal is_told
            is_told, row.time, row.ms = True, time.time(), (time.perf_counter() - started) * 1000
            self._recorder.record(row)

        async def send_and_tell(message: Message) -> None:
            if message["type"] == "http.response.start" and not is_told:
                status = message["status"]
                row.outcome, row.reason = ("failed", str(status)) if status >= REFUSED else ("ok", None)
                row.detail = {**method, "status": status}
                tell()
            await send(message)

        try:
            await self.app(scope, receive, send_and_tell)
        finally:
            if not is_told:
                tell()
