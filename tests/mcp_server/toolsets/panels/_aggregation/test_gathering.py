"""Every reply has its state, every persona is counted once, and the order of the replies does not matter."""

from dataclasses import replace

from mcp_server.toolsets.panels._aggregation.gathering import gather, usable
from mcp_server.toolsets.panels._study import Reply
from tests.mcp_server.toolsets.panels._aggregation.replies import scale

ADA = Reply(persona="Ada", group="A", persona_id="1", value="8", message="Eight.")


def test_each_reply_is_in_one_of_four_states() -> None:
    told = (
        ADA,
        replace(ADA, persona_id="2", value="many"),
        replace(ADA, persona_id="3", status="pending"),
        replace(ADA, persona_id="4", status="failed"),
        replace(ADA, persona_id="5", status="timeout"),
    )

    states = {entry.reply.persona_id: entry.state for entry in gather(scale(told)).entries}

    assert states == {"1": "usable", "2": "unclear", "3": "pending", "4": "failed", "5": "failed"}


def test_a_persona_of_two_groups_is_counted_once_and_by_its_first_group() -> None:
    gathered = gather(replace(scale((replace(ADA, group="B", value="3"), ADA)), groups=("A", "B")))

    assert [len(entries) for entries in gathered.groups.values()] == [1, 1]
    assert [entry.number for entry in gathered.everyone] == [8]


def test_an_answer_counts_more_than_a_failure_elsewhere() -> None:
    gathered = gather(scale((replace(ADA, status="failed", value=None), replace(ADA, group="B", value="3"))))

    assert [entry.number for entry in usable(gathered.everyone)] == [3]


def test_without_ids_the_same_words_under_the_same_name_are_one_persona() -> None:
    nameless = replace(ADA, persona_id=None)
    gathered = gather(scale((nameless, replace(nameless, group="B"), replace(nameless, group="C", message="Other."))))

    assert len(gathered.everyone) == 2


def test_two_of_one_name_in_one_group_are_two() -> None:
    nameless = replace(ADA, persona_id=None)
    gathered = gather(scale((nameless, nameless, replace(nameless, group="B"))))

    assert len(gathered.groups["A"]) == 2
    assert len(gathered.everyone) == 2


def test_asked_groups_come_first_and_two_of_one_name_are_numbered() -> None:
    def reply(group: str, group_id: str | None = None) -> Reply:
        return replace(ADA, group=group, group_id=group_id)

    def groups(*told: Reply, asked: tuple[str, ...] = ()) -> list[str]:
        return list(gather(replace(scale(told), groups=asked)).groups)

    assert groups(reply("Zoo"), reply("Art"), reply("B"), asked=("B", "A")) == ["B", "A", "Art", "Zoo"]
    twins = (reply("Teens", "2"), reply("Teens", "1"))
    assert groups(*twins, reply("B"), asked=("Teens", "B")) == ["Teens (1)", "Teens (2)", "B"]
    assert groups(*twins, reply("Teens")) == ["Teens", "Teens (1)", "Teens (2)"]
    assert groups(reply("Teens", "1"), reply("Teens")) == ["Teens"]
