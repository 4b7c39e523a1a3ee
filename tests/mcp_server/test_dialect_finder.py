"""The internal API is asked once what it speaks, however many want to know, and again only with reason."""

import asyncio
from collections.abc import Sequence
from typing import Any

import httpx2
import pytest

from mcp_server.dialect import Dialect
from mcp_server.dialect_finder import ASK_AGAIN, MAX_DOCUMENT_BYTES, DialectFinder, ask_dialect, described
from tests.loopback import Reply as Raw
from tests.loopback import reply, serving
from tests.support import FakeApi, Reply

CURRENT, SPARKS = Dialect


class Oracle:
    """Answers one after the other; the last one stays."""

    def __init__(self, *answers: Dialect | None) -> None:
        self.answers, self.asked, self.now = list(answers), 0, 0.0
        self.gate = asyncio.Event()
        self.gate.set()

    async def __call__(self) -> Dialect | None:
        self.asked += 1
        await self.gate.wait()
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    def finder(self, fixed: Dialect | None = None) -> DialectFinder:
        return DialectFinder(self, fixed, clock=lambda: self.now)


async def test_many_who_ask_at_once_and_all_who_ask_later_share_one_answer() -> None:
    oracle = Oracle(SPARKS)
    oracle.gate.clear()
    finder = oracle.finder()

    waiting = [asyncio.create_task(finder.find()) for _ in range(10)]
    await asyncio.sleep(0)
    waiting[0].cancel()  # whoever leaves does not take the others' answer along
    oracle.gate.set()
    found = await asyncio.gather(*waiting[1:])
    oracle.now += 100_000

    assert [*found, await finder.find()] == [SPARKS] * 10
    assert oracle.asked == 1


async def test_without_an_answer_it_is_todays_and_is_asked_again_later() -> None:
    oracle = Oracle(None, None, SPARKS)
    finder = oracle.finder()

    at_once = [await finder.find(), await finder.find()]
    assert (at_once, oracle.asked) == ([CURRENT, CURRENT], 1)
    oracle.now += ASK_AGAIN
    assert (await finder.find(), oracle.asked) == (CURRENT, 2)
    oracle.now += ASK_AGAIN
    assert (await finder.find(), oracle.asked) == (SPARKS, 3)


async def test_a_missing_collection_is_a_reason_to_ask_but_not_each_time() -> None:
    oracle = Oracle(CURRENT, CURRENT, SPARKS)
    finder = oracle.finder()
    await finder.find()

    again = [await finder.find_again(CURRENT) for _ in range(5)]
    assert (again, oracle.asked) == ([CURRENT] * 5, 2)
    oracle.now += ASK_AGAIN
    assert (await finder.find_again(CURRENT), await finder.find(), oracle.asked) == (SPARKS, SPARKS, 3)


async def test_who_used_the_old_one_while_another_found_the_new_one_is_told_without_a_question() -> None:
    oracle = Oracle(SPARKS)
    finder = oracle.finder()
    await finder.find()

    assert await finder.find_again(CURRENT) is SPARKS
    assert oracle.asked == 1


async def test_an_answer_that_is_known_outlives_a_question_without_one() -> None:
    oracle = Oracle(SPARKS, None)
    finder = oracle.finder()
    await finder.find()

    assert await finder.find_again(SPARKS) is SPARKS
    assert await finder.find() is SPARKS


@pytest.mark.parametrize("dialect", Dialect)
async def test_one_that_is_fixed_is_never_asked(dialect: Dialect) -> None:
    oracle = Oracle(None)
    finder = oracle.finder(dialect)

    assert [await finder.find(), await finder.find_again(dialect)] == [dialect, dialect]
    assert oracle.asked == 0


@pytest.mark.parametrize(
    ("paths", "dialect"),
    [
        (["/api/v1/minds", "/api/v1/studies"], CURRENT),
        (["/api/v1/sparks", "/api/v1/panels"], SPARKS),
        (["/api/v1/sparks", "/api/v1/minds"], CURRENT),
        (["/api/v1/auth/me"], None),
        ([], None),
    ],
)
def test_the_paths_say_the_dialect(paths: Sequence[str], dialect: Dialect | None) -> None:
    assert described({"openapi": "3.1.0", "paths": {path: {} for path in paths}}) is dialect


@pytest.mark.parametrize("document", [None, [], 7, {}, {"paths": None}, {"paths": ["/api/v1/minds"]}])
def test_a_document_that_is_none_says_nothing(document: Any) -> None:
    assert described(document) is None


async def asked(api: httpx2.AsyncBaseTransport) -> Dialect | None:
    async with httpx2.AsyncClient(transport=api, timeout=None) as client:
        return await ask_dialect(client, "http://api.test/api/v1", 5)


async def test_the_question_carries_no_credential_and_a_big_document_is_read(api: FakeApi) -> None:
    paths = {"/api/v1/sparks": {"description": "x" * 300_000}}
    api.answers["GET /openapi.json"] = Reply({"openapi": "3.1.0", "paths": paths})

    assert await asked(api) is SPARKS
    [request] = api.asked
    assert not {"authorization", "cookie"} & set(request.headers)


@pytest.mark.parametrize(
    "answer",
    [
        Reply({"paths": {"/api/v1/sparks": {}}}, 404),
        Reply({"paths": {"/api/v1/sparks": {}}}, 500),
        Reply({}, 302, {"location": "/elsewhere"}),
        Reply(b"<html>"),
        Reply(b""),
        Reply(b" " * (MAX_DOCUMENT_BYTES + 1)),
        httpx2.ConnectError("x"),
        httpx2.ReadTimeout("x"),
        httpx2.DecodingError("x"),
        OSError("x"),
    ],
    ids=str,
)
async def test_an_upstream_that_does_not_say_is_no_failure(api: FakeApi, answer: Reply | Exception) -> None:
    api.answers["GET /openapi.json"] = answer

    assert await asked(api) is None


@pytest.mark.parametrize("head", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"])
async def test_an_upstream_that_never_ends_is_left_in_time(head: bytes) -> None:
    async def hang(writer: asyncio.StreamWriter) -> None:
        writer.write(head)
        await writer.drain()
        await asyncio.Event().wait()

    routes: dict[str, Raw] = {"/api/v1/openapi.json": hang, "/": reply("404 Not Found")}
    async with serving(routes) as here, httpx2.AsyncClient(timeout=None, trust_env=False) as client:
        assert await ask_dialect(client, f"{here.origin}/api/v1", 0.2) is None


async def test_without_an_answer_what_was_found_is_learnt_until_there_is_one() -> None:
    oracle = Oracle(None, None, CURRENT)
    finder = oracle.finder()
    await finder.find()

    assert [await finder.find_again(used) for used in (CURRENT, SPARKS)] == [SPARKS, CURRENT]
    finder.learn(SPARKS)
    assert [await finder.find(), finder.is_settled] == [SPARKS, True]
    oracle.now += ASK_AGAIN
    assert await finder.find_again(SPARKS) is CURRENT
    finder.learn(SPARKS)
    assert await finder.find() is CURRENT
