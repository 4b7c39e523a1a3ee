"""A question is pursued to its end by a task that no caller's departure ends.

A stream that breaks off is not an answer that is lost. The panel is looked at again: where the internal API knows our
`clientRequestId`, the stream is taken up again under it, which asks nobody twice; otherwise the answer is waited for.
"""

from collections.abc import Awaitable, Callable

from mcp_server.errors import (
    CircuitBreakerOpen,
    GatewayError,
    RateLimitExceeded,
    ServiceUnavailable,
    Timeout,
    ToolFailure,
)
from mcp_server.toolsets.panels._asking import Asking, entry_of
from mcp_server.toolsets.panels._studies import Panel, Studies
from mcp_server.toolsets.panels._transcript import Entry, folded

PAUSES = (0.5, 1.0, 2.0, 5.0)
"""Seconds between looks at a panel whose stream has ended; the last one repeats."""

MOST_LOOKS = 400
"""Some half an hour; what has not come by then will not come."""

Pause = Callable[[float], Awaitable[None]]


async def read(asking: Asking, studies: Studies, pause: Pause) -> None:
    """Read `asking` to its end, whatever becomes of the stream. It never raises what is foreseeable."""
    try:
        if asking.asks:
            await _stream(asking, studies)
        looks = 0
        while not asking.over and looks < MOST_LOOKS:
            await pause(PAUSES[min(looks, len(PAUSES) - 1)])
            looks += 1
            await _look_again(asking, studies, looks)
        if not asking.over:
            asking.fail(Timeout("The answers to this question did not come"), gave_up=True)
    except (GatewayError, ToolFailure) as failure:
        asking.fail(failure)


async def _stream(asking: Asking, studies: Studies) -> None:
    """Read the events. Once they may come, a break is no failure, since the question is on its way by then.

    Nor is an answer that does not begin in time: nobody knows whether the question got through.
    """
    begun = False
    try:
        async with studies.ask(asking.panel_id, asking.body) as events:
            begun = True
            async for event in events:
                asking.take(event)
                if asking.over:
                    return
    except ServiceUnavailable:
        if not begun:
            raise
    except Timeout:
        return


async def _look_again(asking: Asking, studies: Studies, looks: int) -> None:
    try:
        panel = await studies.panel(asking.panel_id)
    except (ServiceUnavailable, Timeout, RateLimitExceeded, CircuitBreakerOpen):
        return  # it says nothing of the question
    entry = entry_of(panel, asking.request_id) or _same_text(panel, asking)
    if entry is None:
        if looks >= len(PAUSES):
            asking.fail(ServiceUnavailable("The internal API lost the question; ask it again"), gave_up=True)
    elif entry.asked.status == "completed":
        asking.finish((await studies.whole(panel, entry)).asked)
    elif entry.asked.status == "failed" and not entry.is_silent:  # by its age alone, a wrong clock would judge it
        asking.fail(ServiceUnavailable("The internal API could not answer the question; ask it again"), gave_up=True)
    elif asking.asks and entry.request_id == asking.request_id:
        await _stream(asking, studies)
    else:  # nothing streams to us, so what is stored meanwhile is read
        asking.learn((await studies.whole(panel, entry)).asked, entry.members)


def _same_text(panel: Panel, asking: Asking) -> Entry | None:
    """Where the internal API does not tell our id: a question of this wording that was not there before."""
    wanted = folded(str(asking.body["question"]))
    later = [entry for entry in panel.entries if not entry.names & asking.before]
    return next((entry for entry in later if folded(entry.asked.text) == wanted), None)
