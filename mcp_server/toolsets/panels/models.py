"""What the panel tools answer, each with its complete text for hosts without a user interface."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Annotated, Any, Literal

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from mcp_server.toolkit.answers import Answer, Enclosure, Untrusted
from mcp_server.toolkit.quotations import quoted
from mcp_server.toolkit.widgets import Live
from mcp_server.toolsets.panels._aggregation.texts import some
from mcp_server.toolsets.panels._results import Estimate, QuestionResult
from mcp_server.toolsets.panels._study import MUTE, Group, Study, mute
from mcp_server.toolsets.panels._text import MOST_NAMED, next_step, question_text

MOST_PERSONAS = 300  # in one result, of all groups together
MOST_MEMBERS = 12  # names of one group in a text; the structured result has more
CUT = "With the caveat `shortened`, groups list only their foremost counts, and answers are cut."


class PersonaRef(Answer):
    """A persona in a group."""

    id: str
    name: str
    discipline: str | None
    status: Annotated[str | None, Field(description="Of its training, where it is told.")] = None


class GroupRow(Answer):
    """A group of personas."""

    id: Annotated[str, Field(description="The id that groupIds takes.")]
    name: str
    size: Annotated[int, Field(description="How many personas there are; `personas` may show fewer.")]
    personas: list[PersonaRef]

    @classmethod
    def of_each(cls, groups: Sequence[Group], most: int = MOST_PERSONAS) -> "list[GroupRow]":
        """Each with its first members, as many as there is room for; always one."""
        each = max(1, most // max(1, len(groups)))
        shown = [[PersonaRef(**asdict(one)) for one in group.members[:each]] for group in groups]
        pairs = zip(groups, shown, strict=True)
        return [cls(id=one.id, name=one.name, size=len(one.members), personas=personas) for one, personas in pairs]

    def line(self) -> str:
        names = ", ".join(f"{one.name}{MUTE.get(one.status, '')}" for one in self.personas[:MOST_MEMBERS])
        shown = min(len(self.personas), MOST_MEMBERS)
        more = f" and {self.size - shown} more" if self.size > shown else ""
        return f"- {self.name} [id {self.id}] - {names or 'nobody'}{more}"


class GroupList(Answer):
    """The caller's groups."""

    groups: list[GroupRow]
    total: Annotated[int, Field(description="How many there are; `groups` may show fewer.")]
    untrusted: Untrusted = ("$.groups",)

    def as_text(self) -> str:
        if not self.groups:
            return "You have no groups that fit. create_group makes one; create_panel makes its groups along with it."
        more = [f"... and {self.total - len(self.groups)} more."] if self.total > len(self.groups) else []
        return "\n".join([f"Groups ({self.total}):", *(group.line() for group in self.groups), *more])


class CreatedGroup(Answer):
    """A new group."""

    group: GroupRow
    message: str
    untrusted: Untrusted = ("$.group",)

    def as_text(self) -> str:
        return f"{self.message}\n{self.group.line()}"


class PanelRow(Answer):
    """One panel in the list."""

    id: Annotated[str, Field(description="The panelId that the other tools take.")]
    name: str
    groups: list[str]
    questions: Annotated[int | None, Field(description="How many were asked; null where it is not told.")]
    unable: Annotated[tuple[str, ...], Field(description="Members who cannot answer now, and why.")]
    updated_at: str | None

    @classmethod
    def of(cls, row: Study) -> "PanelRow":
        """A panel of the internal API's listing."""
        known = {"id": row.id, "name": row.name, "questions": row.questions, "updated_at": row.updated_at}
        return cls(**known, groups=[group.name for group in row.groups], unable=mute(row.groups))

    def line(self) -> str:
        asked = "" if self.questions is None else f", {self.questions} question{'' if self.questions == 1 else 's'}"
        unable = f"; not able to answer now: {some(self.unable, MOST_NAMED)}" if self.unable else ""
        return f"- {self.name} [id {self.id}] - {', '.join(self.groups) or 'no groups'}{asked}{unable}"


class PanelList(Answer):
    """The caller's panels."""

    panels: list[PanelRow]
    total: Annotated[int, Field(description="How many there are; `panels` may show fewer.")]
    untrusted: Untrusted = ("$.panels",)

    def as_text(self) -> str:
        if not self.panels:
            return "You have no panels that fit. Make one with create_panel."
        more = [f"... and {self.total - len(self.panels)} more."] if self.total > len(self.panels) else []
        return "\n".join([f"Panels ({self.total}):", *(panel.line() for panel in self.panels), *more])


class CreatedPanel(Answer):
    """A new panel with its groups."""

    panel_id: str
    name: str
    groups: list[GroupRow]
    personas: Annotated[int, Field(description="How many there are in all groups, each once.")]
    duplicate: Annotated[bool, Field(description="The same call came seconds ago; this is the panel it made.")]
    message: Annotated[str, Field(description="What happened and what to do next.")]
    untrusted: Untrusted = ("$.name", "$.groups")

    def as_text(self) -> str:
        return "\n".join([self.message, *(group.line() for group in self.groups), f"panelId: {self.panel_id}"])


