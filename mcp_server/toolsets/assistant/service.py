"""Asks the assistant of a documentation site, remembers the conversation, and gives back its words alone."""

import time
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from datetime import UTC, datetime
from secrets import token_hex
from typing import Any
from urllib.parse import urlsplit

import orjson

from mcp_server.caller import current_caller
from mcp_server.errors import InvalidArguments, NotFound, RateLimitExceeded, Refused, ServiceUnavailable
from mcp_server.minds_api.refusals import DEFAULT_RETRY_AFTER
from mcp_server.minds_api.replies import retry_after
from mcp_server.toolkit.names import fold, search
from mcp_server.toolkit.shared_lists import SharedLists
from mcp_server.toolsets.assistant._conversation import asked, request, turn
from mcp_server.toolsets.assistant._links import whole_links
from mcp_server.toolsets.assistant._stream import AnswerStream
from mcp_server.toolsets.assistant.models import AssistantAnswer, HistoryCleared, NoAnswer
from mcp_server.toolsets.assistant.settings import AssistantSettings, Project
from mcp_server.upstream.client import Client, Response, address
from mcp_server.upstream.event_stream import read_parts
from mcp_server.upstream.failure_mapping import (
    FAULTS,
    NOT_FOUND,
    PASSING,
    SERVER_ERRORS,
    TOO_MANY,
    DeadlinePassed,
    UnreadableAnswer,
    failure_of,
)

NAME, OPERATION = "The documentation assistant", "ask"

MOST_CHARACTERS = 200_000
"""Of one answer; the usual one has a few thousand."""

MOST_BYTES = 20 * 1024 * 1024
"""Of one stream, most of which are the pages that the assistant has read."""

STEP = 200
"""Characters after which the progress is told again."""

SUGGESTED = 6

Report = Callable[[float, float | None, str | None], Awaitable[None]]


