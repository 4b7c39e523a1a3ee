"""What can be done with panels, as the caller of the current request may do it."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from operator import attrgetter
from typing import TypeVar
from uuid import uuid4

from mcp_server.caller import current_caller
from mcp_server.errors import InvalidArguments, NotFound
from mcp_server.minds_api.api import Api
from mcp_server.minds_api.refusals import missing_as
from mcp_server.observability.telemetry import Told, untold
from mcp_server.toolkit.files import Files
from mcp_server.toolkit.matching import fold, search
from mcp_server.toolkit.names import meant
from mcp_server.toolsets.panels._aggregation.aggregate import aggregate
from mcp_server.toolsets.panels._asking import Asking, entry_of
from mcp_server.toolsets.panels._askings import Askings
from mcp_server.toolsets.panels._creating import Creator, NewGroup
from mcp_server.toolsets.panels._desk import Wish, put
from mcp_server.toolsets.panels._exporting import Exporter
from mcp_server.toolsets.panels._exports.render import Format
from mcp_server.toolsets.panels._fitting import fitted, fitting
from mcp_server.toolsets.panels._people import PANEL, identity
from mcp_server.toolsets.panels._results import QuestionResult
from mcp_server.toolsets.panels._shown import group_row, group_rows, panel_row
from mcp_server.toolsets.panels._studies import Panel, Studies
from mcp_server.toolsets.panels._study import AskedQuestion, Group, Reply
from mcp_server.toolsets.panels._transcript import Entry
from mcp_server.toolsets.panels._wire import Row
from mcp_server.toolsets.panels._words import (
    LIST_PANELS,
    after_answer,
    after_results,
    created,
    created_group,
    explained,
)
from mcp_server.toolsets.panels.models import (
    CreatedGroup,
    CreatedPanel,
    ExportedPanel,
    GroupList,
    PanelAnswer,
    PanelList,
    PanelResults,
)

PATIENCE = 45.0
"""Seconds for which an answer is waited for: hosts give up on a call after a minute."""

MOST_ROWS = 100
MOST_QUESTIONS = 5
MOST_ANSWERS = 60
"""Questions and answers in one answer of get_panel_results."""

Tell = Callable[[float, float | None, str | None], Awaitable[None]]
"""Told how many answers are in, of how many, and whose is the latest."""

Named = TypeVar("Named", Row, Group)


class PanelService:
    """The panels of whoever calls."""

    def __init__(
        self,
        api: Api,
        files: Files,
        *,
        dedup_seconds: float,
        patience: float = PATIENCE,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        told: Told = untold,
    ) -> None:
        self._studies = Studies(api, now=now)
        self._patience, self._clock = patience, clock
        self._creator = Creator(self._studies, ttl=dedup_seconds, clock=clock, told=told)
        self._askings = Askings(self._studies, pause=pause)
        self._exporter = Exporter(files, now=now)

    async def close(self) -> None:
        await self._askings.close()

    async def listing(self, query: str | None) -> PanelList:
        """The caller's panels; with a `query`, those whose name is like it."""
        rows = _found(await self._studies.panels(), query)
        return PanelList(panels=[panel_row(row) for row in rows[:MOST_ROWS]], total=len(rows))

    async def groups(self, query: str | None) -> GroupList:
        """The caller's groups; with a `query`, those whose name is like it."""
        rows = _found(await self._studies.groups(), query)
        return GroupList(groups=group_rows(rows[:MOST_ROWS]), total=len(rows))

    async def create_group(self, name: str, personas: Sequence[str]) -> CreatedGroup:
        """A new group. Raises as `create` does."""
        namesakes = sum(fold(one.name) == fold(name) for one in await self._studies.groups())
        group = await self._creator.group(name, personas, uuid4().hex)
        message = created_group(group.name, len(group.members), namesakes=namesakes)
        return CreatedGroup(group=group_row(group), message=message)

    async def create(self, name: str, new: Sequence[NewGroup], existing: Sequence[str]) -> CreatedPanel:
        """A new panel, all of it or nothing.

        Raises:
            InvalidArguments, Ambiguous, NotFound, Missing: who is to be in it cannot be told.

        """
        study, duplicate = await self._creator.panel(name, new, existing, current_caller.get())
        namesakes = [row for row in await self._studies.panels() if row.id != study.id and fold(row.name) == fold(name)]
        personas = len({member.id for group in study.groups for member in group.members})
        return CreatedPanel(
            panel_id=study.id,
            name=study.name,
            groups=group_rows(study.groups),
            personas=personas,
            duplicate=duplicate,
            message=created(study.name, len(study.groups), personas, duplicate=duplicate, namesakes=len(namesakes)),
        )

    async def find(self, panel_id: str | None, name: str | None) -> Panel:
        """The panel that is meant.

        Raises:
            InvalidArguments: neither is given.
            Missing: no panel of the caller's has this id.
            Ambiguous, NotFound: several have this name, or none.

        """
        if panel_id is None:
            if not name:
                raise InvalidArguments("panelId or panelName is required; call list_panels to see both")
            rows = await self._studies.panels()
            panel_id = meant(PANEL, " ".join(name.split()), rows, name=attrgetter("name"), id=attrgetter("id")).id
        with _about(panel_id):
            return await self._studies.panel(panel_id)

    async def ask(self, panel: Panel, wish: Wish, tell: Tell) -> PanelAnswer:
        """What the panel answers, or has answered when the patience is at its end.

        Raises:
            ToolFailure, GatewayError: it could not be asked. Once an answer is in, a failure is told beside it.

        """
        asking, resumed = put(self._askings, current_caller.get().owner, panel, wish)
        told = asking.done
        await tell(told, asking.total, None)
        async for _ in asking.follow(self._patience, self._clock):
            if asking.done > told:  # each notification of progress must be higher than the one before
                told = asking.done
                await tell(told, asking.total, _phrase(asking.latest, asking))
        if asking.failure is not None and asking.latest is None:
            raise explained(asking.failure)
        return await self._answer(panel, asking, resumed=resumed)

    async def results(self, panel: Panel, question_id: str | None) -> PanelResults:
        """What was answered so far: to one question, or to the newest ones.

        Raises:
            NotFound: the panel has no such question.

        """
        wanted = self._wanted(panel, question_id)
        shown = wanted[::-1][:MOST_QUESTIONS]
        asked = await asyncio.gather(*(self._current(panel, entry) for entry in shown))
        results = await asyncio.to_thread(_results, asked)
        return PanelResults(
            panel_id=panel.study.id,
            panel=panel.study.name,
            groups=group_rows(panel.study.groups, 100),
            questions=results,
            omitted=len(wanted) - len(results),
            next_step=after_results(results),
        )

    async def export(self, panel: Panel, format: Format, question_id: str | None, *, bom: bool) -> ExportedPanel:
        """The panel's answers as a file, of one question or of all.

        Raises:
            NotReady: there is no answer yet.
            NotFound: the panel has no such question.

        """
        entries = self._wanted(panel, question_id)
        asked = [await self._current(panel, entry) for entry in entries]
        return await self._exporter.export(panel, asked, format, bom=bom)

    async def _answer(self, panel: Panel, asking: Asking, *, resumed: bool) -> PanelAnswer:
        question = asking.question()
        result = await asyncio.to_thread(_result, question)
        return PanelAnswer(
            panel_id=panel.study.id,
            panel=panel.study.name,
            question_id=question.id,
            status=question.status,
            done=asking.done,
            total=asking.total,
            resumed=resumed,
            result=result,
            next_step=after_answer(result, asking.done, asking.total, asking.failure),
        )

    async def _current(self, panel: Panel, entry: Entry) -> AskedQuestion:
        """The question with every answer that is in: a running one from the task that its answers stream to."""
        if entry.asked.status == "processing":
            for name in entry.names:
                asking = self._askings.find_by_id(current_caller.get().owner, panel.study.id, name)
                if asking is not None and asking.asks:
                    return asking.question()
        return (await self._studies.whole(panel, entry)).asked

    @staticmethod
    def _wanted(panel: Panel, question_id: str | None) -> list[Entry]:
        if question_id is None:
            return list(panel.entries)
        entry = entry_of(panel, identity(question_id) or question_id)
        if entry is None:
            raise NotFound("question of this panel", question_id, listed_by="get_panel_results without questionId")
        return [entry]


def _result(question: AskedQuestion) -> QuestionResult:
    return fitted(aggregate(question))


def _results(asked: Sequence[AskedQuestion]) -> list[QuestionResult]:
    return fitting([aggregate(one, shown=MOST_ANSWERS // len(asked)) for one in asked])


def _about(panel_id: str) -> AbstractContextManager[None]:
    return missing_as(f"no panel of yours has the id {panel_id}. {LIST_PANELS}")


def _found(rows: Sequence[Named], query: str | None) -> list[Named]:
    wanted = (query or "").strip()
    return [rows[index] for index in search([row.name for row in rows], wanted)]


def _phrase(latest: Reply | None, asking: Asking) -> str | None:
    if latest is None:
        return None
    did = "answered" if latest.status == "answered" else "gave no answer"
    return f"{latest.persona} {did} ({asking.done} of {asking.total})"
