"""Panels of trained minds in the database, and what is told of a question that is put to them."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx2
import orjson
from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncEngine

from app.internal_api.engines.engine import SurveyQuestion
from app.internal_api.factory import InternalApi
from app.internal_api.models.minds import CreateMind
from app.internal_api.principals import Principal
from app.internal_api.resources.minds import draft_mind
from app.internal_api.store.minds import TRAINING, Job, Mind
from app.internal_api.store.questions import Answer, Question, answers_of, questions
from app.internal_api.store.rows import find_row, insert_row
from app.internal_api.store.studies import audience_members, audiences, studies, study_audiences
from tests import edge
from tests.app.internal_api.support import ADA, KEYWORDS, START, Gate, World

SCALE = "On a scale of 1 to 5, how much do you like tea?"


@dataclass(frozen=True)
class MadePanel:
    """A study; minds and groups by their names."""

    study_id: str
    audiences: Mapping[str, str]
    minds: Mapping[str, str]

    @property
    def path(self) -> str:
        return f"/studies/{self.study_id}/ask"


async def make_panel(
    engine: AsyncEngine, groups: Mapping[str, Sequence[str]], *, untrained: Sequence[str] = (), owner: Principal = ADA
) -> MadePanel:
    """A study with these groups; a name that is in two groups is one mind."""
    minds = {name: str(uuid4()) for names in groups.values() for name in names}
    panel = MadePanel(str(uuid4()), {group: str(uuid4()) for group in groups}, minds)
    owned = {"owner_id": owner.user_id, "is_link_sharing_enabled": False, "created_at": START, "updated_at": START}
    async with engine.begin() as connection:
        for name, mind_id in minds.items():
            mind = draft_mind(CreateMind.model_validate({**KEYWORDS, "name": name}), owner.user_id, START)
            prompt = None if name in untrained else f"You are {name}."
            await insert_row(connection, replace(mind, id=mind_id, system_prompt=prompt))
            status = "running" if name in untrained else "completed"
            await insert_row(
                connection,
                replace(Job(mind_id=mind_id, kind=TRAINING, created_at=START), status=status, lease_until=2**60),
            )
        await connection.execute(insert(studies).values(id=panel.study_id, name="Tea", **owned))
        for place, (group, names) in enumerate(groups.items()):
            audience_id = panel.audiences[group]
            await connection.execute(insert(audiences).values(id=audience_id, name=group, **owned))
            attached = {"study_id": panel.study_id, "audience_id": audience_id, "position": place}
            await connection.execute(insert(study_audiences).values(attached))
            for position, name in enumerate(names):
                member = {"audience_id": audience_id, "mind_id": minds[name], "position": position}
                await connection.execute(insert(audience_members).values(member))
    return panel


async def ask(world: World, panel: MadePanel, question: str = SCALE, **body: Any) -> httpx2.Response:
    """Ask, with a worker beside it; a stream is read to its end."""
    api = world.api()
    async with api.lifespan():
        return await world.client(api=api).post(panel.path, json={"question": question, **body})


async def queue(world: World, panel: MadePanel, question: str = SCALE, **body: Any) -> str:
    """Ask without waiting; the id of the question."""
    body = {"question": question, "responseMode": "queued", **body}
    receipt = await world.client().post(panel.path, json=body)
    assert receipt.status_code == 200, receipt.text
    return str(receipt.json()["questionBlockId"])


def events(streamed: str) -> list[dict[str, Any]]:
    """The data of each event; comments are left out."""
    return [orjson.loads(block[6:]) for block in streamed.split("\n\n") if block.startswith("data: ")]


def told(streamed: str, kind: str) -> list[dict[str, Any]]:
    """The events of one type."""
    return [event for event in events(streamed) if event["type"] == kind]


async def stored(engine: AsyncEngine, question_id: str) -> tuple[Question, list[Answer]]:
    """A question as it is now, with its answers."""
    async with engine.connect() as connection:
        question = await find_row(connection, Question, question_id)
        assert question is not None
        return question, await answers_of(connection, question_id)


async def only_question(engine: AsyncEngine) -> str:
    """The id of the one question that was ever asked."""
    async with engine.connect() as connection:
        return str((await connection.execute(select(questions.c.id))).scalar_one())


def surveyed(world: World) -> list[str]:
    """The names of those that the engine was asked for, in order."""
    return [asked[0].name for what, asked in world.persona_engine.asked if what == "survey"]


def held_up(world: World, name: str) -> Gate:
    """Who has this name says nothing until the gate is open."""
    gate = Gate()

    async def wait(persona: Mind, _question: SurveyQuestion) -> None:
        if persona.name == name:
            await gate.passed()

    world.persona_engine.on_survey = wait
    return gate


@asynccontextmanager
async def listening(api: InternalApi) -> AsyncIterator[str]:
    """The API on a real socket, without its workers; gives its base URL."""
    sock = edge.free_socket()
    async with edge.listening(api.app, edge.settings_for(Path()), sock):
        yield f"http://127.0.0.1:{sock.getsockname()[1]}/api/v1"


async def events_of(response: httpx2.Response) -> AsyncIterator[dict[str, Any]]:
    """The events of a stream, as they arrive."""
    async for line in response.aiter_lines():
        if line.startswith("data: "):
            yield orjson.loads(line[6:])


async def until(stream: AsyncIterator[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    """What arrives next, up to the first event of that type."""
    seen = []
    async for event in stream:
        seen.append(event)
        if event["type"] == kind:
            break
    return seen
