"""A report keeps every reply, also where the result shows some of them only."""

from mcp_server.toolsets.panels._aggregation.aggregate import aggregate
from mcp_server.toolsets.panels._report import Document, Report, Section
from mcp_server.toolsets.panels._study import AskedQuestion, Reply


def test_a_cut_result_cuts_no_reply() -> None:
    replies = tuple(Reply(persona=f"P{n}", group="All", persona_id=str(n), value="3") for n in range(30))
    asked = AskedQuestion(id="1", text="?", type="scale", scale=(1, 5), groups=("All",), replies=replies)

    report = Report("p", "Pricing", (), (Section(asked, aggregate(asked, shown=10)),), "2026-11-21T00:00:00Z")

    (section,) = report.sections
    assert (len(section.result.answers), section.result.answers_omitted) == (10, 20)
    assert len(section.asked.replies) == 30


def test_a_document_is_its_name_its_type_and_its_bytes() -> None:
    assert Document("a.md", "text/markdown", b"x").content == b"x"
