"""The messages of a panel, read as its questions with what was answered (minds-api.md sections 4.8 and 4.10).

A question is a message of the user; what became of it is the assistant's message with the same `questionBlockId` or,
where that is not told, the next one with its words or, failing that, the next one. An answer without any such message
is a question by its title.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from mcp_server.toolkit.json_coercion import items, mapping, prose, text, whole, word
from mcp_server.toolsets.panels._study import AskedQuestion, Group, QuestionStatus, Reply
from mcp_server.toolsets.panels._wire import QUESTION, UNDERSTOOD_AS_TEXT, answered, classification

UNFINISHED = frozenset({"queued", "running"})

ABANDONED = timedelta(minutes=15)
"""Age at which a question without an answer, and without a word on it, is taken for one that will never have any."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One question of a panel, and what the internal API calls it.

    Attributes:
        names: every id by which it may be asked for.
        message_id: of the message whose full answers may be read; None where there is none.
        request_id: the `clientRequestId` that it was asked with.
        members: how many were asked or, where that is not told, how many are in its groups today.
        is_addressed: whether it is told which groups were asked.
        is_silent: whether nothing is told of what became of it: only its age may speak against it.

    """

    asked: AskedQuestion
    names: frozenset[str]
    message_id: str | None
    request_id: str | None
    members: int
    is_addressed: bool = False
    is_silent: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether the answers of all who were asked are in it; a transcript may hold fewer (minds-api.md 12.7)."""
        return sum(reply.status != "pending" for reply in self.asked.replies) >= self.members


def entries(data: Mapping[str, Any], groups: Sequence[Group], now: datetime) -> list[Entry]:
    """The questions of `GET /studies/{id}`, oldest first."""
    told: list[Entry] = []
    for each in items(data, "messages"):
        message = mapping(each)
        if word(message, "role") == "user":
            if (asked := _asked(message, groups, now)) is not None:
                told.append(asked)
        elif word(message, "role") == "assistant":
            _settle(told, message, groups)
    return told


def _asked(message: Mapping[str, Any], groups: Sequence[Group], now: datetime) -> Entry | None:
    content, identity = prose(message, "content", QUESTION), text(message, "id")
    if content is None or identity is None:
        return None
    metadata = mapping(message.get("metadata"))
    block, request = text(metadata, "questionBlockId"), text(metadata, "clientRequestId")
    understood = classification(metadata.get("classification")) or UNDERSTOOD_AS_TEXT
    those = _those_asked(metadata, groups)
    asked = AskedQuestion(
        id=request or block or identity,
        text=content,
        type=understood.type,
        scale=understood.scale,
        options=understood.options,
        groups=tuple(group.name for group in those),
        replies=tuple(pending(those)),
        status=_status(word(metadata, "status"), text(message, "createdAt"), now),
        asked_at=text(message, "createdAt"),
    )
    names = frozenset(name for name in (request, block, identity) if name is not None)
    total = whole(metadata, "total")
    return Entry(
        asked,
        names,
        message_id=block,
        request_id=request,
        members=len(asked.replies) if total is None else total,
        is_addressed=total is not None or bool(items(metadata, "audienceIds")),
        is_silent=word(metadata, "status") is None,
    )


def pending(groups: Sequence[Group]) -> list[Reply]:
    """A reply that is still to come from every member."""
    return [
        Reply(
            persona=member.name,
            group=group.name,
            persona_id=member.id,
            group_id=group.id,
            discipline=member.discipline,
            status="pending",
        )
        for group in groups
        for member in group.members
    ]


def _those_asked(metadata: Mapping[str, Any], groups: Sequence[Group]) -> list[Group]:
    chosen = {each for each in items(metadata, "audienceIds") if isinstance(each, str)}
    return [group for group in groups if not chosen or group.id in chosen]


def _status(told: str | None, asked_at: str | None, now: datetime) -> QuestionStatus:
    """Before there is an answer. Where nothing is told, it is being worked on, but not for ever."""
    if told in UNFINISHED:
        return "processing"
    if told is not None or asked_at is None:
        return "failed"
    try:
        age = now - datetime.fromisoformat(asked_at)
    except (ValueError, TypeError):
        return "failed"
    return "processing" if age < ABANDONED else "failed"


def _settle(told: list[Entry], message: Mapping[str, Any], groups: Sequence[Group]) -> None:
    """Put an assistant's message to its question; one that answers nothing that was asked is passed over."""
    metadata, identity = mapping(message.get("metadata")), text(message, "id")
    output, block = mapping(metadata.get("outputData")), text(metadata, "questionBlockId")
    if not output:
        return
    title = prose(output, "title", QUESTION)
    index = _index_of(told, block, title)
    if index is None:
        if title is None or identity is None:
            return
        told.append(_untold(title, identity, text(message, "createdAt")))
        index = -1
    entry = told[index] if told[index].is_addressed else _narrowed(told[index], output)
    finished = replace(answered(entry.asked, output, groups), status="completed")
    told[index] = replace(
        entry,
        asked=replace(finished, replies=tuple(one for one in finished.replies if one.status != "pending")),
        names=entry.names | {name for name in (identity, block) if name is not None},
        message_id=identity or entry.message_id,
        members=entry.members or len(finished.replies),
    )


def _untold(title: str, identity: str, at: str | None) -> Entry:
    """A question of which only the answer is told."""
    asked = AskedQuestion(id=identity, text=title, type=UNDERSTOOD_AS_TEXT.type, asked_at=at)
    return Entry(asked, frozenset({identity}), identity, None, members=0)


def _narrowed(entry: Entry, output: Mapping[str, Any]) -> Entry:
    """Where it is not told who was asked: the groups that the answers came from, where these are told."""
    names = {text(mapping(each), "audience") for each in items(output, "audiences")}
    groups = tuple(name for name in entry.asked.groups if name in names)
    if not groups:
        return entry
    replies = tuple(reply for reply in entry.asked.replies if reply.group in groups)
    return replace(entry, asked=replace(entry.asked, groups=groups, replies=replies), members=len(replies))


def _index_of(told: Sequence[Entry], block: str | None, title: str | None) -> int | None:
    named = next((index for index, entry in enumerate(told) if block in entry.names), None)
    if named is not None:
        return named
    # A question with a block of its own is answered under that block.
    waiting = [
        index
        for index, entry in enumerate(told)
        if entry.asked.status != "completed" and (block is None or entry.message_id is None)
    ]
    same = [index for index in waiting if title is not None and folded(told[index].asked.text) == folded(title)]
    return next(iter(same or waiting[-1:]), None)


def folded(question: str) -> str:
    """What makes two questions the same: their words."""
    return " ".join(question.split()).casefold()
