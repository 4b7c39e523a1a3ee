"""Asking: what goes over the wire, what comes back, and what becomes of each way to fail."""

import asyncio
import re
from typing import Any

import orjson
import pytest
from pydantic import ValidationError

from mcp_server import errors
from mcp_server.settings import McpSettings
from mcp_server.toolkit.shared_lists import MemoryLists
from mcp_server.toolset import configured_toolsets
from mcp_server.toolsets.assistant import service
from mcp_server.toolsets.assistant.models import NoAnswer
from mcp_server.toolsets.assistant.settings import KNOWN, AssistantSettings
from tests.edge import within
from tests.mcp_server.toolsets.assistant.assistant_server import (
    EXAMPLE,
    SENTENCE,
    THREAD,
    asking,
    endless,
    refused,
    serving,
    streamed,
)
from tests.support import ADA, BOB, Clock, signed_in

ISO = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
SITE = "https://gateway.test"
BOTH = {"question", "project"}


def masked(body: dict[str, Any]) -> dict[str, Any]:
    """`body` with what differs from run to run replaced by what the document has there, in its order."""
    ids = iter(("abc123xyz", "msg-def456abc", "ghi789xyz"))
    for message in body["messages"]:
        assert ISO.fullmatch(message["createdAt"])
        revision = dict.fromkeys(message.keys() & {"revisionId"}, "rev123")
        message.update(id=next(ids), createdAt="now", **revision)
    return body


def said(role: str, id_: str, text: str) -> dict[str, Any]:
    message = {"id": id_, "role": role, "content": text, "createdAt": "now", "parts": [{"type": "text", "text": text}]}
    if role == "assistant":
        return {**message, "parts": [{"type": "step-start"}, *message["parts"]], "revisionId": "rev123"}
    return message


@pytest.mark.requirement("seed:mintlify:endpoint", "seed:mintlify:headers", "seed:mintlify:body", "seed:mintlify:curl")
@pytest.mark.requirement("seed:mintlify:minimal-request", "seed:mintlify:no-thread-at-first")
@pytest.mark.requirement("seed:mintlify:no-authentication", "seed:mintlify:status-200")
async def test_the_first_request_is_the_documented_one() -> None:
    async with serving() as server, asking(server) as here:
        answer = await here.ask()

    [asked] = server.asked
    assert asked.line == "POST /api/assistant/agno-v2/message HTTP/1.1"
    messages = [said("user", "abc123xyz", "what is an agent?")]
    assert masked(asked.body) == {"id": "agno-v2", "fp": "agno-v2", "messages": messages}
    sent = [asked.headers.get(name) for name in ("content-type", "origin", "referer", "user-agent")]
    site = "https://docs.agno.com"
    assert sent == ["application/json", site, f"{site}/", "Mozilla/5.0 (compatible)"]
    assert not {"authorization", "cookie"} & set(asked.headers)
    assert (answer.project, answer.answer, answer.is_complete, answer.skipped) == ("agno-v2", SENTENCE, True, 0)


@pytest.mark.requirement("seed:mintlify:thread", "seed:mintlify:assistant-message")
@pytest.mark.requirement("seed:mintlify:conversation-example", "seed:mintlify:response-headers")
async def test_the_next_request_has_the_thread_and_the_conversation() -> None:
    async with serving() as server, asking(server) as here:
        await here.ask()
        await here.ask("how do I create one?")

    first, second = (asked.body for asked in server.asked)
    assert second["messages"][0] == first["messages"][0]
    assert len({each["id"] for each in second["messages"]}) == 3
    messages = [
        said("user", "abc123xyz", "what is an agent?"),
        said("assistant", "msg-def456abc", SENTENCE),
        said("user", "ghi789xyz", "how do I create one?"),
    ]
    assert masked(second) == {"id": "agno-v2", "fp": "agno-v2", "threadId": THREAD, "messages": messages}


@pytest.mark.requirement("seed:mintlify:streaming", "seed:mintlify:limitation-streaming")
async def test_the_answer_comes_in_pieces_cut_anywhere_and_its_progress_is_told() -> None:
    data = EXAMPLE[:300] + EXAMPLE[-300:] + '0:" Größe 😀日本"\n'.encode() * 90
    pieces = [data[place : place + 1] for place in range(len(data))][:2_000], [data[2_000:]]
    async with serving(streamed(*pieces[0], *pieces[1])) as server, asking(server) as here:
        answer = await here.ask()

    assert answer.answer == SENTENCE + " Größe 😀日本" * 90
    assert here.told == sorted(set(here.told))
    assert len(here.told) > 1


