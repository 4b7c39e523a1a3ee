"""People of an audience are drafted by the model alone, as many as were asked for at most."""

import json

import pytest

from app.internal_api.engines.chat.engine import create_engine
from app.internal_api.engines.engine import EngineUnavailable
from app.internal_api.engines.settings import EngineSettings
from tests.app.internal_api.engines.chat_server import chat_server, says

PEOPLE = [{"name": f"Person {number}", "context": "Runs a café.", "attributes": {"age": "40"}} for number in range(4)]


async def test_the_people_of_the_answer_are_taken_and_the_audience_is_fenced() -> None:
    async with chat_server(says(f"Here:\n{json.dumps({'people': PEOPLE})}")) as server:
        drafted = await create_engine(server.settings()).draft("owners of cafés", 3)

    (body,) = server.bodies
    assert drafted == PEOPLE[:3]
    assert "BEGIN MATERIAL" in body["messages"][-1]["content"]
    assert "3 different people" in body["messages"][0]["content"]


async def test_what_is_no_person_is_left_out_and_the_others_stay() -> None:
    async with chat_server(says(json.dumps({"people": [*PEOPLE[:2], "and so on", None, PEOPLE[3]]}))) as server:
        assert await create_engine(server.settings()).draft("owners of cafés", 6) == [*PEOPLE[:2], PEOPLE[3]]


async def test_what_is_no_draft_is_a_failure_and_without_a_model_there_is_none() -> None:
    for said in ("I would rather not.", '{"people": ["nobody"]}'):
        async with chat_server(says(said)) as server:
            with pytest.raises(EngineUnavailable) as unreadable:
                await create_engine(server.settings()).draft("owners", 3)
        assert unreadable.value.code == "llm_malformed"
    with pytest.raises(EngineUnavailable) as nothing:
        await create_engine(EngineSettings(_env_file=None)).draft("owners", 3)

    assert nothing.value.kind == "no_model"
