"""Each answer reads well without a user interface, and its schema is closed and complete."""

import pytest

from mcp_server.toolkit.answers import Answer, Enclosure
from mcp_server.toolsets.panels.models import (
    CreatedGroup,
    CreatedPanel,
    ExportedPanel,
    GroupList,
    GroupRow,
    PanelAnswer,
    PanelList,
    PanelResults,
    PanelRow,
)

ANSWERS = [CreatedGroup, CreatedPanel, ExportedPanel, GroupList, PanelAnswer, PanelList, PanelResults]


@pytest.mark.parametrize("model", ANSWERS)
def test_the_schema_is_closed_and_every_field_always_there(model: type[Answer]) -> None:
    schema = model.model_json_schema(mode="serialization", by_alias=True)

    assert schema["additionalProperties"] is False
    assert set(schema["required"]) == set(schema["properties"])


def test_a_list_that_is_cut_says_so() -> None:
    panels = PanelList(panels=[PanelRow(id="1", name="A", groups=[], questions=None, updated_at=None)], total=3)
    groups = GroupList(groups=[GroupRow(id="1", name="A", size=0, personas=[])], total=2)

    assert "and 2 more" in panels.as_text()
    assert "and 1 more" in groups.as_text()
    assert "nobody" in groups.as_text()


def test_the_file_of_an_export_is_no_part_of_its_structured_content() -> None:
    told = exported(Enclosure("https://x.test/a", "a.pdf", "application/pdf", 3, b"pdf"))

    assert "enclosed" not in told.model_dump(by_alias=True)
    assert told.enclosures()[0].content == b"pdf"
    assert told.url in told.as_text()


def test_an_export_without_a_file_encloses_nothing() -> None:
    assert exported(None).enclosures() == []


def exported(enclosed: Enclosure | None) -> ExportedPanel:
    return ExportedPanel(
        panel_id="1",
        panel="Pricing",
        format="pdf",
        file_name="a.pdf",
        media_type="application/pdf",
        bytes=3,
        url="https://x.test/a",
        expires_at="tomorrow",
        questions=1,
        answers=2,
        partial=False,
        message="Done.",
        enclosed=enclosed,
    )
