"""Asks a panel: waits as long as a call may, and tells what is there by then."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from mcp_server.caller import current_caller
from mcp_server.errors import InvalidArguments
from mcp_server.toolkit.cache import TtlCache
from mcp_server.toolsets.panels import _text as messages
from mcp_server.toolsets.panels import models
from mcp_server.toolsets.panels._aggregation.aggregate import LARGEST, aggregate, truncate
from mcp_server.toolsets.panels._ask.planner import AskRequest, groups_of, plan, request_ids
from mcp_server.toolsets.panels._ask.runner import AskJobs
from mcp_server.toolsets.panels._ask.series import Again, Report, Series, estimate
from mcp_server.toolsets.panels._minds.studies import Panel
from mcp_server.toolsets.panels._minds.transcript import ABANDONED, folded, was_lost
from mcp_server.toolsets.panels._study import AskedQuestion
from mcp_server.upstream.deadline import time_left

PATIENCE = 45.0  # seconds for which an answer is waited for: hosts give up on a call after a minute
KEPT_BACK = 0.5  # seconds of a caller with less patience, in which what is there is summed up


@dataclass(frozen=True, slots=True)
class StudyPlan:
    """One call: questions in their order, to all or to those that a follow-up is for."""

    requests: tuple[AskRequest, ...]
    follow_up: Again | None = None
    estimate_only: bool = False

    def settled(self, base: AskedQuestion | None) -> "StudyPlan":
        """With those whom the follow-up to `base` is for. Raises InvalidArguments: that is nobody, or nothing sound."""
        distinct = {(folded(one.question), one.type, one.scale, one.options) for one in self.requests}
        if len(distinct) < len(self.requests):
            raise InvalidArguments("questions: two are the same; ask each once, and later again to measure anew")
        if self.follow_up is None or base is None:
            return self
        return replace(self, requests=tuple(self.follow_up.of(request, base) for request in self.requests))


class StudyRunner:
    """The questions that callers wait for, and those of a study that go on without them."""

    def __init__(self, jobs: AskJobs) -> None:
        self.jobs, self._patience = jobs, PATIENCE
        self._series: dict[str, Series] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._started = datetime.now(UTC)
        self._told: TtlCache[str | None, bool] = TtlCache(ABANDONED.total_seconds())

    async def close(self) -> None:
        """Let go of all. A question that was asked stays asked; those of a study that wait are not."""
        for task in self._tasks:
            task.cancel()
        await self.jobs.close()

    async def ask(self, panel: Panel, asking: StudyPlan, report: Report) -> models.PanelAnswer:
        """What the panel answers, or has answered when the patience is at its end.

        Raises ToolFailure, GatewayError: it could not be asked. Once an answer is in, a failure is shown beside it.
        """
        requests = asking.requests
        groups = [groups_of(panel, request) for request in requests]
        if asking.estimate_only:
            return models.PanelAnswer.estimated(panel.study, estimate(requests, groups, self.jobs))
        series = self._begun(panel, requests)
        total = sum(len(group.members) for each in groups for group in each)
        await series.follow(total, report, time.monotonic() + min(self._patience, time_left() - KEPT_BACK))
        failure = next((job.failure for job in series.jobs if job.failure is not None), series.failure)
        if failure is not None and all(job.failure is not None and job.latest is None for job in series.jobs):
            raise messages.explained(failure)
        asked, last = [job.question() for job in series.jobs], series.jobs[-1]
        failed = last.failure or series.failure
        room = LARGEST // len(asked)
        *earlier, result = await asyncio.to_thread(lambda: [truncate(aggregate(each), room) for each in asked])
        if last.over:
            self.tell(last.request_id)
        waiting = [] if series.failure else series.waiting
        return models.PanelAnswer(
            panel_id=panel.study.id,
            panel=panel.study.name,
            question_id=asked[-1].id,
            status="processing" if waiting else asked[-1].status,
            done=series.done,
            total=series.total(total),
            resumed=series.resumed,
            result=result,
            earlier=tuple(earlier),
            waiting=tuple(waiting),
            next_step=messages.after_answer(result, last.done, last.total, failed, len(waiting)),
        )

    def tell(self, request_id: str | None) -> None:
        """Note that somebody is told what this question came to."""
        self._told.put(request_id, value=True)

    def _unseen(self, panel: Panel) -> set[str | None]:
        """What was answered not long ago, and nobody was told: the caller left, or the process that asked it ended."""
        now, unseen = datetime.now(UTC), set[str | None]()
        for entry in (one for one in panel.entries if one.asked.status == "completed"):
            told = self._told.get(entry.request_id)
            if told is False or (told is None and was_lost(entry, self._started, now)):
                unseen.add(entry.request_id)
        return unseen

    def _begun(self, panel: Panel, requests: Sequence[AskRequest]) -> Series:
        """The series that asks `requests` already, or a new one."""
        owner = current_caller.get().owner
        key = repr((owner, panel.study.id, requests))
        if (running := self._series.get(key)) is not None and not running.is_over:
            running.resumed = True
            return running
        ids = request_ids(panel, requests, self._unseen(panel))
        series = Series(requests, lambda place: plan(self.jobs, owner, panel, requests[place], ids[place]))
        task = series.begin()
        self._told.put(ids[-1], value=False)
        if series.waiting:
            self._series[key] = series
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(lambda _: self._series.pop(key, None))
        return series
