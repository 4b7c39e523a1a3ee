"""Asks the assistant of a documentation site, remembers the conversation, and gives back its words alone."""

import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from secrets import token_hex
from typing import Any
from urllib.parse import urlsplit

import orjson

import mcp_server.upstream.failure_mapping as upstream
from mcp_server.caller import current_caller
from mcp_server.errors import InvalidArguments, NotFound, RateLimitExceeded, Refused, ServiceUnavailable
from mcp_server.minds_api.refusals import DEFAULT_RETRY_AFTER
from mcp_server.minds_api.replies import retry_after
from mcp_server.toolkit.files import timestamp
from mcp_server.toolkit.folding import fold
from mcp_server.toolkit.names import search
from mcp_server.toolkit.shared_lists import SharedLists
from mcp_server.toolsets.assistant.models import AnswerStream, AssistantAnswer, HistoryCleared, NoAnswer, whole_links
from mcp_server.toolsets.assistant.settings import AssistantSettings, Project
from mcp_server.upstream.client import Client, Response, address
from mcp_server.upstream.event_stream import read_parts

NAME, OPERATION = "The documentation assistant", "ask"
MOST_CHARACTERS = 200_000  # of one answer; the usual one has a few thousand
MOST_BYTES = 20 * 1024 * 1024  # of one stream, most of which are the pages that the assistant has read
STEP = 200  # characters after which the progress is told again

Report = Callable[[float, float | None, str | None], Awaitable[None]]


class Assistant:
    """Over `client`, which has a breaker, a bulkhead, retries and a deadline of its own.

    Conversations are kept in `lists`, apart for each caller and project. Those who are not signed in are nobody in
    particular and have none, but for the one person (`is_personal`) that a process on stdio serves.
    """

    def __init__(self, client: Client, settings: AssistantSettings, lists: SharedLists, *, is_personal: bool) -> None:
        self._client, self._settings, self._lists, self._is_personal = client, settings, lists, is_personal

    async def ask(self, question: str, project: str | None, report: Report) -> AssistantAnswer:
        """The whole answer, or as much of it as came in time and is not too long.

        Raises `ToolFailure`: nobody knows the project, the question was refused, or nothing was answered;
        `GatewayError`: the assistant is asked too often, or cannot be reached.
        """
        chosen, settings, stream = self._chosen(project), self._settings, AnswerStream()
        key, asked, is_remembered = self._key(chosen), message("user", question), False
        kept = await self._lists.read(key) if key else ()
        bounds = settings.assistant_history_messages, settings.assistant_history_characters
        body = body_of(chosen.id, kept, asked, bounds)
        thread, is_complete = await self._read(chosen, body, stream, report)
        if not (text := stream.text.strip()):
            raise NoAnswer("the assistant answered with nothing; ask again, in other words")
        if key and is_complete:
            said = {**message("assistant", text, {"type": "step-start"}), "revisionId": token_hex(8)}
            turn = orjson.dumps({"thread": thread or body.get("threadId"), "messages": [asked, said]})
            is_remembered = await self._lists.add(key, turn, bounds[0] // 2, settings.assistant_history_seconds)
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
        if wanted is None and len(projects) > 1:
            raise InvalidArguments(f"project is required; there is {', '.join(one.id for one in projects)}")
        for one in projects:
            if wanted is None or fold(wanted) in {fold(one.id), fold(one.title)}:
                return one
        raise self._unknown(wanted or "")

    def _unknown(self, wanted: str) -> NotFound:
        ids = [one.id for one in self._settings.projects if one.id != wanted]
        return NotFound("project", wanted, closest=([ids[index] for index in search(ids, wanted)] or ids)[:6])

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
        policy = {"operation": OPERATION, "stream": "any", "retry_on": {upstream.SERVER_ERRORS, *upstream.PASSING}}
        content, head = orjson.dumps(body), headers_of(project)
        async with self._client.stream("POST", url, content=content, headers=head, extensions=policy) as response:
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
            except (*upstream.FAULTS, upstream.DeadlinePassed) as fault:
                is_endless = isinstance(fault, TimeoutError | upstream.DeadlinePassed | upstream.UnreadableAnswer)
                if is_endless and stream.length:
                    return thread, False
                raise upstream.failure_of(fault, NAME)[0] from None
        stream.close()
        return thread, True

    def _refusal(self, project: Project, response: Response) -> Exception:
        status, wait = response.status_code, retry_after(response.headers, None)
        if status == upstream.NOT_FOUND:
            return self._unknown(project.id)
        if status == upstream.TOO_MANY:
            return RateLimitExceeded(DEFAULT_RETRY_AFTER if wait is None else wait)
        if status >= upstream.SERVER_ERRORS or response.is_redirect:
            return ServiceUnavailable(f"{NAME} fails; try again", retry_after=wait)
        return Refused("the assistant refused the question; shorten it, or call clear_history and ask again")


def headers_of(project: Project) -> dict[str, str]:
    """Those of the documentation's own page, without which some sites refuse."""
    parts = urlsplit(project.url)
    origin = f"{parts.scheme}://{parts.netloc}"
    about = {"Origin": origin, "Referer": f"{origin}/"} if project.url else {}
    return {"Content-Type": "application/json", "User-Agent": "Mozilla/5.0 (compatible)", **about}


def body_of(project: str, kept: Sequence[bytes], question: dict[str, Any], most: tuple[int, int]) -> dict[str, Any]:
    """The body. Of the `kept` turns the last go along that are at `most` so many messages with so many characters."""
    turns, earlier = [orjson.loads(one) for one in kept], list[dict[str, Any]]()
    for one in reversed(turns):
        longer = [*one["messages"], *earlier]
        if len(longer) > most[0] or sum(len(each["content"]) for each in longer) > most[1]:
            break
        earlier = longer
    thread = {"threadId": turns[-1]["thread"]} if turns and turns[-1]["thread"] else {}
    return {"id": project, "fp": project, **thread, "messages": [*earlier, question]}


def message(role: str, text: str, *parts: dict[str, str]) -> dict[str, Any]:
    stamp = timestamp(time.time())
    whole = [*parts, {"type": "text", "text": text}]
    return {"id": f"msg-{token_hex(8)}", "role": role, "content": text, "createdAt": stamp, "parts": whole}
