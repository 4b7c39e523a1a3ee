"""The messages of a panel, read as its questions with what was answered (minds-api.md sections 4.8 and 4.10).

A question is a message of the user; what became of it is the assistant's message with the same `questionBlockId` or,
where that is missing, the next one with its words or, failing that, the next one. An answer without any such message
is a question by its title.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from mcp_server.toolkit.json_coercion import items, mapping, prose, text, whole, word
from mcp_server.toolsets.panels._minds.wire import QUESTION, UNDERSTOOD_AS_TEXT, answered, classification
from mcp_server.toolsets.panels._study import AskedQuestion, Group, QuestionStatus, Reply

ABANDONED = timedelta(minutes=15)
"""Age at which a question without an answer and without a status is taken for one that will never have any."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One question of a panel, and what the internal API calls it.

    Attributes:
        ids: every id by which it may be asked for.
        message_id: of the message whose full answers may be read; None where there is none.
        request_id: the `clientRequestId` that it was asked with.
        members: how many were asked or, where that is not known, how many are in its groups today.
        is_addressed: whether it is known which groups were asked.
        is_silent: whether it has no status: only its age may speak against it.
        ended_at: when its answer was there, where that is known.

    """

    asked: AskedQuestion
    ids: frozenset[str]
    message_id: str | None
    request_id: str | None
    members: int
    is_addressed: bool = False
    is_silent: bool = False
    ended_at: str | None = None

    @property
    def is_whole(self) -> bool:
        """Whether the answers of all who were asked are in it; a transcript may hold fewer (minds-api.md 12.7)."""
        return sum(reply.status != "pending" for reply in self.asked.replies) >= self.members


def folded(question: str) -> str:
    """What makes two questions the same: their words."""
    return " ".join(question.split()).casefold()


def pending(groups: Sequence[Group]) -> list[Reply]:
    """A reply that is still to come from every member."""
    return [
        Reply(one.name, group.name, one.id, group.id, one.discipline, status="pending")
        for group in groups
        for one in group.members
    ]


def entries(data: Mapping[str, Any], groups: Sequence[Group], now: datetime) -> list[Entry]:
    """The questions of `GET /studies/{id}`, oldest first."""
    found: list[Entry] = []
    for message in map(mapping, items(data, "messages")):
        if word(message, "role") == "user":
            if (asked := _asked(message, groups, now)) is not None:
                found.append(asked)
        elif word(message, "role") == "assistant":
            _settle(found, message, groups)
    return found


def _asked(message: Mapping[str, Any], groups: Sequence[Group], now: datetime) -> Entry | None:
    content, message_id = prose(message, "content", QUESTION), text(message, "id")
    if content is None or message_id is None:
        return None
    metadata = mapping(message.get("metadata"))
    block, request = text(metadata, "questionBlockId"), text(metadata, "clientRequestId")
    understood = classification(metadata.get("classification")) or UNDERSTOOD_AS_TEXT
    chosen = {each for each in items(metadata, "audienceIds") if isinstance(each, str)}
    addressed = [group for group in groups if not chosen or group.id in chosen]
    status, total = word(metadata, "status"), whole(metadata, "total")
    asked = AskedQuestion(
        id=request or block or message_id,
        text=content,
        **asdict(understood),
        groups=tuple(group.name for group in addressed),
        replies=tuple(pending(addressed)),
        status=_status(status, text(message, "createdAt"), now),
        asked_at=text(message, "createdAt"),
    )
    return Entry(
        asked,
        frozenset(one for one in (request, block, message_id) if one is not None),
        message_id=block,
        request_id=request,
        members=len(asked.replies) if total is None else total,
        is_addressed=total is not None or bool(items(metadata, "audienceIds")),
        is_silent=status is None,
    )


def _status(status: str | None, asked_at: str | None, now: datetime) -> QuestionStatus:
    """Before there is an answer. A question without a status is being worked on, but not for ever."""
    if status in {"queued", "running"}:
        return "processing"
    asked = _moment(asked_at)
    return "processing" if status is None and asked is not None and now - asked < ABANDONED else "failed"


def _moment(stamp: str | None) -> datetime | None:
    try:
        moment = datetime.fromisoformat(stamp or "")
    except ValueError:
        return None
    return moment if moment.tzinfo else None


def was_lost(entry: Entry, started: datetime, now: datetime) -> bool:
    """Whether who asked it cannot have heard the answer: since then, and not long ago, this process `started`."""
    asked, ended = _moment(entry.asked.asked_at), _moment(entry.ended_at)
    return asked is not None and ended is not None and asked < started < ended and now - ended < ABANDONED


def _settle(found: list[Entry], message: Mapping[str, Any], groups: Sequence[Group]) -> None:
    """Put an assistant's message to its question; one that answers nothing that was asked is passed over."""
    metadata, message_id = mapping(message.get("metadata")), text(message, "id")
    output, block = mapping(metadata.get("outputData")), text(metadata, "questionBlockId")
    if not output:
        return
    title = prose(output, "title", QUESTION)
    index = _index_of(found, block, title)
    if index is None:
        if title is None or message_id is None:
            return
        asked = AskedQuestion(message_id, title, UNDERSTOOD_AS_TEXT.type, asked_at=text(message, "createdAt"))
        found.append(Entry(asked, frozenset({message_id}), message_id, None, members=0))
        index = -1
    entry = found[index]
    # Where it is not known who was asked: the groups that the answers came from, where these are named.
    names = {text(mapping(each), "audience") for each in items(output, "audiences")}
    if not entry.is_addressed and (named := tuple(name for name in entry.asked.groups if name in names)):
        kept = tuple(reply for reply in entry.asked.replies if reply.group in named)
        entry = replace(entry, asked=replace(entry.asked, groups=named, replies=kept), members=len(kept))
    finished = answered(entry.asked, output, groups)
    replies = tuple(one for one in finished.replies if one.status != "pending")
    found[index] = replace(
        entry,
        asked=replace(finished, replies=replies, status="completed"),
        ids=entry.ids | {one for one in (message_id, block) if one is not None},
        message_id=message_id or entry.message_id,
        members=entry.members or len(finished.replies),
        ended_at=text(message, "createdAt"),
    )


def _index_of(found: Sequence[Entry], block: str | None, title: str | None) -> int | None:
    named = next((index for index, entry in enumerate(found) if block in entry.ids), None)
    if named is not None:
        return named
    # A question with a block of its own is answered under that block.
    waiting = [
        index
        for index, entry in enumerate(found)
        if entry.asked.status != "completed" and (block is None or entry.message_id is None)
    ]
    same = [index for index in waiting if title is not None and folded(found[index].asked.text) == folded(title)]
    return next(iter(same or waiting[-1:]), None)
