"""Authenticates, rate-limits and audits direct `/api/v1` calls. The gateway's own calls are made in process."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.http.admission import Authenticate, bearer_of
from app.http.rate_limits import ConcurrencyLimit, RequestLimits
from app.internal_api.http.operation import Router
from app.internal_api.principals import Checked, Principal, current_check
from app.internal_api.resources.table import operations
from mcp_server.audit.entries import Entry, Event
from mcp_server.audit.recorder import Recorder
from mcp_server.caller import Caller
from mcp_server.errors import GatewayError, ServiceUnavailable
from mcp_server.request_context import RequestContext, current_context

COSTS_LIKE: Mapping[str, str] = {
    "createMind": "create_ai_persona_or_digital_twin",
    "completeWithMind": "talk_to_ai_persona",
    "createAudience": "create_group",
    "createStudy": "create_panel",
    "askStudy": "ask_panel",
    "exportStudy": "export_panel",
}
"""The tools that do the same as an operation. Each other change costs what a tool without a limit of its own does."""

REFUSED = 400
Change = Callable[[str, str], str | None]
"""Names the operation of a method and a path, where that changes something."""


@dataclass(eq=False)
class DirectApi:
    """Stands before an API at the port, by default the embedded one; `limits` is None where nothing is limited."""

    app: ASGIApp
    authenticate: Authenticate
    recorder: Recorder
    limits: RequestLimits | None
    concurrency: ConcurrencyLimit
    change: Change = field(default_factory=lambda: Router(operations()).change)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        context = current_context.get()
        is_checked, bearer = "authorization" in context.headers, bearer_of(context.headers)
        caller = context.caller = await self._caller_of(context, bearer)
        context.has_wrong_credential = is_checked and caller is None
        change = self.change(scope["method"], scope["path"])
        if self.limits is not None and context.has_wrong_credential:
            await self.limits.charge_failure(context, bearer)
        elif self.limits is not None:
            await self.limits.charge(context, COSTS_LIKE.get(change or ""), is_call=change is not None)
        # Of who is nobody the API's own 401 says so; without a header there was nothing to check.
        principal = Principal(caller.subject or "", caller.scopes) if caller is not None else None
        token = current_check.set(Checked(principal) if is_checked else None)
        try:
            with self.concurrency.held(context):
                if caller is None or change is None:
                    await self.app(scope, receive, send)
                    return
                await self._change(caller, change, scope, receive, send)
        finally:
            current_check.reset(token)

    async def _caller_of(self, context: RequestContext, bearer: str | None) -> Caller | None:
        try:
            return None if bearer is None else await self.authenticate(bearer)
        except ServiceUnavailable:  # ours, so nobody pays for it
            if self.limits is not None:
                await self.limits.look(context)
            raise

    async def _change(self, caller: Caller, change: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Record a change before it is made, as a call of a tool that writes: should the process die in the middle, the
        log says that it was begun. And once its outcome is known: when the answer begins, since a stream may last.
        """
        begun = Entry(Event.API_INVOKE, "ok", caller.subject, caller.client_id, tool=change)
        begun.detail = {"method": scope["method"]}
        started, is_answered = time.perf_counter(), False
        self.recorder.record(begun)

        def record(reason: str | None, **status: int) -> None:
            row = replace(begun, event=Event.API_CHANGE, outcome="failed" if reason else "ok", reason=reason)
            row.detail = {"method": scope["method"], **status}
            row.time, row.ms = time.time(), (time.perf_counter() - started) * 1000
            self.recorder.record(row)

        async def recording_send(message: Message) -> None:
            nonlocal is_answered
            if message["type"] == "http.response.start":
                is_answered, status = True, message["status"]
                record(str(status) if status >= REFUSED else None, status=status)
            await send(message)

        try:
            await self.app(scope, receive, recording_send)
        except GatewayError as refusal:  # the edge renders it
            record(str(refusal.http_status), status=refusal.http_status)
            is_answered = True
            raise
        finally:
            if not is_answered:
                record("no answer")
