"""One question that is being answered: what has arrived so far, and what it comes to in the end."""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from mcp_server.errors import GatewayError, ServiceUnavailable, ToolFailure
from mcp_server.minds_api.refusals import refusal
from mcp_server.toolkit.json_coercion import mapping, whole, word
from mcp_server.toolkit.quotations import neutralized
from mcp_server.toolsets.panels._minds import wire
from mcp_server.toolsets.panels._minds.transcript import pending
from mcp_server.toolsets.panels._study import AskedQuestion, Group, Reply

BROKEN_OFF = "The answers broke off; those that are missing here may have been given all the same."

NO_ANSWER = "no_answer"
"""The error code of a persona who was asked and of whom nothing was heard."""

Failure = GatewayError | ToolFailure


class AskJob:
    """The state of one ask.

    Attributes:
        request_id: its `clientRequestId`, and the `questionId` that callers see.
        earlier: ids of the panel's questions before this was planned; its own is among them when it only goes on.
        can_stream: whether events are to come, under a request id that is known; else it can only be looked for.
        abandoned: it got through and will not be answered, so that it may be asked anew.
        latest: the reply that arrived last.

    """

    def __init__(
        self,
        panel_id: str,
        body: Mapping[str, Any],
        groups: Sequence[Group],
        earlier: frozenset[str] = frozenset(),
        *,
        can_stream: bool = True,
        understood: wire.Classification = wire.UNDERSTOOD_AS_TEXT,
    ) -> None:
        self.panel_id, self.body, self.groups = panel_id, body, tuple(groups)
        self.earlier, self.can_stream = earlier, can_stream
        self.request_id, self.text = str(body["clientRequestId"]), str(body["question"])
        self.failure: Failure | None = None
        self.abandoned = False
        self.latest: Reply | None = None
        self._understood = understood
        self._replies = {_key(reply): reply for reply in pending(self.groups)}
        self._final: AskedQuestion | None = None
        self._total: int | None = None
        self._changed = asyncio.Event()

    @property
    def over(self) -> bool:
        return self._final is not None or self.failure is not None

    @property
    def done(self) -> int:
        replies = self._replies.values() if self._final is None else self._final.replies
        return sum(reply.status != "pending" for reply in replies)

    @property
    def total(self) -> int:
        return len(self._replies) if self._total is None else max(self._total, self.done)

    @property
    def news(self) -> str | None:
        if self.latest is None:
            return None
        did = "gave no answer" if self.latest.status in {"failed", "timeout"} else "answered"
        return neutralized(f"{self.latest.persona} {did} ({self.done} of {self.total})")

    def question(self) -> AskedQuestion:
        """The question with what has arrived so far."""
        if self._final is not None:
            return self._final
        replies = tuple(self._replies.values())
        return AskedQuestion(
            id=self.request_id,
            text=self.text,
            **asdict(self._understood),
            groups=tuple(group.name for group in self.groups),
            replies=replies if self.failure is None else _ended(replies),
            status="processing" if self.failure is None else "failed",
            notes=() if self.failure is None else (BROKEN_OFF,),
        )

    def record(self, event: Mapping[str, Any]) -> None:
        """One event of the stream (minds-api.md section 4.9)."""
        match word(event, "type"):
            case "start":
                self._total = whole(event, "total")
            case "classification":
                self._understood = wire.classification(event.get("classification")) or self._understood
            case "answer":
                if (reply := wire.answer_event(event)) is not None:
                    self._put(reply)
            case "result":
                self._result(wire.answered(self.question(), mapping(event.get("outputData")), self.groups))
            case "error":
                status = whole(event, "status") or 500
                failure = refusal(status, None) if status >= 400 else ServiceUnavailable()  # noqa: PLR2004  HTTP's refusals begin there
                self.fail(failure, abandoned=True)
        self._changed.set()

    def merge(self, question: AskedQuestion, total: int) -> None:
        """What the panel itself shows of the question so far: how it is understood and who has answered."""
        if self._understood == wire.UNDERSTOOD_AS_TEXT:  # what the stream said before is not less exact
            self._understood = wire.Classification(question.type, question.scale, question.options, question.most)
        self._total = total
        for reply in question.replies:
            if reply.status != "pending":
                self._put(reply)
        self._changed.set()

    def finish(self, question: AskedQuestion) -> None:
        """The result is there: what is still pending in it will not come. What arrived before stays."""
        there = [reply for reply in question.replies if reply.status != "pending"]
        arrived = [reply for reply in self._replies.values() if reply.status != "pending"]
        replies = (*there, *wire.besides(there, arrived))
        notes = question.notes
        # An ask is not documented to take a classification: the internal API may have gone by the words alone.
        wanted = wire.classification(self.body.get("classification"))
        if wanted and (wanted.type != question.type or wanted.scale not in {None, question.scale}):
            said = f"The internal API did not take the question as {wanted.type}; say so in the question's words."
            notes = (*notes, said)
        self._final = replace(question, id=self.request_id, replies=replies, notes=notes, status="completed")
        self._changed.set()

    def fail(self, failure: Failure, *, abandoned: bool = False) -> None:
        self.failure, self.abandoned = failure, abandoned
        self._changed.set()

    async def changes(self, seconds: float) -> AsyncIterator[None]:
        """Yields when something has changed, until the job is over or `seconds` have passed."""
        ends = time.monotonic() + seconds
        while not self.over and (left := ends - time.monotonic()) > 0:
            self._changed.clear()
            try:
                async with asyncio.timeout(left):
                    await self._changed.wait()
            except TimeoutError:
                return
            yield

    def _result(self, question: AskedQuestion) -> None:
        """Who was asked and is not in the result has failed; who was not asked, such as the untrained, is left out."""
        waiting = [reply for reply in question.replies if reply.status == "pending"]
        missing = self.total - (len(question.replies) - len(waiting))
        if len(waiting) == missing:
            question = replace(question, replies=_ended(question.replies))
        elif missing > 0:
            note = f"{missing} of the {self.total} personas who were asked gave no answer."
            question = replace(question, notes=(*question.notes, note))
        self.finish(question)

    def _put(self, reply: Reply) -> None:
        key = _key(reply)
        if key not in self._replies:  # known by name only, or asked as a member of a group that has changed since
            key = next((known for known, one in self._replies.items() if _is_from(one, reply)), key)
        if self._replies.get(key) != reply:
            self._replies[key] = reply
            self.latest = reply


def _ended(replies: Sequence[Reply]) -> tuple[Reply, ...]:
    """Nobody is waited for any more."""
    return tuple(replace(one, status="failed", error=NO_ANSWER) if one.status == "pending" else one for one in replies)


def _key(reply: Reply) -> tuple[str, str]:
    return reply.group_id or reply.group, reply.persona_id or reply.persona


def _is_from(expected: Reply, reply: Reply) -> bool:
    by_id = reply.persona_id is not None and expected.persona_id == reply.persona_id
    same = by_id or expected.persona == reply.persona
    return same and expected.group == reply.group and expected.status == "pending"
