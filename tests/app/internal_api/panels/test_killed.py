"""A real process, killed with SIGKILL in the middle of a question to 200, and what the next one makes of it."""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AbstractContextManager, asynccontextmanager
from pathlib import Path
from subprocess import Popen
from typing import Any

import httpx2
from sqlalchemy import URL
from sqlalchemy.ext.asyncio import AsyncEngine

from app.internal_api.store.questions import Answer
from tests import processes
from tests.app.internal_api.panels.panels import SCALE, MadePanel, events_of, make_panel, only_question, stored, until
from tests.app.internal_api.support import within

MODULE = "tests.app.internal_api.panels.killed"
GROUPS = {f"Group {group}": [f"Mind {group}.{number}" for number in range(25)] for group in range(8)}
BODY = {"question": SCALE, "clientRequestId": "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa"}


async def test_what_was_sent_before_a_kill_stays_and_only_the_rest_is_asked_again(
    engine: AsyncEngine, database: URL, tmp_path: Path
) -> None:
    panel, calls = await make_panel(engine, GROUPS), tmp_path / "calls"
    port = processes.free_port()
    with _life(database, port, calls, most=100) as process:
        sent = await _read_and_kill(process, port, panel)
    question_id = await only_question(engine)
    left, kept = await stored(engine, question_id)
    called = Counter(calls.read_text("utf-8").split("\n")[:-1])

    with _life(database, port, calls, most=200):
        async with _stream(port, panel) as stream:
            told = await within(until(stream, "done"), 60)

    question, answers = await stored(engine, question_id)
    names = [name for group in GROUPS.values() for name in group]
    assert (left.status, question.status) == ("running", "completed")
    assert sorted(answer.mind_name for answer in answers) == sorted(names)
    assert {answer.status for answer in answers} == {"answered"}
    assert 60 <= len(sent) <= len(_answered(kept)) <= 100
    # Every answer that was sent was stored before, is told again word for word, and still stands as it was.
    assert {event["mindName"] for event in sent} <= {answer.mind_name for answer in _answered(kept)}
    assert _by_name(sent).items() <= _by_name(_only_answers(told)).items()
    assert [answer for answer in answers if answer in _answered(kept)] == _answered(kept)
    assert [event["type"] for event in told][-3:] == ["aggregating", "result", "done"]
    # Nobody whose answer was stored is asked again; who was being asked when the process died is.
    everybody = Counter(calls.read_text("utf-8").split("\n")[:-1])
    assert [name for name in _names(kept) if everybody[name] != 1] == []
    assert {name for name, times in everybody.items() if times > 1} <= set(called) - set(_names(kept))
    assert everybody.total() == 200 + called.total() - len(_answered(kept))


def _life(database: URL, port: int, calls: Path, most: int) -> AbstractContextManager[Popen[bytes]]:
    address = database.render_as_string(hide_password=False)
    arguments = ["-m", MODULE, address, str(port), str(calls), str(most)]
    return processes.serving(arguments, port, calls.parent, {}, ready="/api/v1/openapi.json")


@asynccontextmanager
async def _stream(port: int, panel: MadePanel) -> AsyncIterator[AsyncIterator[dict[str, Any]]]:
    base, headers = f"http://127.0.0.1:{port}/api/v1", {"Authorization": "Bearer ada"}
    async with (
        httpx2.AsyncClient(base_url=base, headers=headers, timeout=60) as client,
        client.stream("POST", panel.path, json=BODY) as response,
    ):
        yield events_of(response)


async def _read_and_kill(process: Popen[bytes], port: int, panel: MadePanel) -> list[dict[str, Any]]:
    """The answers that were read before the process was killed, 60 at least."""
    read: list[dict[str, Any]] = []
    async with _stream(port, panel) as stream:
        while len(read) < 60:
            read += _only_answers(await within(until(stream, "answer")))
        process.kill()
        process.wait()
    return read


def _only_answers(told: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [event for event in told if event["type"] == "answer"]


def _by_name(told: list[dict[str, Any]]) -> dict[str, str]:
    return {event["mindName"]: str(event["answer"]) for event in told}


def _answered(answers: list[Answer]) -> list[Answer]:
    return [answer for answer in answers if answer.status == "answered"]


def _names(answers: list[Answer]) -> list[str]:
    return [answer.mind_name for answer in _answered(answers)]
