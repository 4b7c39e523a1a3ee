"""The audit log of a process: takes entries from everywhere, never waits, never fails, and hands them to each sink."""

import asyncio
import os
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any

import structlog
from anyio import move_on_after

from mcp_server.audit.chain import Chain, ChainKey
from mcp_server.audit.entries import WRITTEN_FIRST, Entry, Event, current_origin
from mcp_server.audit.files import AUDIT_KEY, FileSink, folder_of
from mcp_server.audit.sinks import Sink, SinkWriter, WriterLimits
from mcp_server.caller import Caller
from mcp_server.observability.events import ToolCalled
from mcp_server.request_context import RequestContext
from mcp_server.settings import McpSettings
from mcp_server.toolkit.secret_file import shared_secret
from mcp_server.toolkit.tasks import beside

if TYPE_CHECKING:
    from mcp_server.primitives import Primitive  # with the library of the protocol, which commands do without

SETTLE_SECONDS = 2.0
"""An answer waits so long for its row at most: a log that is stuck must not stop anybody from signing in."""

CLOSE_SECONDS = 5.0
WINDOW = 60.0
PER_KEY, IN_ALL = 20, 600
ATTEMPTS_PER_KEY = 1
SAMPLED = frozenset({Event.AUTH_FAILURE, Event.SIGN_IN_FAILURE, Event.RATE_LIMIT_EXCEEDED, Event.INTERNAL_ERROR})

log = structlog.get_logger(__name__)
audit_log = structlog.get_logger("audit")


