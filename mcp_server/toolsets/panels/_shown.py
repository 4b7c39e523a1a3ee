"""Panels and groups as the tools show them. Pure."""

from collections.abc import Sequence

from mcp_server.toolsets.panels._study import Group
from mcp_server.toolsets.panels._wire import Row
from mcp_server.toolsets.panels.models import GroupRow, PanelRow, PersonaRef

MOST_PERSONAS = 300
"""In one result, of all groups together."""


def group_rows(groups: Sequence[Group], most: int = MOST_PERSONAS) -> list[GroupRow]:
    """Each with its first members, as many as there is room for; always one."""
    each = max(1, most // max(1, len(groups)))
    return [group_row(group, each) for group in groups]


def group_row(group: Group, most: int = MOST_PERSONAS) -> GroupRow:
    members = [PersonaRef(id=one.id, name=one.name, discipline=one.discipline) for one in group.members[:most]]
    return GroupRow(id=group.id, name=group.name, size=len(group.members), personas=members)


def panel_row(row: Row) -> PanelRow:
    groups = [group.name for group in row.groups]
    return PanelRow(id=row.id, name=row.name, groups=groups, questions=row.questions, updated_at=row.updated_at)
