"""What can be done with panels, as the caller of the current request may do it."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar
from uuid import uuid4

from mcp_server.caller import current_caller
from mcp_server.errors import InvalidArguments, NotFound
from mcp_server.minds_api.api import Api
from mcp_server.minds_api.name_index import NameIndex
from mcp_server.minds_api.refusals import missing_as
from mcp_server.observability.telemetry import CacheLookup, no_op
from mcp_server.toolkit.files import Files
from mcp_server.toolkit.names import search
from mcp_server.toolkit.sampling import Sampling
from mcp_server.toolsets.panels import _text as messages
from mcp_server.toolsets.panels import models
from mcp_server.toolsets.panels._aggregation.aggregate import aggregate, truncate, truncate_all
from mcp_server.toolsets.panels._aggregation.gathering import codable, coded
from mcp_server.toolsets.panels._arguments import AS_ASKED, GroupConfig, View
from mcp_server.toolsets.panels._ask.calls import StudyPlan, StudyRunner
from mcp_server.toolsets.panels._ask.planner import groups_of
from mcp_server.toolsets.panels._ask.runner import AskJobs
from mcp_server.toolsets.panels._ask.series import Report
from mcp_server.toolsets.panels._creating import GROUP, PANEL, Creator, as_id, respondent
from mcp_server.toolsets.panels._exports.render import Exporter, Format
from mcp_server.toolsets.panels._lens import Attributes, Lens, banded
from mcp_server.toolsets.panels._minds.studies import Panel, Studies
from mcp_server.toolsets.panels._minds.transcript import Entry
from mcp_server.toolsets.panels._revising import Revision, body, coded_value
from mcp_server.toolsets.panels._study import AskedQuestion, Group, Study

MOST_ROWS = 100
MOST_QUESTIONS = 5
MOST_ANSWERS = 60  # questions and answers in one answer of get_panel_results

Named = TypeVar("Named", Study, Group)


class PanelService:
    def __init__(
        self, api: Api, names: NameIndex, files: Files, *, dedup_seconds: float, on_lookup: CacheLookup = no_op
    ) -> None:
        self._studies = Studies(api, names)
        self._creator = Creator(self._studies, ttl=dedup_seconds, on_lookup=on_lookup)
        self._calls = StudyRunner(AskJobs(self._studies))
        self._exporter = Exporter(files)

    async def close(self) -> None:
        await self._calls.close()

    async def panels(self, query: str | None) -> models.PanelList:
        """The caller's panels; with a `query`, those whose name is like it."""
        rows = await asyncio.to_thread(_found, await self._studies.panels(), query)
        return models.PanelList(panels=[models.PanelRow.of(row) for row in rows[:MOST_ROWS]], total=len(rows))

    async def groups(self, query: str | None) -> models.GroupList:
        """The caller's groups; with a `query`, those whose name is like it."""
        rows = await asyncio.to_thread(_found, await self._studies.groups(), query)
        return models.GroupList(groups=models.GroupRow.of_each(rows[:MOST_ROWS]), total=len(rows))

    async def create_group(self, name: str, personas: Sequence[str]) -> models.CreatedGroup:
        """A new group. Raises as `create` does."""
        namesakes = len(await self._studies.names.find(GROUP, lambda known: known.namesakes(name)))
        group = await self._creator.group(name, personas, uuid4().hex)
        message = messages.created_group(group, namesakes=namesakes)
        return models.CreatedGroup(group=models.GroupRow.of_each([group])[0], message=message)

    async def create(self, name: str, new: Sequence[GroupConfig], existing: Sequence[str]) -> models.CreatedPanel:
        """A new panel, all of it or nothing.

        Raises InvalidArguments, Ambiguous, NotFound, Missing: who is to be in it cannot be resolved.
        """
        study, duplicate = await self._creator.panel(name, new, existing, current_caller.get())
        same = await self._studies.names.find(PANEL, lambda known: known.namesakes(name))
        namesakes = sum(one.id != study.id for one in same)
        personas = len({member.id for group in study.groups for member in group.members})
        return models.CreatedPanel(
            panel_id=study.id,
            name=study.name,
            groups=models.GroupRow.of_each(study.groups),
            personas=personas,
            duplicate=duplicate,
            message=messages.created(study, personas, duplicate=duplicate, namesakes=namesakes),
        )

    async def find(self, panel_id: str | None, name: str | None) -> Panel:
        """The panel that is meant.

        Raises InvalidArguments: neither is given; Missing: no panel of the caller's has this id; Ambiguous, NotFound:
        several have this name, or none.
        """
        if panel_id is None:
            if not name:
                raise InvalidArguments("panelId or panelName is required; call list_panels to see both")
            wanted = " ".join(name.split())
            panel_id = (await self._studies.names.find(PANEL, lambda known: known.meant(wanted))).id
        with missing_as(f"no panel of yours has the id {panel_id}. {messages.LIST_PANELS}"):
            return await self._studies.panel(panel_id)

    async def ask(
        self, panel: Panel, asking: StudyPlan, report: Report, model: Sampling | None = None
    ) -> models.PanelAnswer:
        """What the panel answers, by the client's `model` where there is no other.

        Raises as `StudyRunner.ask`; NotFound: there is no such question to follow up; InputRequired: the client has to
        be asked first.
        """
        follow_up, base = asking.follow_up, None
        if follow_up is not None:
            base = await self._current(panel, _wanted(panel, follow_up.question_id)[0])
        asking = asking.settled(base)
        if model is not None and model.is_offered and not asking.estimate_only:
            asking = await self._sampled(panel, asking, model)
        return await self._calls.ask(panel, asking, report)

    async def _sampled(self, panel: Panel, asking: StudyPlan, model: Sampling) -> StudyPlan:
        """With what the client's model replies to the prompts of all questions."""
        bodies = [request.body(groups_of(panel, request), "", everyone=False) for request in asking.requests]
        prompts = [one for body in bodies for one in await self._studies.prompts(panel.study.id, body)]
        replies = await model.replies(prompts)
        return replace(asking, requests=tuple(replace(one, **replies) for one in asking.requests))

    async def results(self, panel: Panel, question_id: str | None, view: View = AS_ASKED) -> models.PanelResults:
        """What was answered so far: to one question, or to the newest ones.

        Raises NotFound: the panel has no such question; InvalidArguments: it cannot be seen so.
        """
        told = await self._studies.attributes() if view.by or view.weights else {}
        lens = await self._lens(panel, question_id, view, told)
        entries = _wanted(panel, question_id)
        newest = entries[::-1][:MOST_QUESTIONS]
        asked = [_noted(one, view) for one in await asyncio.gather(*(self._current(panel, each) for each in newest))]
        shown = MOST_ANSWERS // max(1, len(asked))
        results = await asyncio.to_thread(
            lambda: truncate_all([lens.section(each, shown=shown).result for each in asked])
        )
        return models.PanelResults(
            panel_id=panel.study.id,
            panel=panel.study.name,
            groups=models.GroupRow.of_each(panel.study.groups, 100),
            questions=results,
            omitted=len(entries) - len(results),
            next_step=messages.after_results(results, panel.study.groups),
        )

    async def code(self, panel: Panel, question_id: str, persona: str, value: str | None) -> models.CodedAnswer:
        """One persona's answer with the value that somebody gives it by hand, or without it again.

        Raises NotFound, Ambiguous: no such question or persona; InvalidArguments: it cannot have this one, or none.
        """
        (entry,) = _wanted(panel, question_id)
        asked = coded(await self._current(panel, entry))
        reply = codable(asked, respondent(asked.replies, persona))
        counts_as = None if value is None else coded_value(asked, value)
        await self._studies.code(panel.study.id, entry, reply.persona_id or "", counts_as)
        names = {"panel_id": panel.study.id, "question_id": asked.id, "persona": reply.persona}
        return models.CodedAnswer(value=counts_as, said=reply.message or reply.value or "", **names)

    async def revise(self, panel: Panel, question_id: str, revision: Revision) -> models.RevisedThemes:
        """Change the themes of a question.

        Raises NotFound: the panel has no such question; NotReady: it is being answered; InvalidArguments: its answers
        are not coded, or what is named is not there.
        """
        (entry,) = _wanted(panel, question_id)
        wanted = body(await self._current(panel, entry), revision)
        asked = await self._studies.revise(panel, entry, wanted)
        result = await asyncio.to_thread(lambda: truncate(aggregate(asked)))
        names = {"panel_id": panel.study.id, "panel": panel.study.name, "question_id": asked.id}
        message = f"Changed: {asked.revisions[-1]}." if asked.revisions else "Changed."
        return models.RevisedThemes(message=message, result=result, **names)

    async def export(
        self, panel: Panel, format: Format, question_id: str | None, view: View = AS_ASKED, *, bom: bool
    ) -> models.ExportedPanel:
        """The panel's answers as a file, of one question or of all.

        Raises NotReady: there is no answer yet; NotFound: the panel has no such question.
        """
        asked = [_noted(await self._current(panel, entry), view) for entry in _wanted(panel, question_id)]
        told = await self._studies.attributes()
        lens = await self._lens(panel, question_id, view, told)
        return await self._exporter.export(panel, asked, format, lens, told, bom=bom)

    async def _lens(self, panel: Panel, question_id: str | None, view: View, attributes: Attributes) -> Lens:
        """Raises InvalidArguments, NotFound: it cannot be seen so."""
        members = {member.id for group in panel.study.groups for member in group.members}
        earlier = None
        if view.compare_with is not None:
            if question_id is None:
                raise InvalidArguments("compareWith goes with the questionId of the later asking")
            earlier = await self._current(panel, _wanted(panel, view.compare_with)[0])
        told = {identity: told for identity, told in attributes.items() if identity in members}
        lens = Lens(banded(told), view.by, view.weights, earlier)
        lens.check()
        return lens

    async def _current(self, panel: Panel, entry: Entry) -> AskedQuestion:
        """The question with every answer that is in: a running one from the job that its answers stream to."""
        if entry.asked.status == "processing":
            for one in entry.ids:
                job = self._calls.jobs.find_by_id(current_caller.get().owner, panel.study.id, one)
                if job is not None and job.can_stream:
                    return job.question()
        else:
            self._calls.tell(entry.request_id)
        return (await self._studies.complete(panel, entry)).asked


def _wanted(panel: Panel, question_id: str | None) -> list[Entry]:
    if question_id is None:
        return list(panel.entries)
    entry = panel.entry(as_id(question_id) or question_id)
    if entry is None:
        raise NotFound("question of this panel", question_id, listed_by="get_panel_results without questionId")
    return [entry]


def _noted(asked: AskedQuestion, view: View) -> AskedQuestion:
    return replace(asked, notes=(*asked.notes, *view.notes)) if view.notes else asked


def _found(rows: Sequence[Named], query: str | None) -> list[Named]:
    return [rows[index] for index in search([row.name for row in rows], (query or "").strip())]