@pytest.mark.parametrize("then", [b"", b'0:"more"\n', b"a:" + b"x" * 10_000, b"y" * 10_000])
async def test_an_answer_that_never_ends_is_cut_and_not_remembered(then: bytes) -> None:
    script = endless(b'0:"It begins."\n', then=then)
    async with serving(script, streamed(EXAMPLE)) as server, asking(server, assistant_seconds=0.5) as here:
        answer = await within(here.ask())
        await here.ask()

    assert answer.answer.startswith("It begins.")
    assert len(answer.answer) <= service.MOST_CHARACTERS
    assert (answer.is_complete, answer.is_remembered) == (False, False)
    assert "threadId" not in server.asked[1].body
    assert len(server.asked[1].body["messages"]) == 1


async def test_a_stream_is_bounded_in_bytes() -> None:
    parts = [b"a:" + b"x" * 1_000_000 + b"\n"] * 21
    async with serving(streamed(b'0:"a"\n', *parts)) as server, asking(server) as here:
        assert (await here.ask()).is_complete is False


@pytest.mark.parametrize(
    ("script", "fault"),
    [
        (streamed(b"f:{}\nd:{}\n"), NoAnswer),
        (streamed(b'0:" "\n'), NoAnswer),
        (streamed(), NoAnswer),
        (endless(b"f:{}\n"), errors.Timeout),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n" + b'0:"half"\n', errors.ServiceUnavailable),
        (b"nonsense\r\n\r\n", errors.ServiceUnavailable),
        (refused("302 Found", "Location: https://elsewhere.test/"), errors.ServiceUnavailable),
        (refused("403 Forbidden"), errors.Refused),
    ],
    ids=["no text", "blank", "nothing", "silence", "broken off", "not HTTP", "redirect", "restricted"],
)
async def test_what_is_no_answer_fails_by_its_kind_and_leaves_no_half_message(
    script: Any, fault: type[Exception]
) -> None:
    async with serving(script) as server, asking(server, assistant_seconds=0.5) as here:
        with pytest.raises(fault) as raised:
            await within(here.ask())
        server.answers = [streamed(EXAMPLE)]
        await here.ask()

    assert "secret-x" not in str(raised.value)
    assert [each["role"] for each in server.asked[-1].body["messages"]] == ["user"]


@pytest.mark.requirement("seed:mintlify:status-400", "seed:mintlify:status-404", "seed:mintlify:restricted")
async def test_a_bad_request_and_an_unknown_project_are_for_the_model_to_mend() -> None:
    answers = refused("400 Bad Request"), refused("404 Not Found"), refused("401 Unauthorized")
    async with serving(*answers) as server, asking(server, assistant_project="") as here:
        for fault in (errors.Refused, errors.NotFound, errors.Refused):
            with pytest.raises(fault) as raised:
                await here.ask(project="agno-v2")
            if isinstance(raised.value, errors.NotFound):
                assert set(raised.value.details["suggestions"]) == {one.id for one in KNOWN} - {"agno-v2"}

    assert len(server.asked) == 3


@pytest.mark.requirement("seed:mintlify:status-429", "seed:mintlify:rate-limits")
@pytest.mark.parametrize(("headers", "seconds"), [(["Retry-After: 17"], 17), ([], 30)])
async def test_too_many_questions_are_told_with_the_time_to_wait(headers: list[str], seconds: int) -> None:
    async with serving(refused("429 Too Many Requests", *headers)) as server, asking(server) as here:
        with pytest.raises(errors.RateLimitExceeded) as raised:
            await here.ask()

    assert raised.value.data["retryAfter"] == seconds
    assert len(server.asked) == 1


