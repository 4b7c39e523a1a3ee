"""Several questions to one panel, in order, each once the one before has ended; and who is asked a follow-up."""

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, inf, nextafter
from typing import Annotated, Any

import structlog
from pydantic import BaseModel, BeforeValidator, Field

from mcp_server.errors import GatewayError, InvalidArguments, ServiceUnavailable, ToolFailure
from mcp_server.toolkit.arguments import TRIMMED
from mcp_server.toolsets.panels._aggregation.gathering import Entry, coded, usable
from mcp_server.toolsets.panels._aggregation.texts import loose, shortened, some
from mcp_server.toolsets.panels._aggregation.themes import gather_themed
from mcp_server.toolsets.panels._arguments import Name
from mcp_server.toolsets.panels._ask.job import AskJob, Failure
from mcp_server.toolsets.panels._ask.planner import AskRequest
from mcp_server.toolsets.panels._ask.runner import AskJobs
from mcp_server.toolsets.panels._creating import respondent
from mcp_server.toolsets.panels._results import Estimate
from mcp_server.toolsets.panels._study import MUTE, AskedQuestion, Group
from mcp_server.upstream.deadline import outliving

log = structlog.get_logger(__name__)

TOKENS_IN, TOKENS_OUT = 1_200, 200
"""Of one answer: about six passages and the instructions, and one paragraph."""
SECONDS = 0.6  # of one answer, where this process has seen none yet: some two seconds, several side by side
LONGEST_WAIT = 1e6  # seconds: the job ends by itself long before
LONGEST_BASE = 300  # characters of the earlier question in a follow-up
_NUMBER = r"(-?\d+(?:\.\d+)?)"
_POINTS = re.compile(rf"([<>]?)(=?)\s*{_NUMBER}(?:\s*(?:-|to|\.\.)\s*{_NUMBER})?")
_SIGNS = str.maketrans({"≤": "<=", "≥": ">=", "–": "-", "—": "-", "−": "-"})  # noqa: RUF001  dashes and a minus
FORMS = "of a scale give numbers, such as 7, 2, 3 or 1-4, or bounds, such as <=4 or >7"

Report = Callable[[float, float | None, str | None], Awaitable[None]]
"""Called with how many answers are in, of how many, and a sentence on the latest."""


@dataclass(slots=True, eq=False)
class Series:
    """The questions of one call. `ask` begins the one at a place; `jobs` are those that have begun.

    Attributes:
        listeners: calls that follow it now.
        is_cancelled: the last of them was cancelled: nobody wants the questions that wait, until a call follows again.
        is_over: no further question will begin.

    """

    requests: Sequence[AskRequest]
    ask: Callable[[int], tuple[AskJob, bool]]
    jobs: list[AskJob] = field(default_factory=list)
    resumed: bool = False
    failure: Failure | None = None
    listeners: int = 0
    is_cancelled: bool = False
    is_over: bool = False

    @property
    def waiting(self) -> list[str]:
        return [request.question for request in self.requests[len(self.jobs) :]]

    @property
    def done(self) -> int:
        return sum(job.done for job in self.jobs)

    def total(self, expected: int) -> int:
        """How many answers there will be; `expected` of all requests, which a job may know better of its own."""
        return self.jobs[0].total if len(self.requests) == 1 else max(expected, self.done)

    async def follow(self, expected: int, report: Report, ends: float) -> None:
        """Tell every change until all questions have ended, or the monotonic clock says `ends`.

        Where that is cancelled and nobody else follows, no further question begins.
        """
        self.listeners, self.is_cancelled = self.listeners + 1, False
        try:
            await self._tell(expected, report, ends)
        except asyncio.CancelledError:
            self.is_cancelled = self.listeners == 1
            raise
        finally:
            self.listeners -= 1

    async def _tell(self, expected: int, report: Report, ends: float) -> None:
        reported = self.done
        await report(reported, self.total(expected), None)
        while (left := ends - time.monotonic()) > 0:
            job = self.jobs[-1]
            async for _ in job.changes(left):
                if self.done > reported:  # each notification of progress must be higher than the one before
                    reported = self.done
                    await report(reported, self.total(expected), job.news)
            if self.is_over:
                return
            await asyncio.sleep(0)  # the task of the series begins the next one, or ends

    def begin(self) -> "asyncio.Task[None]":
        """Ask the first at once, and the others in a task that outlives this call. Raises as `ask` does."""
        self._next()
        return asyncio.create_task(outliving(self._rest))

    async def _rest(self) -> None:
        try:
            while True:
                async for _ in self.jobs[-1].changes(LONGEST_WAIT):
                    pass
                if self.is_cancelled or not self.waiting:
                    return
                self._next()
        except (GatewayError, ToolFailure) as failure:
            self.failure = failure
        except Exception:  # a bug of ours: who waits gets a failure, and the log has the trace
            log.exception("study_crashed")
            self.failure = ServiceUnavailable("The next question could not be asked; ask those that wait again")
        finally:
            self.is_over = True

    def _next(self) -> None:
        job, resumed = self.ask(len(self.jobs))
        self.jobs.append(job)
        self.resumed |= resumed


