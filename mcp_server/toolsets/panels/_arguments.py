"""The arguments that several panel tools take."""

from dataclasses import dataclass
from math import isclose
from typing import Annotated, Any, Self

from pydantic import AliasChoices, BaseModel, Field, model_validator

from mcp_server.errors import InvalidArguments
from mcp_server.toolkit.arguments import ONE_LINE, TRIMMED, WebAddress, identifier
from mcp_server.toolkit.attributes import Key, Value

PanelId = Annotated[
    str,
    Field(max_length=64, description="The panel's id.", json_schema_extra={"format": "uuid"}),
    identifier("list_panels"),
]
Name = Annotated[str, TRIMMED, Field(min_length=1, max_length=200), ONE_LINE]
PanelName = Annotated[Name, Field(description="The panel's name, when its id is not known; a slip is forgiven.")]
OptionalPanelId = PanelId | None
OptionalPanelName = PanelName | None
QuestionId = Annotated[str, TRIMMED, Field(min_length=1, max_length=100, description="Of one question."), ONE_LINE]
SearchQuery = Annotated[
    str, TRIMMED, Field(max_length=500, description="A name or a part of it; misspelled names are found too."), ONE_LINE
]
GroupRefs = Annotated[list[Name], Field(max_length=100)]
Personas = Annotated[list[Name], Field(max_length=1_000)]

By = Annotated[
    list[Key], Field(min_length=1, max_length=2, description="Compare by these attributes of personas, not by groups.")
]
Weights = Annotated[
    dict[Key, dict[Value, Annotated[float, Field(ge=0)]]],
    Field(max_length=1, description="Target shares by one attribute, such as {region: {North: 0.6, South: 0.4}}."),
]
CompareWith = Annotated[QuestionId, Field(description="questionId of an earlier asking of the same question.")]
SCALED = "The target shares came to {total:g}; they were scaled so that they come to 1."


@dataclass(frozen=True, slots=True)
class View:
    """How results are to be seen, as the caller put it."""

    by: tuple[str, ...] = ()
    weights: tuple[str, dict[str, float]] | None = None
    compare_with: str | None = None
    notes: tuple[str, ...] = ()  # what readers of the figures must know

    @classmethod
    def of(cls, by: list[str] | None, weights: dict[str, dict[str, float]] | None, earlier: str | None) -> "View":
        """Raises InvalidArguments: the target shares come to nothing."""
        wanted: tuple[str, dict[str, float]] | None = None
        notes: tuple[str, ...] = ()
        for key, shares in (weights or {}).items():
            if not (total := sum(shares.values())):
                raise InvalidArguments("weights: give a share above 0 to at least one value")
            wanted = key.casefold(), {value: share / total for value, share in shares.items()}
            notes = () if isclose(total, 1) else (SCALED.format(total=total),)
        return cls(tuple(dict.fromkeys(key.casefold() for key in by or ())), wanted, earlier, notes)


AS_ASKED = View()


class GroupConfig(BaseModel, extra="forbid"):
    """One group of a new panel."""

    name: Name | None = Field(None, description="What to call the group.")
    spark_ids: Personas = Field(  # called `mindIds` today, which is taken as well
        default_factory=list, validation_alias=AliasChoices("sparkIds", "mindIds"), description="Personas by id."
    )
    spark_names: Personas = Field(
        default_factory=list, alias="sparkNames", description="Personas by name; a slip is forgiven."
    )

    @property
    def personas(self) -> tuple[str, ...]:
        return (*self.spark_ids, *self.spark_names)


class Attachment(BaseModel, extra="forbid"):
    """A document that every persona is shown."""

    url: WebAddress
    name: Name | None = None
    type: Name | None = None


class Scale(BaseModel, extra="forbid"):
    """The ends of a scale, both included."""

    min: int = Field(ge=-1_000, le=1_000)
    max: int = Field(ge=-1_000, le=1_000)

    @model_validator(mode="before")
    @classmethod
    def _two_ends(cls, value: Any) -> Any:
        """`[1, 10]` says it as clearly."""
        match value:
            case [low, high]:
                return {"min": low, "max": high}
        return value

    @model_validator(mode="after")
    def _ascending(self) -> Self:
        if not self.min < self.max <= self.min + 100:
            raise ValueError("min must be below max, and at most 100 apart")
        return self


ScaleArgument = Annotated[
    Scale, Field(description="The ends of the scale, both included, where the words do not give them.")
]
