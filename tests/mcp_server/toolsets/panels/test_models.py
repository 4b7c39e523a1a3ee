"""Each answer reads well without a user interface, and its schema is closed and complete."""

import pytest

from mcp_server.toolkit.answers import Answer, Enclosure
from mcp_server.toolsets.panels import _results, models
from mcp_server.toolsets.panels._study import Group, Member
from mcp_server.toolsets.panels.models import ExportedPanel, GroupList, GroupRow, PanelList, PanelRow

MODELS = [
    model
    for module in (models, _results)
    for model in vars(module).values()
    if isinstance(model, type) and issubclass(model, Answer) and model.__module__ == module.__name__
]
OWNERS = Group("g", "Owners", (Member("m", "Mia", "Cycling"),))


@pytest.mark.parametrize("model", MODELS)
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


def test_many_members_share_the_room_and_are_counted() -> None:
    many = Group("g", "Many", tuple(Member(str(n), f"P{n}") for n in range(100)))

    rows = GroupRow.of_each([many, many], 40)

    assert [(len(row.personas), row.size) for row in rows] == [(20, 100), (20, 100)]
    assert "P11 and 88 more" in rows[0].line()
