"""What the assistant said."""

from typing import Annotated, ClassVar

from pydantic import Field

from mcp_server.errors import ToolFailure
from mcp_server.toolkit.answers import Answer, Untrusted
from mcp_server.toolkit.quotations import quoted

CUT = "It was cut, as too long or too slow, and is not remembered; ask a narrower question."
FORGOTTEN = "It is not remembered: say in the next question what this one was about."


class NoAnswer(ToolFailure):
    code: ClassVar[str] = "no_answer"


class AssistantAnswer(Answer):
    """What the assistant of a documentation answered."""

    project: str
    title: Annotated[str, Field(description="Name of the documentation.")]
    answer: Annotated[str, Field(description="Markdown, written by the assistant, with links to the documentation.")]
    is_complete: Annotated[bool, Field(description="Whether the answer was read to its end.")]
    is_remembered: Annotated[bool, Field(description="Whether the next question may refer to this one.")]
    skipped: Annotated[int, Field(description="Lines of the answer that could not be read, and are left out.")]
    untrusted: Untrusted = ("$.answer",)

    def as_text(self) -> str:
        said = [f"The assistant of the {self.title} documentation says:", quoted(self.answer)]
        if not self.is_remembered:
            said.append(FORGOTTEN if self.is_complete else CUT)
        return "\n\n".join([*said, *([f"Left out: {self.skipped} lines."] if self.skipped else [])])


class HistoryCleared(Answer):
    """The conversations that begin anew."""

    projects: Annotated[list[str], Field(description="Their ids.")]

    def as_text(self) -> str:
        return f"Nothing is remembered of conversations about: {', '.join(self.projects)}"
