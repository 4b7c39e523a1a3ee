"""A real process, killed with SIGKILL in the middle of a question to 48, and what the next one makes of it."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from sqlalchemy import URL
from sqlalchemy.ext.asyncio import AsyncEngine

from tests import processes
from tests.app.internal_api.panels.killed import CODING
from tests.app.internal_api.panels.panels import SCALE, MadePanel, events_of, make_panel, only_question, stored, until
from tests.app.internal_api.support import within

MODULE = "tests.app.internal_api.panels.killed"
GROUPS = {f"Group {group}": [f"Mind {group}.{number}" for number in range(12)] for group in range(4)}
BODY = {"question": SCALE, "clientRequestId": "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa"}
OPEN = {**BODY, "question": "What do you like about tea?"}


@pytest.mark.slow
async def test_what_was_sent_before_a_kill_stays_and_only_the_rest_is_asked_again(
    engine: AsyncEngine, database: URL, tmp_path: Path
) -> None:
    panel, calls, port = await make_panel(engine, GROUPS), tmp_path / "calls", processes.free_port()
    sent: list[dict[str, Any]] = []
    with _life(database, port, calls, most=24) as process:
        async with _stream(port, panel) as stream:
            while len(sent) < 12:
                sent += _only_answers(await within(until(stream, "answer"), 60))
            process.kill()
            process.wait()
    question_id = await only_question(engine)
    left, before = await stored(engine, question_id)
    kept = [answer for answer in before if answer.status == "answered"]

    with _life(database, port, calls, most=48):
        async with _stream(port, panel) as stream:
            told = await within(until(stream, "done"), 60)

    question, answers = await stored(engine, question_id)
    assert (left.status, question.status) == ("running", "completed")
    assert sorted(answer.mind_name for answer in answers) == sorted(name for names in GROUPS.values() for name in names)
    assert {answer.status for answer in answers} == {"answered"}
    # Every answer that was sent was stored before, is told again word for word, and still stands as it was.
    assert {event["mindName"] for event in sent} <= {answer.mind_name for answer in kept}
    assert _by_name(sent).items() <= _by_name(_only_answers(told)).items()
    assert [answer for answer in answers if answer in kept] == kept
    # Nobody whose answer was stored is asked again.
    times = Counter(calls.read_text("utf-8").split("\n")[:-1])
    assert {times[answer.mind_name] for answer in kept} == {1}


@pytest.mark.slow
async def test_a_kill_between_the_last_answer_and_its_codes_loses_and_doubles_nothing(
    engine: AsyncEngine, database: URL, tmp_path: Path
) -> None:
    panel, calls, port = await make_panel(engine, GROUPS), tmp_path / "calls", processes.free_port()
    with _life(database, port, calls, most=48) as process:
        async with _stream(port, panel, OPEN) as stream:
            async with asyncio.timeout(60):
                answered = 0
                while answered < len(panel.minds):
                    answered += (await anext(stream))["type"] == "answer"
                while True:
                    if CODING in calls.read_text("utf-8").split("\n"):
                        break
                    await asyncio.sleep(0.05)
            process.kill()
            process.wait()
    question_id = await only_question(engine)
    left, before = await stored(engine, question_id)

    with _life(database, port, calls, most=96):
        async with _stream(port, panel, OPEN) as stream:
            told = await within(until(stream, "done"), 60)

    question, answers = await stored(engine, question_id)
    (result,) = [event for event in told if event["type"] == "result"]
    assert (left.status, left.codebook, {answer.codes for answer in before}) == ("running", None, {None})
    assert (question.status, [answer.message for answer in answers]) == (
        "completed",
        [answer.message for answer in before],
    )
    assert {str(answer.codes) for answer in answers} == {str({"c1": "I am"})}
    assert [one["count"] for one in result["outputData"]["categoryCodebook"]] == [48]
    assert Counter(calls.read_text("utf-8").split("\n")[:-1]) == {
        **{name: 1 for names in GROUPS.values() for name in names},
        CODING: 2,
    }


def _life(database: URL, port: int, calls: Path, most: int) -> AbstractContextManager[processes.Process]:
    address = database.render_as_string(hide_password=False)
    arguments = ["-m", MODULE, address, str(port), str(calls), str(most)]
    return processes.serving(arguments, port, calls.parent, {}, ready="/api/v1/openapi.json")


@asynccontextmanager
async def _stream(
    port: int, panel: MadePanel, body: Mapping[str, str] = BODY
) -> AsyncIterator[AsyncIterator[dict[str, Any]]]:
    base, headers = f"http://127.0.0.1:{port}/api/v1", {"Authorization": "Bearer ada"}
    async with (
        httpx2.AsyncClient(base_url=base, headers=headers, timeout=60) as client,
        client.stream("POST", panel.path, json=body) as response,
    ):
        yield events_of(response)


def _only_answers(told: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [event for event in told if event["type"] == "answer"]


def _by_name(told: list[dict[str, Any]]) -> dict[str, str]:
    return {event["mindName"]: str(event["answer"]) for event in told}
