"""What is told of each tool call besides the metrics: a line that says who did what, and what came of it."""

import structlog

from mcp_server.events import ToolCalled

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
