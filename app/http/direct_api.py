"""Authenticates, rate-limits and audits direct `/api/v1` calls. The gateway's own calls are made in process."""

import time
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.authentication import principal_of
from app.http.caller import Authenticator, bearer_of
from app.http.concurrency_limit import AtOnce
from app.http.rate_limit import Guesses, asker_of, settle
from app.internal_api.principals import Checked, current_check
from app.internal_api.routes.changes import Changes
from app.internal_api.routes.table import operations
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


class DirectApi:
    """Stands before the whole embedded API at the port; `guesses` is None where nothing is limited."""

    def __init__(
        self,
        app: ASGIApp,
        authenticator: Authenticator,
        recorder: Recorder,
        guesses: Guesses | None,
        at_once: AtOnce,
    ) -> None:
        self.app, self._authenticator, self._changes = app, authenticator, Changes(operations())
        self._recorder, self._guesses, self._at_once = recorder, guesses, at_once

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        given = Headers(scope=scope).getlist("authorization")
        caller = scope["caller"] = await self._caller(scope, given)
        change = self._changes.of(scope["method"], scope["path"])
        scope["is_wrong"] = is_wrong = bool(given) and caller is None
        if self._guesses is not None:
            await self._charge(scope, change, self._guesses, is_guess=is_wrong)
        # Of who is nobody the API's own 401 says so; without a header there was nothing to check.
        checked = Checked(None if caller is None else principal_of(caller)) if given else None
        token = current_check.set(checked)
        try:
            with self._at_once.held(scope):
                if caller is None or change is None:
                    await self.app(scope, receive, send)
                else:
                    await self._told(scope, receive, send, change, caller)
        finally:
            current_check.reset(token)

    async def _caller(self, scope: Scope, given: list[str]) -> Caller | None:
        bearer = bearer_of(given[0]) if len(given) == 1 else None
        try:
            return None if bearer is None else await self._authenticator.caller(bearer)
        except ServiceUnavailable:  # ours, so nobody pays for it
            if self._guesses is not None:
                scope["charge"] = await self._guesses.limits.look(asker_of(scope))
            raise

    async def _charge(self, scope: Scope, change: str | None, guesses: Guesses, *, is_guess: bool) -> None:
        if is_guess:
            await guesses.charge(scope)
            return
        tool = PRICES.get(change or "")
        settle(scope, await guesses.limits.charge(asker_of(scope), tool, is_call=change is not None))

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
