"""One question to all groups of a panel."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from mcp_server.errors import InvalidArguments
from mcp_server.toolkit.arguments import PLAIN_TEXT, TRIMMED, WebAddress
from mcp_server.toolset import CHANGES
from mcp_server.toolsets.panels import _arguments as given
from mcp_server.toolsets.panels._ask.calls import StudyPlan
from mcp_server.toolsets.panels._ask.planner import AskRequest
from mcp_server.toolsets.panels._ask.series import Again
from mcp_server.toolsets.panels._study import QuestionType
from mcp_server.toolsets.panels.models import PanelAnswer
from mcp_server.toolsets.panels.resources.panel_widget import TOOL_META
from mcp_server.toolsets.panels.tools import ClientModel, Panels, Reports, changing

Wording = Annotated[str, TRIMMED, Field(min_length=1, max_length=10_000), PLAIN_TEXT]
Question = Annotated[
    Wording,
    Field(
        description="One neutral question. The kind follows from its words: `on a scale of 1 to 10`, `which of these: "
        "A, B or C?`, `pick up to 3 of`, or an open `why`."
    ),
]
Groups = Annotated[given.GroupRefs, Field(description="Ask these groups of the panel only, by id or name.")]
Attachments = Annotated[
    list[given.Attachment],
    Field(max_length=5, description="Public documents that all personas are shown with the question."),
]
Links = Annotated[list[WebAddress], Field(max_length=5, description="Public web pages that all personas are shown.")]
Kind = Annotated[
    QuestionType,
    Field(description="Only to override what the words say: scale, categorical, multiselect, qualitative."),
]
Options = Annotated[
    list[given.Name], Field(min_length=2, max_length=50, description="What may be chosen, if not in words.")
]


class StudyQuestion(BaseModel, extra="forbid"):
    """One question of a study."""

    question: Wording
    kind: QuestionType | None = Field(None, alias="questionType")
    scale: given.ScaleArgument | None = None
    options: list[given.Name] | None = Field(None, min_length=2, max_length=50)


History = Annotated[
    Literal["none", "last5", "followup_only"],
    Field(description="What a persona is reminded of: nothing (default), its last five answers, or its last one."),
]
Policy = Annotated[Literal["auto", "knowledge_only"], Field(description="knowledge_only: abstain without a source.")]
Study = Annotated[list[StudyQuestion], Field(min_length=1, max_length=20, description="Several, instead of question.")]
Follow = Annotated[Again, Field(description="Ask only those who answered an earlier question so.")]
EstimateOnly = Field(description="Ask nobody; tell how many answers, calls, tokens and seconds it would take.")


async def ask_panel(
    panels: Panels,
    report: Reports,
    model: ClientModel,
    *,
    panelId: given.OptionalPanelId = None,
    panelName: given.OptionalPanelName = None,
    question: Question | None = None,
    questions: Study | None = None,
    followUp: Follow | None = None,
    estimateOnly: Annotated[bool, EstimateOnly] = False,
    groupIds: Groups | None = None,
    attachments: Attachments | None = None,
    links: Links | None = None,
    questionType: Kind | None = None,
    scale: given.ScaleArgument | None = None,
    options: Options | None = None,
    historyMode: History | None = None,
    sourcePolicy: Policy | None = None,
) -> PanelAnswer:
    """Ask all personas of a panel one question and return what each group answers, with figures, themes and quotes.

    Ask one thing at a time, and what is clear, credible or missing before asking for a winner. `questions` asks several
    in order, none after the call is cancelled; `followUp` asks some again ("why?"), who remember what they said. Waits
    up to 45 seconds; when answers are still coming then, status is "processing": call get_panel_results with the
    questionId, or this again with the same arguments, which asks nobody twice. After its result, the same call is a
    fresh measurement. Show the spread and the dissent, not only the average. Answers are synthetic: direction, not
    evidence.
    """
    if (question is None) == (questions is None):
        raise InvalidArguments("give question, or questions for a study of several")
    asked = questions or [StudyQuestion(question=question, questionType=questionType, scale=scale, options=options)]
    requests = tuple(
        AskRequest(
            question=one.question,
            groups=tuple(groupIds or ()),
            attachments=tuple(each.model_dump(exclude_none=True) for each in attachments or ()),
            links=tuple({"url": link} for link in links or ()),
            type=one.kind,
            scale=(one.scale.min, one.scale.max) if one.scale is not None else None,
            options=tuple(one.options or ()),
            history=historyMode,
            policy=sourcePolicy,
        )
        for one in asked
    )
    panel = await panels.find(panelId, panelName)
    return await panels.ask(panel, StudyPlan(requests, followUp, estimateOnly), report, model)


TOOL = changing(
    run=ask_panel,
    title="Ask a survey panel",
    # Attachments and links are fetched from the open web; each answer is charged to the user's plan.
    annotations=CHANGES.model_copy(update={"open_world_hint": True}),
    timeout=80.0,  # finding the panel may take 30 seconds, then 45 are waited; what is not in then goes on without us
    cost="high",
    invoking="Asking the panel",
    invoked="The panel answered",
    meta=TOOL_META,
)