@pytest.mark.requirement("seed:mintlify:status-500")
@pytest.mark.parametrize("failure", [refused("500 Internal Server Error"), refused("503 Service Unavailable"), b""])
async def test_a_failure_before_the_answer_is_tried_once_more(failure: bytes) -> None:
    async with serving(failure, streamed(EXAMPLE)) as server, asking(server) as here:
        assert (await here.ask()).answer == SENTENCE
        assert server.asked[0].body == server.asked[1].body

        server.answers = [failure]
        with pytest.raises(errors.ServiceUnavailable):
            await here.ask()

    assert len(server.asked) == 4


async def test_an_assistant_that_keeps_failing_is_left_alone() -> None:
    script = refused("500 Internal Server Error")
    bounds: dict[str, Any] = {"upstream_retries": 0, "breaker_failures": 2}
    async with serving(script) as server, asking(server, **bounds) as here:
        for expected in (errors.ServiceUnavailable, errors.ServiceUnavailable, errors.CircuitBreakerOpen):
            with pytest.raises(expected):
                await here.ask()

    assert len(server.asked) == 2


@pytest.mark.parametrize(
    ("script", "seconds", "state"),
    [(endless(b"f:{}\n"), 0.3, "open"), (endless(b"", then=b'0:"a"\n' * 1_000), 60, "closed")],
)
async def test_silence_counts_against_the_assistant_and_a_long_answer_does_not(
    script: Any, seconds: float, state: str
) -> None:
    bounds: dict[str, Any] = {"assistant_seconds": seconds, "breaker_failures": 1}
    async with serving(script) as server, asking(server, **bounds) as here:
        await asyncio.gather(here.ask(), return_exceptions=True)
        [breaker] = [one for name, one in here.runtime.breakers.items() if name.endswith(":ask")]

    assert breaker.state == state


@pytest.mark.requirement("seed:mintlify:clear-history")
async def test_callers_and_projects_have_conversations_of_their_own_until_they_clear_them() -> None:
    async with serving() as server, asking(server, site_url=SITE, assistant_project="") as here:
        for caller, project in ((ADA, "agno-v2"), (BOB, "agno-v2"), (ADA, "resend"), (ADA, "Agno"), (BOB, "agno v2")):
            assert (await here.ask("again?", project, caller)).is_remembered
        lengths = [len(asked.body["messages"]) for asked in server.asked]
        assert lengths == [1, 1, 1, 3, 3]

        with signed_in(ADA):
            await here.assistant.clear("agno-v2")
        for caller, project, messages in ((ADA, "agno-v2", 1), (ADA, "resend", 3), (BOB, "agno-v2", 5)):
            await here.ask("and now?", project, caller)
            assert len(server.asked[-1].body["messages"]) == messages
    assert "threadId" not in server.asked[-3].body


async def test_strangers_share_no_conversation_and_are_told_so() -> None:
    async with serving() as server, asking(server, site_url=SITE) as here:
        answers = [await here.ask(), await here.ask()]

    assert [answer.is_remembered for answer in answers] == [False, False]
    assert [("threadId" in asked.body, len(asked.body["messages"])) for asked in server.asked] == [(False, 1)] * 2


@pytest.mark.requirement("seed:mintlify:limitation-context")
async def test_only_the_last_turns_go_along_and_none_of_them_half() -> None:
    bounds: dict[str, Any] = {"assistant_history_messages": 5, "assistant_history_characters": 1_000}
    async with serving() as server, asking(server, **bounds) as here:
        for question in ("1", "2", "3", "4", "5" * 990, "6"):
            await here.ask(question)

    sent = [[each["content"] for each in asked.body["messages"] if each["role"] == "user"] for asked in server.asked]
    assert sent == [["1"], ["1", "2"], ["1", "2", "3"], ["2", "3", "4"], ["3", "4", "5" * 990], ["6"]]
    assert server.asked[-1].body["threadId"] == THREAD


async def test_a_conversation_expires_and_asking_renews_it() -> None:
    clock = Clock()
    async with serving() as server, asking(server, lists=MemoryLists(10, clock=clock)) as here:
        for seconds in (0, 9, 9, 11):
            clock.now += seconds
            await here.ask()

    assert [len(asked.body["messages"]) for asked in server.asked] == [1, 3, 5, 1]


async def test_questions_at_once_lose_no_turn() -> None:
    async with serving() as server, asking(server) as here:
        await asyncio.gather(*(here.ask(f"q{number}") for number in range(5)))
        await here.ask("last")

    roles = [each["role"] for each in server.asked[-1].body["messages"]]
    assert roles == ["user", "assistant"] * 5 + ["user"]


