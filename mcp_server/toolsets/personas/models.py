"""What the persona tools answer, each with its complete text for hosts without a user interface."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, SecretStr
from pydantic.json_schema import SkipJsonSchema

from mcp_server.toolkit.answers import Answer, Untrusted
from mcp_server.toolkit.attributes import SEPARATOR
from mcp_server.toolkit.quotations import quoted
from mcp_server.toolkit.widgets import Live

ToldStatus = Literal["queued", "running", "completed", "failed"]
Status = Literal[ToldStatus, "empty", "unknown"]
"""`empty`: it cannot be trained before it is given something to know."""
Stage = Literal["queued", "profile", "collect", "index", "prompt", "completed", "failed"]

MARKS: Mapping[str | None, str] = {
    "failed": "its training failed; check_ai_persona_training_progress says why",
    "empty": "knows nothing yet; give it something with add_knowledge",
    "queued": "is being trained",
    "running": "is being trained",
}


class PersonaRow(Answer):
    """One persona in the list."""

    id: Annotated[str, Field(description="The sparkId that the other tools take.")]
    name: str
    discipline: str | None
    type: str | None
    description: str | None
    created_at: str | None
    tags: list[str]
    status: Annotated[Status | None, Field(description="Of its training; null where the list does not tell.")] = None

    def line(self) -> str:
        """The persona with its id, and below what is said of it."""
        # Where no discipline was given, the name stands in for it, which tells nothing twice.
        facts = ", ".join(fact for fact in (self.discipline, self.type) if fact and fact != self.name)
        about = f"\n  {quoted(self.description)}" if self.description else ""
        told = ", ".join(tag for tag in self.tags if SEPARATOR in tag)
        tags = f" {told}" if told else ""
        state = f" - {MARKS[self.status]}" if self.status in MARKS else ""
        return f"- {self.name}{f' ({facts})' if facts else ''} [id {self.id}]{tags}{state}{about}"


class PersonaList(Answer):
    """The caller's personas, or those that fit a search."""

    personas: list[PersonaRow]
    total: Annotated[int, Field(description="How many there are; `personas` may show fewer.")]
    search_query: str | None
    approximate: Annotated[
        bool, Field(description="Nothing contains the searchQuery; these are the names nearest to it.")
    ]
    untrusted: Untrusted = ("$.personas",)

    def as_text(self) -> str:
        count = "1 AI persona" if self.total == 1 else f"{self.total} AI personas"
        query = self.search_query
        if not self.personas:
            every = "Call list_my_ai_personas without searchQuery to see them all."
            none = "You have no AI personas yet. Make one with create_ai_persona_or_digital_twin."
            return none if query is None else f'None of your AI personas is like "{query}". {every}'
        heading = f"You have {count}:" if query is None else f'{count} for "{query}":'
        if self.approximate:
            heading = f'Nothing contains "{query}"; nearest to it, {count}:'
        lines = [heading, *(persona.line() for persona in self.personas)]
        if self.total > len(self.personas):
            lines.append(f"... and {self.total - len(self.personas)} more; narrow them down with searchQuery.")
        return "\n".join(lines)


class RowFault(Answer):
    """Why a row made no persona."""

    line: Annotated[int, Field(description="Of the CSV, its head being line 1; of JSON, the row's number.")]
    fault: str


class BulkRow(Answer):
    """A persona of one row."""

    line: int
    spark_id: str
    name: str
    status: Status | None

    def as_line(self) -> str:
        mark = f" - {MARKS[self.status]}" if self.status in {"empty", "failed"} else ""
        return f"- {self.name} [id {self.spark_id}]{mark}"


