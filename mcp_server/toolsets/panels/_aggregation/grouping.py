"""The groups of a question in their order, told apart also where two are called the same. Pure."""

from dataclasses import replace

from mcp_server.toolsets.panels._study import AskedQuestion, Reply


def told_apart(asked: AskedQuestion) -> tuple[list[str], list[Reply]]:
    """The names of the groups, as asked and then any others, and the replies under these names.

    Two groups of one name become "Teens (1)" and "Teens (2)": figures of both together would be nobody's.
    """
    ids = _ids(asked.replies)
    shared = {name for name, several in ids.items() if len(several) > 1}
    numbered = {
        (name, each): f"{name} ({number})"
        for name in sorted(shared)
        for number, each in enumerate(sorted(ids[name]), start=1)
    }
    replies = [replace(one, group=numbered.get((one.group, one.group_id or ""), one.group)) for one in asked.replies]
    held = {reply.group for reply in replies}
    names = [
        name
        for group in dict.fromkeys((*asked.groups, *sorted(ids)))
        for name in (group, *(new for (old, _), new in numbered.items() if old == group))
        if name in held or name not in shared
    ]
    return list(dict.fromkeys(names)), replies


def _ids(replies: tuple[Reply, ...]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for reply in replies:
        ids = found.setdefault(reply.group, set())
        if reply.group_id:
            ids.add(reply.group_id)
    return found
