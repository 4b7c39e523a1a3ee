"""Every question that this process is reading, each in a task of its own until it is answered."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial

import structlog

from mcp_server.errors import AlreadyRunning, ServiceUnavailable
from mcp_server.toolkit.cache import TtlCache
from mcp_server.toolsets.panels._asking import Asking
from mcp_server.toolsets.panels._pursuing import Pause, read
from mcp_server.toolsets.panels._studies import Studies
from mcp_server.toolsets.panels._study import Group
from mcp_server.toolsets.panels._transcript import ABANDONED, folded
from mcp_server.upstream.deadline import outliving

log = structlog.get_logger(__name__)

MOST = 20
"""Questions of one owner at a time in this process: each holds a connection."""

Subject = tuple[str | None, str, str, frozenset[str]]
"""Owner, panel, question and groups, by which a question is found."""

Key = tuple[Subject, str]
"""What a question is about, and its id."""


class Askings:
    """`pause` waits between looks at a panel whose stream broke off."""

    def __init__(self, studies: Studies, *, pause: Pause) -> None:
        self._studies, self._pause = studies, pause
        self._running: dict[Key, Asking] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._given_up: TtlCache[Subject, bool] = TtlCache(ABANDONED.total_seconds())

    def find(
        self,
        owner: str | None,
        panel_id: str,
        question: str,
        groups: Sequence[Group],
        fits: Callable[[Asking], bool] = lambda _asking: True,
    ) -> Asking | None:
        """The same question to the same groups, if it is being answered and `fits`."""
        wanted = _subject(owner, panel_id, question, groups)
        found = (asking for (subject, _), asking in self._running.items() if subject == wanted)
        return next((asking for asking in found if fits(asking)), None)

    def find_by_id(self, owner: str | None, panel_id: str, question_id: str) -> Asking | None:
        found = (asking for (subject, _), asking in self._running.items() if subject[:2] == (owner, panel_id))
        return next((asking for asking in found if asking.request_id == question_id), None)

    def begin(
        self,
        owner: str | None,
        asking: Asking,
    ) -> Asking:
        """Read `asking` to its end. The caller of this moment is the one who asks.

        Raises:
            AlreadyRunning: the owner has too many questions open.

        """
        if sum(subject[0] == owner for subject, _ in self._running) >= MOST:
            raise AlreadyRunning(f"{MOST} questions of yours are being answered; wait for one with get_panel_results")
        subject = _subject(owner, asking.panel_id, str(asking.body["question"]), asking.groups)
        key = (subject, asking.request_id)
        self._running[key] = asking
        self._given_up.forget(subject)
        task = asyncio.create_task(outliving(partial(read, asking, self._studies, self._pause)))
        self._tasks.add(task)
        task.add_done_callback(lambda done: self._end(key, done))
        return asking

    def gave_up(self, owner: str | None, panel_id: str, question: str, groups: Sequence[Group]) -> bool:
        """Whether the same question was put not long ago and will not be answered: to wait for it would be in vain."""
        return self._given_up.get(_subject(owner, panel_id, question, groups)) is not None

    async def close(self) -> None:
        """Let go of all. What was asked stays asked: the internal API has it."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _end(self, key: Key, task: "asyncio.Task[None]") -> None:
        self._tasks.discard(task)
        asking = self._running.pop(key)
        if not task.cancelled() and (error := task.exception()) is not None:
            # A bug of ours. Whoever waits is told that it did not work, and the log has the trace.
            log.error("ask_crashed", exc_info=error)
            asking.fail(ServiceUnavailable("The answers could not be read; ask again"))
        if asking.gave_up:
            self._given_up.put(key[0], value=True)


def _subject(owner: str | None, panel_id: str, question: str, groups: Sequence[Group]) -> Subject:
    return owner, panel_id, folded(question), frozenset(group.id for group in groups)
