"""Runs every ask to its end in a task of its own, whoever still listens.

A stream that breaks off is not an answer that is lost. The panel is looked at again: where the internal API knows our
`clientRequestId`, the stream is taken up again under it, which asks nobody twice; otherwise the answer is waited for.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

import structlog

from mcp_server import errors
from mcp_server.toolkit.cache import TtlCache
from mcp_server.toolsets.panels._ask.job import AskJob
from mcp_server.toolsets.panels._minds.studies import Studies
from mcp_server.toolsets.panels._minds.transcript import ABANDONED, folded
from mcp_server.toolsets.panels._study import Group
from mcp_server.upstream.deadline import outliving

log = structlog.get_logger(__name__)

MOST = 20  # questions of one owner at a time in this process: each holds a connection

PAUSES = (0.5, 1.0, 2.0, 5.0)
"""Seconds between looks at a panel whose stream has ended; the last one repeats."""

MOST_LOOKS = 400  # some half an hour; what has not come by then will not come

Pause = Callable[[float], Awaitable[None]]
Subject = tuple[str | None, str, str, frozenset[str]]
"""Owner, panel, question and groups, by which an equal ask is found."""


class AskJobs:
    """The asks that this process is reading. `pause` waits between looks at a panel whose stream broke off."""

    def __init__(self, studies: Studies, *, pause: Pause = asyncio.sleep) -> None:
        self._studies, self._pause = studies, pause
        self._running: dict[tuple[Subject, str], AskJob] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.pace: float | None = None  # seconds of one answer, as the last question took
        self.tokens: float | None = None  # of one answer, likewise
        self._abandoned: TtlCache[Subject, bool] = TtlCache(ABANDONED.total_seconds())

    def find(self, owner: str | None, panel_id: str, question: str, groups: Sequence[Group]) -> list[AskJob]:
        """The asks of this question to these groups that are being answered."""
        wanted = _subject(owner, panel_id, question, groups)
        return [job for (subject, _), job in self._running.items() if subject == wanted]

    def find_by_id(self, owner: str | None, panel_id: str, question_id: str) -> AskJob | None:
        found = (job for (subject, _), job in self._running.items() if subject[:2] == (owner, panel_id))
        return next((job for job in found if job.request_id == question_id), None)

    def start(self, owner: str | None, job: AskJob) -> AskJob:
        """Run `job` to its end, with the credentials of the caller of this moment.

        Raises AlreadyRunning: the owner has too many questions open.
        """
        if sum(subject[0] == owner for subject, _ in self._running) >= MOST:
            raise errors.AlreadyRunning(
                f"{MOST} questions of yours are being answered; wait for one with get_panel_results"
            )
        subject = _subject(owner, job.panel_id, job.text, job.groups)
        key = (subject, job.request_id)
        self._running[key] = job
        self._abandoned.forget(subject)
        task = asyncio.create_task(outliving(partial(run, job, self._studies, self._pause)))
        self._tasks.add(task)
        begun = time.monotonic()
        task.add_done_callback(lambda done: self._end(key, done, time.monotonic() - begun))
        return job

    def was_abandoned(self, owner: str | None, panel_id: str, question: str, groups: Sequence[Group]) -> bool:
        """Whether the same question was asked not long ago and will not be answered: waiting for it is in vain."""
        return self._abandoned.get(_subject(owner, panel_id, question, groups)) is not None

    async def close(self) -> None:
        """Let go of all. What was asked stays asked: the internal API has it."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _end(self, key: tuple[Subject, str], task: "asyncio.Task[None]", seconds: float) -> None:
        self._tasks.discard(task)
        job = self._running.pop(key)
        if job.failure is None and job.done and job.request_id not in job.earlier:
            self.pace = seconds / job.done
            self.tokens = (job.question().tokens or 0) / job.done or self.tokens
        if not task.cancelled() and (error := task.exception()) is not None:
            # A bug of ours. Whoever waits gets a failure, and the log has the trace.
            log.error("ask_crashed", exc_info=error)
            job.fail(errors.ServiceUnavailable("The answers could not be read; ask again"))
        if job.abandoned:
            self._abandoned.put(key[0], value=True)


def _subject(owner: str | None, panel_id: str, question: str, groups: Sequence[Group]) -> Subject:
    return owner, panel_id, folded(question), frozenset(group.id for group in groups)


async def run(job: AskJob, studies: Studies, pause: Pause) -> None:
    """Read `job` to its end, whatever becomes of the stream. Foreseeable failures end in the job."""
    try:
        if job.can_stream:
            await _stream(job, studies)
        looks = 0
        while not job.over and looks < MOST_LOOKS:
            await pause(PAUSES[min(looks, len(PAUSES) - 1)])
            looks += 1
            await _look_again(job, studies, looks)
        if not job.over:
            job.fail(errors.Timeout("The answers to this question did not come"), abandoned=True)
    except (errors.GatewayError, errors.ToolFailure) as failure:
        job.fail(failure)


async def _stream(job: AskJob, studies: Studies) -> None:
    """Read the events. Once they may come, a break is no failure, since the question is on its way by then.

    Nor is an answer that does not begin in time: nobody knows whether the question got through.
    """
    begun = False
    try:
        async with studies.ask(job.panel_id, job.body) as events:
            begun = True
            async for event in events:
                job.record(event)
                if job.over:
                    return
    except errors.ServiceUnavailable:
        if not begun:
            raise
    except errors.Timeout:
        return


async def _look_again(job: AskJob, studies: Studies, looks: int) -> None:
    try:
        panel = await studies.panel(job.panel_id)
    except (errors.ServiceUnavailable, errors.Timeout, errors.RateLimitExceeded, errors.CircuitBreakerOpen):
        return  # it says nothing of the question
    entry = panel.entry(job.request_id)
    if entry is None:  # where the internal API does not return our id: a new question of this wording
        later = (one for one in panel.entries if not one.ids & job.earlier)
        entry = next((one for one in later if folded(one.asked.text) == folded(job.text)), None)
    if entry is None:
        if looks >= len(PAUSES):
            job.fail(errors.ServiceUnavailable("The internal API lost the question; ask it again"), abandoned=True)
    elif entry.asked.status == "completed":
        job.finish((await studies.complete(panel, entry)).asked)
    elif entry.asked.status == "failed" and not entry.is_silent:  # by its age alone, a wrong clock would judge it
        job.fail(
            errors.ServiceUnavailable("The internal API could not answer the question; ask it again"), abandoned=True
        )
    elif job.can_stream and entry.request_id == job.request_id:
        await _stream(job, studies)
    else:  # nothing streams to us, so what is stored meanwhile is read
        job.merge((await studies.complete(panel, entry)).asked, entry.members)
