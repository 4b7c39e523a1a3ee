"""Plans an ask: a request becomes a new job, or finds the one that answers it already."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import orjson

from mcp_server.errors import InvalidArguments, NotFound, NotReady
from mcp_server.toolkit.names import Directory
from mcp_server.toolsets.panels._ask.job import AskJob
from mcp_server.toolsets.panels._ask.runner import AskJobs
from mcp_server.toolsets.panels._creating import GROUP, as_id
from mcp_server.toolsets.panels._minds.studies import Panel
from mcp_server.toolsets.panels._minds.transcript import Entry, folded
from mcp_server.toolsets.panels._minds.wire import UNDERSTOOD_AS_TEXT, Classification
from mcp_server.toolsets.panels._study import AskedQuestion, Group, QuestionType
from mcp_server.toolsets.panels._text import EMPTY, IN_TRAINING

Material = Mapping[str, str]
"""Something that every persona is given along with the question: its `url`, and perhaps its `name` and `type`."""


@dataclass(frozen=True, slots=True)
class AskRequest:
    """A question as the caller put it; what is None is for the internal API to find out."""

    question: str
    groups: tuple[str, ...] = ()
    attachments: tuple[Material, ...] = ()
    links: tuple[Material, ...] = ()
    type: QuestionType | None = None
    scale: tuple[int, int] | None = None
    options: tuple[str, ...] = ()
    history: str | None = None  # the contract's historyMode and sourcePolicy
    policy: str | None = None
    sampled: Mapping[str, Any] | None = None  # what the client's own model replied
    personas: tuple[str, ...] = ()  # a follow-up asks these alone, and reminds them of what they answered
    follows: str | None = None  # the question that it follows up on

    def __post_init__(self) -> None:
        """Raises InvalidArguments: what overrides the understanding of the question does not fit together."""
        if self.scale is not None and self.type not in {None, "scale"}:
            raise InvalidArguments("scale goes with questionType scale only")
        if self.options and self.type not in {None, "categorical", "multiselect"}:
            raise InvalidArguments("options go with questionType categorical or multiselect only")
        if self.scale is not None and self.options:
            raise InvalidArguments("give a scale or options, not both")

    def classification(self) -> dict[str, Any] | None:
        """How the caller wants the question to be understood; None to leave it to its words."""
        kind = self.type or ("scale" if self.scale else None)  # how many options may be chosen, the words may say
        said = {"type": kind, "scaleRange": list(self.scale or ()), "options": list(self.options)}
        return {name: value for name, value in said.items() if value} or None

    def suits(self, asked: AskedQuestion) -> bool:
        """Whether `asked`, a question of the same words, is understood as requested; what is left out fits anything."""
        kind = (self.classification() or {}).get("type", asked.type)
        options = not self.options or sorted(map(folded, self.options)) == sorted(map(folded, asked.options))
        return kind == asked.type and self.scale in {None, asked.scale} and options

    def is_answered_by(self, job: AskJob) -> bool:
        """Whether `job`, of the same words and groups, answers this; what is left out fits anything."""
        if self.classification() != job.body.get("classification") and not self.suits(job.question()):
            return False
        material = {"attachments": self.attachments, "links": self.links}
        same = [*self.personas] == job.body.get("mindIds", []) and self.follows == job.body.get("followUpOf")
        same = same and self.policy in {None, job.body.get("sourcePolicy")}
        same = same and self.history in {None, job.body.get("historyMode")}
        return same and all(not mine or [*map(dict, mine)] == job.body.get(name) for name, mine in material.items())

    def body(self, groups: Sequence[Group], request_id: str, *, everyone: bool) -> dict[str, Any]:
        """The body of the ask (minds-api.md section 4.9)."""
        fields: dict[str, Any] = {
            "question": self.question,
            "audienceIds": None if everyone else [group.id for group in groups],
            "attachments": [dict(one) for one in self.attachments],
            "links": [dict(one) for one in self.links],
            "classification": self.classification(),
            "mindIds": [*self.personas],
            "followUpOf": self.follows,
            "historyMode": self.history or ("last5" if self.personas else None),
            "sourcePolicy": self.policy,
            "sampled": self.sampled,
        }
        return {key: value for key, value in fields.items() if value} | {"clientRequestId": request_id}


def groups_of(panel: Panel, request: AskRequest) -> list[Group]:
    """The groups of `panel` that are to be asked: those that are wanted, or all; of them who is wanted, or all.

    Raises InvalidArguments: there is nobody in them; Ambiguous, NotFound: one of `wanted` is no group of the panel.
    """
    known = panel.study.groups
    found: dict[Group, None] = {}
    for one in request.groups or [group.id for group in known]:
        chosen = next((group for group in known if group.id in {one, as_id(one)}), None)
        if chosen is None and (unknown := as_id(one)) is not None:
            raise NotFound("group of this panel", unknown, closest=[group.name for group in known[:3]])
        found[chosen or Directory(GROUP, known).meant(one)] = None
    ids = set(request.personas)
    some = (replace(group, members=tuple(one for one in group.members if not ids or one.id in ids)) for group in found)
    groups = [group for group in some if group.members or not ids]
    if not any(group.members for group in groups):
        raise InvalidArguments(EMPTY)
    return groups


def request_ids(panel: Panel, study: Sequence[AskRequest], unseen: Collection[str | None] = frozenset()) -> list[str]:
    """The ids of the questions of `study`: those of before as long as its last one has not ended, or is `unseen`.

    So a study that broke off goes on, and two processes that begin the same in one moment ask nobody twice. Asked again
    later, it is a fresh measurement. Questions whose id the internal API does not return are counted by their words.
    """
    bodies = [replace(one, sampled=None).body(groups_of(panel, one), "", everyone=False) for one in study]
    key = orjson.dumps([panel.study.id, bodies], option=orjson.OPT_SORT_KEYS).decode()
    ended = {entry.request_id for entry in panel.entries if entry.asked.status != "processing"}.difference(unseen)
    nameless = [folded(entry.asked.text) for entry in panel.entries if entry.request_id is None]
    wave = nameless.count(folded(study[-1].question))
    while (ids := [str(uuid5(NAMESPACE_URL, f"{key} {wave} {place}")) for place in range(len(study))])[-1] in ended:
        wave += 1
    return ids


def plan(jobs: AskJobs, owner: str | None, panel: Panel, request: AskRequest, request_id: str) -> tuple[AskJob, bool]:
    """The running job that answers `request`, and whether it was under way already: then nobody is asked twice.

    Raises InvalidArguments, Ambiguous, NotFound, NotReady, AlreadyRunning: it cannot be asked.
    """
    groups = groups_of(panel, request)
    for job in jobs.find(owner, panel.study.id, request.question, groups):
        if request.is_answered_by(job):
            return job, True
    abandoned = jobs.was_abandoned(owner, panel.study.id, request.question, groups)
    begun = None if abandoned else panel.entry(request_id) or _unfinished(jobs, owner, panel, request, groups)
    learning = {one.id: one.status in {"queued", "running"} for group in groups for one in group.members}.values()
    if begun is None and 2 * sum(learning) > len(learning):
        raise NotReady(IN_TRAINING.format(sum(learning), len(learning)))
    can_stream, understood = True, UNDERSTOOD_AS_TEXT
    if begun is not None:  # its own id, where the internal API returns it, takes it up; else it can only be looked for
        asked, request_id = begun.asked, begun.request_id or begun.asked.id
        can_stream = begun.request_id is not None and asked.status == "processing"
        request = replace(request, question=asked.text)
        understood = Classification(asked.type, asked.scale, asked.options, asked.most)
    body = request.body(groups, request_id, everyone=len(groups) == len(panel.study.groups) and not request.personas)
    ids = frozenset(one for entry in panel.entries for one in entry.ids)
    job = AskJob(panel.study.id, body, groups, ids, can_stream=can_stream, understood=understood)
    return jobs.start(owner, job), begun is not None


def _unfinished(
    jobs: AskJobs, owner: str | None, panel: Panel, request: AskRequest, groups: Sequence[Group]
) -> Entry | None:
    """The same question, begun by another process, or by this one before a restart."""
    names = {group.name for group in groups}
    for entry in reversed(panel.entries):
        same = folded(entry.asked.text) == folded(request.question) and set(entry.asked.groups) == names
        ours = any(jobs.find_by_id(owner, panel.study.id, one) for one in entry.ids)
        if same and entry.asked.status == "processing" and not ours and request.suits(entry.asked):
            return entry
    return None