@pytest.mark.requirement("seed:mintlify:known-projects", "seed:mintlify:limitation-discovery")
def test_the_six_documented_projects_are_known() -> None:
    sites = [("agno-v2", "https://docs.agno.com")]
    sites += [(id_, f"https://{id_}.com/docs") for id_ in ("resend", "upstash", "mintlify", "vercel", "plain")]

    assert [(one.id, one.url) for one in KNOWN] == sites
    assert [one.title for one in KNOWN] == ["Agno", "Resend", "Upstash", "Mintlify", "Vercel", "Plain"]


@pytest.mark.requirement(
    "seed:mintlify:tool-ask", "seed:mintlify:tool-clear", "seed:mintlify:cli-project", "seed:mintlify:cli-name"
)
@pytest.mark.parametrize(
    ("given", "named", "takes"),
    [
        ({"assistant_project": "agno-v2"}, "Agno documentation", {"question"}),
        ({"assistant_project": "agno-v2", "assistant_name": "Agno Docs"}, "Agno Docs documentation", {"question"}),
        ({"assistant_project": "other"}, "other documentation", {"question"}),
        (
            {"assistant_projects": "a=Ay,b=Bee=https://b.test/docs/"},
            "Ay (a), Bee (b) documentation",
            {"question", "project"},
        ),
    ],
)
def test_the_tools_name_what_can_be_asked_and_take_a_project_where_there_is_a_choice(
    given: dict[str, str], named: str, takes: set[str]
) -> None:
    [toolset], _ = configured_toolsets(McpSettings(_env_file=None, toolsets="assistant"), None, **given)
    ask, clear = (tool.definition for tool in toolset.tools)

    assert (ask.name, clear.name) == ("ask", "clear_history")
    assert (ask.description or "").startswith(f"Ask a question about {named}.")
    assert (clear.description or "").startswith("Clear conversation history to start fresh.")
    assert set(ask.input_schema["properties"]) == takes == set(ask.input_schema["required"])
    assert set(clear.input_schema["properties"]) == takes - {"question"}


async def test_a_project_is_found_by_id_or_title_and_a_near_miss_is_suggested() -> None:
    async with serving() as server, asking(server, assistant_project="") as here:
        with pytest.raises(errors.InvalidArguments):
            await here.ask()
        with pytest.raises(errors.NotFound) as missing:
            await here.ask(project="agno-v3")
        answers = [await here.ask(project=name) for name in ("AGNO", "agno-v2")]

    assert missing.value.details["suggestions"] == ["agno-v2"]
    assert [answer.project for answer in answers] == ["agno-v2", "agno-v2"]


@pytest.mark.parametrize("wrong", ["projects=a/b=A", "projects=,", "projects=a=A=ftp://x", "project=../x", "name=One"])
def test_projects_that_cannot_be_are_refused(wrong: str) -> None:
    name, _, value = wrong.partition("=")
    given: dict[str, Any] = {f"assistant_{name}": value}
    with pytest.raises(ValidationError):
        AssistantSettings(_env_file=None, **given)


@pytest.mark.parametrize("url", ["http://mintlify.com", "https://me@mintlify.com", "ftp://127.0.0.1", "https:"])
def test_questions_go_nowhere_unencrypted(url: str) -> None:
    with pytest.raises(ValidationError):
        AssistantSettings(_env_file=None, assistant_base_url=url)


async def test_links_are_whole_and_the_text_says_whose_words_it_has() -> None:
    texts = "See [Agents](/a", "gents) or (Teams)[/teams].\n\n> x"
    lines = b"".join(b"0:" + orjson.dumps(text) + b"\n" for text in texts)
    async with serving(streamed(lines + b"?\n")) as server, asking(server) as here:
        answer = await here.ask()

    assert answer.answer == "See [Agents](https://docs.agno.com/agents) or [Teams](https://docs.agno.com/teams).\n\n> x"
    assert answer.untrusted == ("$.answer",)
    first, quotation, note = answer.as_text().split("\n\n")
    assert "Agno" in first
    assert all(line.startswith("> ") for line in quotation.splitlines())
    assert "1" in note
