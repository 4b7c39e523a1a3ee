"""An export holds what was answered, and goes along with its link where that helps."""

from datetime import UTC, datetime

import pytest

from mcp_server.errors import NotReady
from mcp_server.toolkit.files import Link
from mcp_server.toolsets.panels._exports.render import MOST_TEXT, Exporter
from mcp_server.toolsets.panels._lens import AS_ASKED
from mcp_server.toolsets.panels._minds.studies import Panel
from mcp_server.toolsets.panels._study import AskedQuestion, Reply, Study

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
PANEL = Panel(Study("p", "Pricing"), ())


class Counter:
    """Where files are handed out, under the scheme that a test wants."""

    def __init__(self, scheme: str) -> None:
        self.scheme = scheme
        self.published: list[bytes] = []

    async def publish(self, file_name: str, media_type: str, content: bytes, *, of: str = "") -> Link:
        self.published.append(content)
        return Link(f"{self.scheme}://example.test/{file_name}", "2026-11-21T13:00:00.000Z")


def asked(*messages: str, status: str = "completed") -> AskedQuestion:
    replies = tuple(Reply(f"P{n}", "All", str(n), value="3", message=text) for n, text in enumerate(messages))
    return AskedQuestion("q", "?", "scale", (1, 5), groups=("All",), replies=replies, status=status)  # type: ignore[arg-type]  # the test's own


def exporter(counter: Counter) -> Exporter:
    return Exporter(counter, now=lambda: NOW)


async def test_a_short_text_goes_along_and_a_long_one_does_not() -> None:
    counter = Counter("https")

    short = await exporter(counter).export(PANEL, [asked("yes")], "md", AS_ASKED, {}, bom=True)
    many = asked(*("x" * 5_000 for _ in range(20)))
    long = await exporter(counter).export(PANEL, [many], "csv", AS_ASKED, {}, bom=True)

    assert short.enclosures()[0].content == counter.published[0]
    assert long.bytes > MOST_TEXT
    assert long.enclosures()[0].content is None


@pytest.mark.parametrize(("scheme", "along"), [("https", False), ("file", True)])
async def test_a_workbook_goes_along_only_where_the_link_is_a_file_of_this_machine(scheme: str, along: bool) -> None:
    export = await exporter(Counter(scheme)).export(PANEL, [asked("yes")], "xlsx", AS_ASKED, {}, bom=True)

    assert (export.enclosures()[0].content is not None) is along


async def test_a_question_that_is_still_being_answered_makes_it_partial() -> None:
    export = await exporter(Counter("https")).export(
        PANEL, [asked("yes", status="processing")], "md", AS_ASKED, {}, bom=True
    )

    assert export.partial


@pytest.mark.parametrize("questions", [[], [asked()]])
async def test_without_an_answer_there_is_no_export(questions: list[AskedQuestion]) -> None:
    counter = Counter("https")

    with pytest.raises(NotReady):
        await exporter(counter).export(PANEL, questions, "pdf", AS_ASKED, {}, bom=True)

    assert counter.published == []
