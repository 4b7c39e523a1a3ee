"""Panels and groups are shown with their ids, which other tools take."""

from mcp_server.toolsets.panels._shown import group_row, group_rows, panel_row
from mcp_server.toolsets.panels._study import Group, Member
from mcp_server.toolsets.panels._wire import Row

OWNERS = Group("g", "Owners", (Member("m", "Mia", "Cycling"),))


def test_a_group_is_shown_with_its_members() -> None:
    row = group_row(OWNERS)

    assert (row.id, row.personas[0].id, row.personas[0].discipline) == ("g", "m", "Cycling")
    assert row.line() == "- Owners [id g]: Mia"


def test_a_panel_is_shown_with_the_names_of_its_groups() -> None:
    row = panel_row(Row("p", "Pricing", (OWNERS,), "today", 1))

    assert row.line() == "- Pricing [id p]: Owners, 1 question"


def test_many_members_share_the_room_and_are_counted() -> None:
    many = Group("g", "Many", tuple(Member(str(n), f"P{n}") for n in range(100)))

    rows = group_rows([many, many], 40)

    assert [(len(row.personas), row.size) for row in rows] == [(20, 100), (20, 100)]
    assert "P11 and 88 more" in rows[0].line()


def test_of_many_groups_each_shows_somebody() -> None:
    assert [len(row.personas) for row in group_rows([OWNERS] * 5, 2)] == [1] * 5