class Assistant:
    """Over `client`, which has a breaker, a bulkhead, retries and a deadline of its own.

    Conversations are kept in `lists`, apart for each caller and project. Those who are not signed in are nobody in
    particular and have none, but for the one person (`is_personal`) that a process on stdio serves. `now` is the wall
    clock, and `new_id` makes the ids of messages.
    """

    def __init__(
        self,
        client: Client,
        settings: AssistantSettings,
        lists: SharedLists,
        *,
        is_personal: bool,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        new_id: Callable[[], str] = lambda: token_hex(8),
    ) -> None:
        self._client, self._settings, self._lists, self._is_personal = client, settings, lists, is_personal
        self._now, self._new_id = now, new_id

    async def ask(self, question: str, project: str | None, report: Report) -> AssistantAnswer:
        """The whole answer, or as much of it as came in time and is not too long.

        Raises `ToolFailure`: nobody knows the project, the question was refused, or nothing was answered;
        `GatewayError`: the assistant is asked too often, or cannot be reached.
        """
        chosen, settings, stream = self._chosen(project), self._settings, AnswerStream()
        key = self._key(chosen)
        kept = await self._lists.read(key) if key else ()
        message = asked(question, self._now(), self._new_id)
        bounds = settings.assistant_history_messages, settings.assistant_history_characters
        body = request(chosen.id, kept, message, *bounds)
        thread, is_complete = await self._read(chosen, body, stream, report)
        if not (text := stream.text.strip()):
            raise NoAnswer("the assistant answered with nothing; ask again, in other words")
        is_remembered = False
        if key and is_complete:
            said = turn(message, text, thread or body.get("threadId"), self._now(), self._new_id)
            is_remembered = await self._lists.add(key, said, bounds[0] // 2, settings.assistant_history_seconds)
        return AssistantAnswer(
            project=chosen.id,
            title=chosen.title,
            answer=whole_links(text[:MOST_CHARACTERS], chosen.url),
            is_complete=is_complete,
            is_remembered=is_remembered,
            skipped=stream.skipped,
        )

    async def clear(self, project: str | None) -> HistoryCleared:
        """Forget the caller's conversation about one project, or about all of them.

        Raises `NotFound`: nobody knows the project; `ServiceUnavailable`: it cannot be done now.
        """
        chosen = self._settings.projects if project is None else (self._chosen(project),)
        for one in chosen:
            if key := self._key(one):
                await self._lists.clear(key)
        return HistoryCleared(projects=[one.id for one in chosen])

    def _chosen(self, wanted: str | None) -> Project:
        projects = self._settings.projects
        if wanted is None:
            if len(projects) > 1:
                known = ", ".join(f"{one.id} ({one.title})" for one in projects)
                raise InvalidArguments(f"project is required; there is {known}")
            return projects[0]
        for one in projects:
            if fold(wanted) in {fold(one.id), fold(one.title)}:
                return one
        raise self._unknown(wanted)

    def _unknown(self, wanted: str) -> NotFound:
        ids = [one.id for one in self._settings.projects if one.id != wanted]
        near = [ids[index] for index in search(ids, wanted)]
        return NotFound("project", wanted, closest=(near or ids)[:SUGGESTED])

    def _key(self, project: Project) -> str:
        """Of the caller's conversation; empty where nothing may be remembered."""
        owner = current_caller.get().owner or ("stdio" if self._is_personal else None)
        return f"assistant:{project.id}:{owner}" if owner else ""

    async def _read(
        self, project: Project, body: dict[str, Any], stream: AnswerStream, report: Report
    ) -> tuple[str | None, bool]:
        """Feed `stream`; the thread of the conversation, and whether the answer was read to its end."""
        settings, told = self._settings, 0
        ends = time.monotonic() + settings.assistant_seconds
        url = address(settings.assistant_base_url, ("api", "assistant", project.id, "message"))
        policy = {"operation": OPERATION, "stream": "any", "retry_on": {*PASSING, SERVER_ERRORS}}
        content, headers = orjson.dumps(body), _headers(project)
        async with self._client.stream("POST", url, content=content, headers=headers, extensions=policy) as response:
            if not response.is_success:
                raise self._refusal(project, response)
            thread = response.headers.get("x-thread-id")
            try:
                async with aclosing(read_parts(response, ends - time.monotonic(), MOST_BYTES)) as parts:
                    async for part in parts:
                        stream.feed(part)
                        if stream.length > MOST_CHARACTERS:
                            return thread, False
                        if stream.length and (not told or stream.length >= told + STEP):
                            told = stream.length
                            await report(told, None, f"{told} characters so far")
            except (*FAULTS, DeadlinePassed) as fault:
                is_endless = isinstance(fault, TimeoutError | DeadlinePassed | UnreadableAnswer)
                if not (is_endless and stream.length):
                    raise failure_of(fault, NAME)[0] from None
                return thread, False
        stream.close()
        return thread, True

    def _refusal(self, project: Project, response: Response) -> Exception:
        status = response.status_code
        if status == NOT_FOUND:
            return self._unknown(project.id)
        if status == TOO_MANY:
            wait = retry_after(response.headers, None)
            return RateLimitExceeded(DEFAULT_RETRY_AFTER if wait is None else wait)
        if status >= SERVER_ERRORS or response.is_redirect:
            return ServiceUnavailable(f"{NAME} fails; try again", retry_after=retry_after(response.headers, None))
        return Refused(
            "the assistant did not take the question; shorten it, or call clear_history and ask again",
            reason=f"status_{status}",
        )


def _headers(project: Project) -> dict[str, str]:
    """Those of the documentation's own page, without which some sites refuse."""
    parts = urlsplit(project.url)
    origin = f"{parts.scheme}://{parts.netloc}"
    about = {"Origin": origin, "Referer": f"{origin}/"} if project.url else {}
    return {"Content-Type": "application/json", "User-Agent": "Mozilla/5.0 (compatible)", **about}
