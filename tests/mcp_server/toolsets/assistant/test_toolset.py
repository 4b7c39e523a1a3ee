"""The tools as clients meet them: over HTTP in both eras and on stdio, with the conversations of two people apart."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from app.composition import Parts
from app.redis_shared import open_lists
from mcp_server.errors import ServiceUnavailable
from mcp_server.toolkit.shared_lists import MemoryLists
from tests.edge import ERAS, LEGACY, MODERN, Edge, make_keys, messages, running, settings_for, within
from tests.mcp_server.stdio_process import started
from tests.mcp_server.toolsets.assistant.assistant_server import SENTENCE, AssistantServer, asking, refused, serving
from tests.processes import free_port
from tests.redis import redis_server

QUESTION = {"question": "what is an agent?", "project": "agno-v2"}


@asynccontextmanager
async def gateway(folder: Path, server: AssistantServer) -> AsyncIterator[Edge]:
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("ASSISTANT_BASE_URL", server.url)
        async with running(settings_for(folder, toolsets="assistant"), Parts()) as edge:
            yield edge


@pytest.mark.requirement("seed:mintlify:bridge")
@pytest.mark.parametrize("era", ERAS)
async def test_over_http_everyone_may_ask_and_hears_how_far_the_answer_is(tmp_path: Path, era: str) -> None:
    async with serving() as server, gateway(tmp_path, server) as edge:
        [listed] = messages(await edge.rpc("tools/list", {}, era=era))
        *progress, answered = messages(await within(edge.call("ask", QUESTION, era=era, token="t")))

    assert [tool["name"] for tool in listed["result"]["tools"]] == ["ask", "clear_history"]
    assert "Agno (agno-v2)" in listed["result"]["tools"][0]["description"]
    assert progress[0]["method"] == "notifications/progress"
    result = answered["result"]
    about = {"project": "agno-v2", "title": "Agno", "skipped": 0, "untrusted": ["$.answer"]}
    assert result["structuredContent"] == {**about, "answer": SENTENCE, "isComplete": True, "isRemembered": False}
    assert f"> {SENTENCE}" in result["content"][0]["text"]
    assert len(result["content"][0]["text"]) < 1_000


async def test_two_people_have_two_conversations_and_one_clears_hers_alone(tmp_path: Path) -> None:
    async with serving() as server, gateway(tmp_path, server) as edge:
        other, _ = await make_keys(settings_for(tmp_path))
        for key in (edge.key, other, edge.key):
            answered = (await edge.call("ask", QUESTION, key=key)).json()["result"]
            assert answered["structuredContent"]["isRemembered"] is True
        cleared = (await edge.call("clear_history", {"project": "agno-v2"}, key=edge.key)).json()["result"]
        for key in (edge.key, other):
            await edge.call("ask", QUESTION, key=key)

    assert cleared["structuredContent"] == {"projects": ["agno-v2"]}
    assert [len(asked.body["messages"]) for asked in server.asked] == [1, 1, 3, 1, 3]


@pytest.mark.parametrize("era", ERAS)
async def test_refusals_reach_the_client_by_their_kind(tmp_path: Path, era: str) -> None:
    answers = refused("404 Not Found"), refused("429 Too Many Requests", "Retry-After: 17")
    async with serving(*answers) as server, gateway(tmp_path, server) as edge:
        missing = (await edge.call("ask", QUESTION, era=era)).json()["result"]
        busy = await edge.call("ask", QUESTION, era=era)

    assert missing["structuredContent"]["error"]["code"] == "not_found"
    assert busy.json()["error"]["code"] == (429 if era == MODERN else -32002)
    assert (busy.status_code, busy.headers["retry-after"], busy.json()["error"]["data"]["retryAfter"]) == (
        429,
        "17",
        17,
    )


@pytest.mark.slow
@pytest.mark.parametrize("era", ERAS)
async def test_on_stdio_the_one_person_has_a_conversation_without_any_key(tmp_path: Path, era: str) -> None:
    async with serving() as server:
        settings = {"TOOLSETS": "assistant", "ASSISTANT_BASE_URL": server.url, "ASSISTANT_PROJECT": "agno-v2"}
        async with started(tmp_path, **settings) as process:
            if era == LEGACY:
                await process.handshake()
            [ask, _] = (await process.ask("tools/list", {}, era))["result"]["tools"]
            for question in ("what is an agent?", "how do I create one?"):
                params = {"name": "ask", "arguments": {"question": question}}
                answered = await process.ask("tools/call", params, era)
                assert answered["result"]["structuredContent"]["isRemembered"] is True

    assert ask["inputSchema"]["required"] == ["question"]
    assert [len(asked.body["messages"]) for asked in server.asked] == [1, 3]


async def test_processes_share_conversations_in_redis(tmp_path: Path) -> None:
    with redis_server() as redis:
        lists = open_lists(settings_for(tmp_path, redis_url=redis.url))
        assert lists is not None
        async with serving() as server, asking(server, lists=lists) as one, asking(server, lists=lists) as two:
            assert [(await here.ask()).is_remembered for here in (one, two)] == [True, True]
            await two.assistant.clear(None)
            await one.ask()
        [name] = redis.command("KEYS", "*")
        assert 3_590 < redis.command("TTL", name) <= 3_600

    assert [len(asked.body["messages"]) for asked in server.asked] == [1, 3, 1]


async def test_without_its_redis_an_answer_comes_and_nothing_is_said_to_be_cleared(tmp_path: Path) -> None:
    lists = open_lists(settings_for(tmp_path, redis_url=f"redis://127.0.0.1:{free_port()}/0"))
    async with serving() as server, asking(server, lists=lists) as here:
        answer = await here.ask()
        assert (answer.answer, answer.is_remembered) == (SENTENCE, False)
        with pytest.raises(ServiceUnavailable):
            await here.assistant.clear(None)


async def test_a_list_keeps_its_last_values_in_their_order(tmp_path: Path) -> None:
    with redis_server() as redis:
        for lists in (MemoryLists(60), open_lists(settings_for(tmp_path, redis_url=redis.url))):
            assert lists is not None
            for value in (b"1", b"2", b"3"):
                assert await lists.add("key", value, 2, 60)
            await lists.add("other", b"4", 2, 60)

            assert list(await lists.read("key")) == [b"2", b"3"]
            await lists.clear("key")
            assert (list(await lists.read("key")), list(await lists.read("other"))) == ([], [b"4"])