def estimate(requests: Sequence[AskRequest], groups: Sequence[Sequence[Group]], seen: AskJobs) -> Estimate:
    """What it takes to ask `requests`, whose groups are given, by what the last question took."""
    members = [{member.id: member.status for group in each for member in group.members} for each in groups]
    asked = [len(each) for each in members]
    answers = sum(asked)
    return Estimate(
        questions=len(requests),
        personas=max(asked, default=0),
        answers=answers,
        model_calls=answers + len(requests),
        tokens=ceil(answers * (seen.tokens or TOKENS_IN + TOKENS_OUT)),
        seconds=ceil(answers * (SECONDS if seen.pace is None else seen.pace)),
        measured=seen.pace is not None,
        mute=sum(status in MUTE for status in max(members, key=len, default={}).values()),
    )


def _as_text(value: Any) -> Any:
    """Several options may come as a list."""
    return "; ".join(map(str, value)) if isinstance(value, list) else value


class Again(BaseModel, extra="forbid", frozen=True):
    """Whom to ask again, of those who answered an earlier question."""

    question_id: Annotated[str, TRIMMED, Field(alias="questionId", max_length=200)]
    persona: Name | None = Field(None, description="One of them, by id or name.")
    answered: Annotated[Name | None, BeforeValidator(_as_text)] = Field(
        None, description="Those who answered so: options or themes, numbers, 1-4, <=4; several parted by `;`."
    )

    def of(self, request: AskRequest, asked: AskedQuestion) -> AskRequest:
        """The request for those who are meant, which names its base. Raises InvalidArguments."""
        if (self.persona is None) == (self.answered is None):
            raise InvalidArguments("followUp takes one of persona and answered")
        entries = [entry for entry in self._meant(coded(asked)) if entry.reply.persona_id]
        ids = tuple(dict.fromkeys(entry.reply.persona_id or "" for entry in entries))
        if not ids:
            raise InvalidArguments("followUp: nobody in this panel said so; get_panel_results shows who said what")
        who = f"who answered {self.answered}" if self.answered else entries[0].reply.persona
        base = f'Follow-up for {who} to the question "{shortened(asked.text, LONGEST_BASE)}"'
        return replace(request, question=f"{request.question}\n\n({base}.)", personas=ids, follows=asked.id)

    def _meant(self, asked: AskedQuestion) -> list[Entry]:
        gathered = gather_themed(asked)
        answered = usable(gathered.everyone)
        if self.persona is not None:
            who = respondent((one.reply for one in gathered.everyone), self.persona)
            spoke = (one for one in gathered.everyone if one.reply.message or one.reply.value)
            return [one for one in spoke if who in {one.reply.persona_id, one.reply.persona}]
        if asked.type == "scale":
            spans = _spans(self.answered or "")
            return [one for one in answered if any(low <= (one.number or 0) <= high for low, high in spans)]
        there = [*gathered.options, *{"qualitative": ["Other"], "multiselect": ["None chosen"]}.get(asked.type, [])]
        wanted = _options(self.answered or "", {loose(option): option for option in there})
        return [one for one in answered if wanted.intersection([*one.choices, *one.reply.themes] or ["None chosen"])]


def _options(text: str, known: Mapping[str, str]) -> set[str]:
    """The options that `text` names: one or several; a comma may also be a part of one. Raises InvalidArguments."""
    for parts in ([text], text.split(";"), re.split(r"[;,]|\b(?:or|and)\b", text)):
        named = [loose(part) for part in parts if part.strip()]
        if named and known.keys() >= set(named):
            return {known[name] for name in named}
    there = some([f'"{option}"' for option in known.values()])
    raise InvalidArguments(f"followUp.answered takes one or several, parted by `;`, of {there or 'no theme'}")


def _spans(text: str) -> list[tuple[float, float]]:
    """The parts of a scale that `text` names, with both ends. Raises InvalidArguments."""
    spans = []
    for part in re.split(r"[;,]|\b(?:or|and)\b", text.translate(_SIGNS)):
        found = _POINTS.fullmatch(part.strip())
        if found is None or (found[1] and found[4]):
            raise InvalidArguments(f"followUp.answered: {FORMS}")
        ends = sorted((float(found[3]), float(found[4] or found[3])))
        if found[1] == "<":
            ends = [-inf, ends[0] if found[2] else nextafter(ends[0], -inf)]
        elif found[1]:
            ends = [ends[0] if found[2] else nextafter(ends[0], inf), inf]
        spans.append((ends[0], ends[1]))
    return spans