class BulkCreated(Answer):
    """What became of a table of personas."""

    created: list[BulkRow]
    existing: Annotated[list[BulkRow], Field(description="Rows whose persona was there already.")]
    faults: list[RowFault]
    left: Annotated[int, Field(description="Rows there was no time for, which the same call makes; or not drafted.")]
    group_id: Annotated[str | None, Field(description="For groupIds of create_panel.")]
    draft: Annotated[list[dict[str, Any]] | None, Field(description="Rows for the user to look at first.")] = None
    untrusted: Untrusted = ("$.created", "$.existing", "$.faults", "$.draft")

    def as_text(self) -> str:
        wrong = [f"- line {one.line}: {one.fault}" for one in self.faults]
        if self.draft is not None:
            told = [f"{row['name']}: {row.get('context', '')} {row.get('attributes', {})}" for row in self.draft]
            head = f"A draft of {len(told)} of the {len(told) + self.left} people asked for; nobody is created."
            return "\n".join([f"{head} Show it, and pass what is wanted in rows:", *wrong, *map(quoted, told)])
        head = f"{len(self.created)} personas created, {len(self.existing)} there already, faults: {len(self.faults)}."
        kept = ["Who was there took no other context: add_knowledge adds it."] if self.existing else []
        if training := sum(one.status in {"queued", "running"} for one in self.existing):
            kept.append(f"In training: {training} of them; whose training had failed is trained again.")
        lines = [row.as_line() for row in (*self.created, *self.existing)]
        left = [f"{self.left} rows are left: make the same call again; nothing is made twice."] if self.left else []
        group = [f"Their group has the id {self.group_id}; create_panel takes it in groupIds."] if self.group_id else []
        mend = ["A group is made where no row is faulty: make the same call with the table mended."] if wrong else []
        return "\n".join([head, *kept, *left, *wrong, *mend, *lines, *group])


class TrainingFacts(Answer):
    """How far a training is."""

    status: Status
    stage: Annotated[Stage | None, Field(description="The part of the training; null when it is not told.")]
    progress: Annotated[int | None, Field(description="Per cent; null when there is nothing to tell it by.")]
    progress_estimated: Annotated[bool, Field(description="`progress` is this gateway's estimate.")]
    ready_to_chat: bool
    poll_after_ms: Annotated[
        int | None, Field(description="When to check again, in milliseconds; null when that tells no more.")
    ]

    def watched(self, spark_id: str, live: Live) -> Mapping[str, Any] | None:
        """How a widget may see the training go on; None when it is over, or cannot be watched."""
        is_over = self.ready_to_chat or self.poll_after_ms is None
        return None if is_over else live("check_ai_persona_training_progress", {"sparkId": spark_id})


class DemoTerms(Answer):
    """Said of a persona that was made without an account."""

    temporary: Literal[True]
    expires_at: str | None


class CreatedPersona(TrainingFacts):
    """A new persona, and where its training stands."""

    spark_id: str
    name: str
    message: Annotated[str, Field(description="What happened and what to do next.")]
    duplicate: Annotated[bool, Field(description="The same call came seconds ago; this is the persona it made.")]
    demo: DemoTerms | None
    untrusted: Untrusted = ("$.name",)
    # The widget's key to a demo persona. Neither the model nor the transcript may hold it.
    demo_token: SkipJsonSchema[Annotated[SecretStr | None, Field(exclude=True)]] = None

    def as_text(self) -> str:
        return f"{self.message}\nsparkId: {self.spark_id}"

    def for_widget(self, live: Live) -> Mapping[str, Any] | None:
        demo = self.demo_token
        return self.watched(self.spark_id, live) if demo is None else {"minds/demoToken": demo.get_secret_value()}


class Failure(Answer):
    """Why a training failed."""

    code: str
    retryable: bool
    explanation: str
    what_to_do: str


class Knowledge(Answer):
    """The persona's sources by their state."""

    total: int
    completed: int
    in_progress: int
    failed: int


class PersonaProgress(TrainingFacts):
    """Where a persona's training stands."""

    spark_id: str
    name: str
    message: Annotated[str, Field(description="Where it stands, in words.")]
    next_step: Annotated[str, Field(description="What to do now.")]
    failure: Failure | None
    knowledge: Annotated[Knowledge | None, Field(description="Null when the sources are not told.")]
    started_at: str | None
    completed_at: str | None
    untrusted: Untrusted = ("$.name",)

    def as_text(self) -> str:
        lines = [self.message]
        if self.knowledge is not None and self.knowledge.total:
            read = f"{self.knowledge.completed} of {self.knowledge.total} read"
            lost = f", {self.knowledge.failed} failed" if self.knowledge.failed else ""
            lines.append(f"Sources: {read}{lost}.")
        return "\n".join([*lines, self.next_step, f"sparkId: {self.spark_id}"])

    def for_widget(self, live: Live) -> Mapping[str, Any] | None:
        return self.watched(self.spark_id, live)
