"""Groups keep the order in which they were asked, and two of one name stay two."""

from mcp_server.toolsets.panels._aggregation.grouping import told_apart
from mcp_server.toolsets.panels._study import AskedQuestion, Reply


def asked(*replies: Reply, groups: tuple[str, ...] = ()) -> AskedQuestion:
    return AskedQuestion(id="q", text="", type="scale", groups=groups, replies=replies)


def reply(group: str, group_id: str | None = None) -> Reply:
    return Reply(persona="Ada", group=group, group_id=group_id)


def test_asked_groups_come_first_and_others_by_name() -> None:
    names, _ = told_apart(asked(reply("Zoo"), reply("Art"), reply("B"), groups=("B", "A")))

    assert names == ["B", "A", "Art", "Zoo"]


def test_two_groups_of_one_name_are_numbered() -> None:
    names, replies = told_apart(asked(reply("Teens", "2"), reply("Teens", "1"), reply("B"), groups=("Teens", "B")))

    assert names == ["Teens (1)", "Teens (2)", "B"]
    assert [one.group for one in replies] == ["Teens (2)", "Teens (1)", "B"]


def test_replies_without_an_id_stay_under_the_plain_name() -> None:
    names, replies = told_apart(asked(reply("Teens", "1"), reply("Teens", "2"), reply("Teens")))

    assert names == ["Teens", "Teens (1)", "Teens (2)"]
    assert replies[2].group == "Teens"


def test_one_id_beside_none_is_one_group() -> None:
    names, _ = told_apart(asked(reply("Teens", "1"), reply("Teens")))

    assert names == ["Teens"]
