"""What is told of each tool call besides the metrics: a row of the audit log, and a line of the ordinary one."""

import structlog

from mcp_server.audit.entries import Entry, Event
from mcp_server.audit.recorder import Recorder
from mcp_server.observability.events import ToolCalled, ToolInvoked

log = structlog.get_logger("audit")


def tool_called(event: ToolCalled) -> None:
    """`tool_success` or `tool_failure`, with the arguments as a digest only."""
    log.info(
        "tool_success" if event.outcome == "success" else "tool_failure",
        tool=event.tool,
        outcome=event.outcome,
        reason=event.code,
        subject=event.subject,
        client=event.client_id,
        protocol=event.protocol_version,
        arguments=event.arguments_digest,
        ms=round(event.seconds * 1000, 2),
    )


class CallTrail:
    """Tells the audit log of tool calls.

    Every call ends in one row, `toolSuccess` or `toolFailure`. One that may change something has another at its
    beginning, `toolInvoke`: should the process die in the middle, the log still says that it was begun. With
    `every_invoke` calls that only read have that, too.
    """

    def __init__(self, recorder: Recorder, *, every_invoke: bool = False) -> None:
        self._recorder, self._every_invoke = recorder, every_invoke

    def begun(self, call: ToolInvoked) -> None:
        """The call passed the door; its arguments are not looked at yet."""
        if self._every_invoke or not call.is_read_only:
            self._recorder.record(
                Entry(
                    Event.TOOL_INVOKE,
                    subject=call.subject,
                    client=call.client_id,
                    tool=call.tool,
                    request=call.request_id,
                    address=call.address,
                )
            )

    def ended(self, call: ToolCalled) -> None:
        """What came of it."""
        tool_called(call)
        is_well = call.outcome == "success"
        self._recorder.record(
            Entry(
                Event.TOOL_SUCCESS if is_well else Event.TOOL_FAILURE,
                "ok" if is_well else call.outcome,
                subject=call.subject,
                client=call.client_id,
                tool=call.tool,
                request=call.request_id,
                address=call.address,
                ms=call.seconds * 1000,
                reason=call.code,
                arguments=call.arguments_digest,
                summary=call.arguments_summary,
            )
        )