class PanelAnswer(Answer):
    """What a panel answered, or has answered so far."""

    panel_id: str
    panel: str
    question_id: Annotated[str | None, Field(description="For get_panel_results.")] = None
    status: Literal["completed", "processing", "failed", "estimated"]
    done: Annotated[int, Field(description="Answers that are in, failed ones included.")]
    total: Annotated[int, Field(description="Answers that are asked for.")]
    resumed: Annotated[bool, Field(description="All or a part was asked before; nobody was asked twice.")] = False
    result: Annotated[QuestionResult | None, Field(description=CUT)] = None
    earlier: Annotated[tuple[QuestionResult, ...], Field(description="Questions of a study before `result`.")] = ()
    waiting: Annotated[tuple[str, ...], Field(description="Questions of a study that are still to be asked.")] = ()
    estimate: Estimate | None = None
    next_step: Annotated[str, Field(description="What to do now.")]
    untrusted: Untrusted = ("$.panel", "$.result", "$.earlier")

    @classmethod
    def estimated(cls, study: Study, estimate: Estimate) -> "PanelAnswer":
        """What asking would take."""
        known = {"panel_id": study.id, "panel": study.name, "total": estimate.answers, "estimate": estimate}
        return cls(**known, status="estimated", done=0, next_step=next_step("estimated", estimate))

    def as_text(self) -> str:
        if self.result is None:
            return self.next_step
        so_far = f", {self.done} of {self.total} so far" if self.status == "processing" else ""
        texts = [f'Panel "{self.panel}"{so_far}', *map(question_text, (*self.earlier, self.result))]
        return "\n\n".join([*texts, f"{self.next_step}\nquestionId: {self.question_id}"])

    def for_widget(self, live: Live) -> Mapping[str, Any] | None:
        """How a widget may see the answers come in."""
        asked = {"panelId": self.panel_id} | ({"questionId": self.question_id} if self.question_id else {})
        return live("get_panel_results", asked) if self.status == "processing" else None


class PanelResults(Answer):
    """A panel's questions and what was answered to them."""

    panel_id: str
    panel: str
    groups: list[GroupRow]
    questions: Annotated[list[QuestionResult], Field(description=f"Newest first. {CUT}")]
    omitted: Annotated[int, Field(description="Older questions that are not shown; ask for one by its questionId.")]
    next_step: Annotated[str, Field(description="What to do now.")]
    untrusted: Untrusted = ("$.panel", "$.groups", "$.questions")

    def as_text(self) -> str:
        texts = [f'Panel "{self.panel}" [id {self.panel_id}], {len(self.questions) + self.omitted} question(s)']
        texts += [f"{question_text(one)}\nquestionId: {one.question_id}" for one in self.questions]
        older = [f"{self.omitted} older question(s) are not shown."] if self.omitted else []
        return "\n\n".join([*texts, *older, self.next_step])

    def for_widget(self, live: Live) -> Mapping[str, Any] | None:
        is_over = all(each.status != "processing" for each in self.questions)
        return None if is_over else live("get_panel_results", {"panelId": self.panel_id})


class CodedAnswer(Answer):
    """An answer that was coded by hand, or is no more."""

    panel_id: str
    question_id: str
    persona: str
    value: Annotated[str | None, Field(description="What it counts as; null: coding it by hand was taken back.")]
    said: Annotated[str, Field(description="What the persona wrote, which stays as it is.")]
    untrusted: Untrusted = ("$.persona", "$.said")

    def as_text(self) -> str:
        done = "counts as before" if self.value is None else f"counts as {self.value}"
        return f"This answer of {self.persona} {done}; get_panel_results has the new figures:\n{quoted(self.said)}"


class RevisedThemes(Answer):
    """A question by its revised themes."""

    panel_id: str
    panel: str
    question_id: str
    message: Annotated[str, Field(description="What was changed.")]
    result: Annotated[QuestionResult, Field(description=CUT)]
    untrusted: Untrusted = ("$.panel", "$.message", "$.result")

    def as_text(self) -> str:
        return "\n\n".join([self.message, question_text(self.result), f"questionId: {self.question_id}"])


class ExportedPanel(Answer):
    """An export that is ready to be fetched."""

    panel_id: str
    panel: str
    format: str
    file_name: str
    media_type: str
    bytes: int
    url: Annotated[str, Field(description="Where the file is; a link that needs no sign-in and expires.")]
    expires_at: str
    questions: int
    answers: Annotated[int, Field(description="Replies in the file, failed ones included.")]
    partial: Annotated[bool, Field(description="A question was still being answered.")]
    message: str
    untrusted: Untrusted = ("$.panel",)
    enclosed: SkipJsonSchema[Annotated[Enclosure | None, Field(exclude=True)]] = None

    def as_text(self) -> str:
        return f"{self.message}\n{self.url}\nThe link expires at {self.expires_at}; export again for a new one."

    def enclosures(self) -> list[Enclosure]:
        """The file itself or a link to it, for hosts that show files."""
        return [self.enclosed] if self.enclosed is not None else []
