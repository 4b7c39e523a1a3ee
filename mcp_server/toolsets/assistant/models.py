"""What the assistant said, and what it is asked with."""

from typing import Annotated, ClassVar

from pydantic import Field

from mcp_server.errors import ToolFailure
from mcp_server.toolkit.answers import Answer, Untrusted
from mcp_server.toolkit.quotations import quoted

CUT = "It ends here because it was too long or took too long; ask a narrower question. It is not remembered."
FORGOTTEN = "Nothing is remembered for those who are not signed in: say in the next question what this one was about."


class NoAnswer(ToolFailure):
    """The assistant answered with nothing."""

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
        notes = [
            *([] if self.is_complete else [CUT]),
            *([] if self.is_remembered or not self.is_complete else [FORGOTTEN]),
            *([f"Left out: {self.skipped} lines that could not be read."] if self.skipped else []),
        ]
        return "\n\n".join([f"The assistant of the {self.title} documentation says:", quoted(self.answer), *notes])


class HistoryCleared(Answer):
    """The conversations that begin anew."""

    projects: Annotated[list[str], Field(description="Their ids.")]

    def as_text(self) -> str:
        return f"Nothing is remembered of conversations about: {', '.join(self.projects)}"