class Recorder:
    """Takes entries from everywhere in the process. Without sinks it forgets them.

    `places` stands in the first row of each chain: which sinks keep rows, and where, by the name of the sink. `network`
    says which addresses are one when repetitions are counted; rows have the address itself. With `every_invoke` calls
    that only read have a `toolInvoke` row, too.
    """

    def __init__(
        self,
        sinks: Sequence[Sink] = (),
        key: ChainKey | None = None,
        limits: WriterLimits | None = None,
        *,
        process: str = "",
        places: Mapping[str, str] | None = None,
        network: Callable[[str], str] = str,
        every_invoke: bool = False,
    ) -> None:
        name = f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{token_hex(4)}"  # names sort by the time of the start
        key, limits = key or ChainKey.derived(token_hex(32)), limits or WriterLimits()
        detail = {"process": process, "pid": os.getpid()} | ({"places": dict(places)} if places else {})
        self.writers = [
            SinkWriter(sink, Chain(name, key), limits, Entry(Event.AUDIT_START, detail=detail)) for sink in sinks
        ]
        self._failures, self._attempts = Sampler(PER_KEY, IN_ALL), Sampler(ATTEMPTS_PER_KEY, IN_ALL)
        self._network, self._every_invoke = network, every_invoke
        self._tasks: list[asyncio.Task[None]] = []

    def record(self, entry: Entry) -> None:
        """Have it written. Of what an attacker can repeat at will the first few a minute have rows; the rest counts."""
        origin = current_origin.get()
        if origin is not None:
            entry.request = entry.request or origin.request
            entry.address = entry.address or origin.address
            if entry.event in WRITTEN_FIRST:
                origin.must_be_written = True
        if entry.event in SAMPLED:
            admitted = self._failures.admits(entry.event, f"{entry.event} {self._network(entry.address or '')}")
        elif entry.event is Event.AUTH_ATTEMPT:
            network = self._network(entry.address or "")
            admitted = self._attempts.admits(entry.event, f"{entry.subject} {entry.client} {network}")
        else:
            admitted = True
        if admitted:
            for writer in self.writers:
                writer.offer(entry)

    def tool_invoked(self, primitive: "Primitive", caller: Caller, request: RequestContext | None) -> None:
        """A call begins. One that may change something has a row: should the process die, the log says it was begun."""
        if self._every_invoke or not primitive.is_read_only:
            entry = Entry(Event.TOOL_INVOKE, subject=caller.subject, client=caller.client_id, tool=primitive.name)
            if request is not None:
                entry.request, entry.address = request.id, request.address
            for writer in self.writers:  # not by way of `record`: the call names its request itself
                writer.offer(entry)

    def tool_called(self, call: ToolCalled) -> None:
        """A call has ended: a row, and a line of the ordinary log, with the arguments as a digest only."""
        succeeded = call.outcome == "success"
        told: dict[str, Any] = {
            "tool": call.tool,
            "reason": call.code,
            "subject": call.subject,
            "client": call.client_id,
            "arguments": call.arguments_digest,
            "ms": round(call.seconds * 1000, 2),
        }
        line = "tool_success" if succeeded else "tool_failure"
        audit_log.info(line, outcome=call.outcome, protocol=call.protocol_version, **told)
        self.record(
            Entry(
                Event.TOOL_SUCCESS if succeeded else Event.TOOL_FAILURE,
                "ok" if succeeded else call.outcome,
                request=call.request_id,
                address=call.address,
                summary=call.arguments_summary,
                **told,
            )
        )

    async def settle(self, sink: str | None = None) -> None:
        """Wait until what was recorded so far is in `sink`, or else on a disk, or it shows that it cannot be; at most
        `SETTLE_SECONDS`.
        """
        for writer in self.writers:
            is_meant = writer.sink.is_durable if sink is None else writer.sink.name == sink
            if is_meant and not writer.is_failing:
                with move_on_after(SETTLE_SECONDS):
                    await writer.settle()
                return

    def status(self) -> dict[str, Any]:
        """For operators: `degraded` while any sink fails."""
        sinks = {writer.sink.name: writer.status() for writer in self.writers}
        for name, task in zip(sinks, self._tasks, strict=False):
            if task.done():
                sinks[name]["status"] = "failing"
        well = all(sink["status"] == "ok" for sink in sinks.values())
        return {"status": "ok" if well else "degraded", "sinks": sinks}

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Write until the block is left, then the rest, for at most a few seconds."""
        self._tasks = [asyncio.create_task(each.run(), name=f"audit {each.sink.name}") for each in self.writers]
        for task in self._tasks:
            task.add_done_callback(_log_death)
        try:
            async with beside(self._count()):
                yield
        finally:
            self._record_counts()
            for writer in self.writers:
                writer.close()
            if self._tasks:
                _done, late = await asyncio.wait(self._tasks, timeout=CLOSE_SECONDS)
                for task in late:
                    task.cancel()
                await asyncio.gather(*late, return_exceptions=True)
            for writer in self.writers:
                await writer.sink.aclose()

    async def _count(self) -> None:
        while True:
            await asyncio.sleep(WINDOW)
            self._record_counts()

    def _record_counts(self) -> None:
        """End the window, and record how many entries of each kind it held back."""
        for sampler in (self._failures, self._attempts):
            for event, count in sampler.restart().items():
                reason = f"{count} more were not told one by one"
                entry = Entry(event, "counted", reason=reason, detail={"count": count})
                for writer in self.writers:
                    writer.offer(entry)


def _log_death(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        log.error("audit.writer_died", task=task.get_name(), exc_info=error)


class Sampler:
    """How many of the same events become rows of their own: under attack the log must not fill the disk.

    In each window `per_key` of each key, such as event and address, are admitted, and `in_all` of all keys together;
    of the rest, how many there were.
    """

    def __init__(self, per_key: int, in_all: int) -> None:
        self._per_key, self._in_all = per_key, in_all
        self._admitted: Counter[str] = Counter()  # by key; only what is admitted takes memory
        self._total = 0
        self._held_back: Counter[Event] = Counter()

    def admits(self, event: Event, key: str) -> bool:
        if self._admitted[key] >= self._per_key or self._total >= self._in_all:
            self._held_back[event] += 1
            return False
        self._admitted[key] += 1
        self._total += 1
        return True

    def restart(self) -> Mapping[Event, int]:
        """Begin a window. What was held back in the one before, by kind."""
        held_back, self._held_back = self._held_back, Counter()
        self._admitted.clear()
        self._total = 0
        return held_back


def stdio_recorder(settings: McpSettings, data_dir: Path) -> Recorder:
    """Of the stdio server, which has no database and no network of its own: the sink `file`, unless it is not wanted.

    Where DATA_DIR cannot be written to, the ordinary log says so and has the calls; a desktop client goes on.
    """
    sinks, key = [], None
    if "file" in settings.audit_sink:
        try:
            key = ChainKey.derived(shared_secret(data_dir, AUDIT_KEY).get_secret_value())
            sinks.append(FileSink(folder_of(data_dir), settings.audit_file_bytes))
        except (OSError, ValueError) as fault:
            log.error("audit.no_key", reason=str(fault))  # noqa: TRY400  the path and the reason say it all
    limits = WriterLimits(retention_days=settings.audit_retention_days)
    return Recorder(sinks, key, limits, process="stdio", every_invoke=settings.audit_every_invoke)
