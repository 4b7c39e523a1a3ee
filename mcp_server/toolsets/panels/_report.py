"""What is exported: a panel and its questions with all their replies, made once and written in five formats."""

from dataclasses import dataclass

from mcp_server.toolsets.panels._results import QuestionResult
from mcp_server.toolsets.panels._study import AskedQuestion, Group


@dataclass(frozen=True, slots=True)
class Section:
    """A question and what its answers amount to. `result.answers` may be cut, `asked.replies` never is."""

    asked: AskedQuestion
    result: QuestionResult


@dataclass(frozen=True, slots=True)
class Report:
    """`generated_at` is ISO 8601 in UTC; `partial` says that a question was still being answered."""

    panel_id: str
    panel: str
    groups: tuple[Group, ...]
    sections: tuple[Section, ...]
    generated_at: str
    partial: bool = False


@dataclass(frozen=True, slots=True)
class Document:
    """A finished export. `file_name` is safe on every file system."""

    file_name: str
    media_type: str
    content: bytes
