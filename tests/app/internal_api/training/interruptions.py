"""Holding training up in the middle of a stage, and killing it there."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from app.internal_api import workers
from tests.app.internal_api.support import Gate, World, within


async def training_of(world: World, mind_id: str) -> dict[str, Any]:
    answer = await world.client().get(f"/minds/{mind_id}/training")
    return dict(answer.json())


@asynccontextmanager
async def held_up_at(world: World, stage: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Gate]:
    """A gate in the middle of a stage, for the length of the body."""
    gate = Gate()
    with monkeypatch.context() as patch:
        if stage == "collect":
            patch.setattr(world.web, "gate", gate)
        elif stage == "index":
            # After the chunks were cut and before they are stored.
            real = asyncio.to_thread

            async def slow(*arguments: Any) -> Any:
                found = await real(*arguments)
                await gate.passed()
                return found

            patch.setattr("app.internal_api.training.stages.asyncio.to_thread", slow)
        else:
            patch.setitem(world.persona_engine.gates, stage, gate)
        yield gate


async def kill_in_the_middle_of(world: World, stage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that stops without a word, as with SIGKILL: its lease is not released."""

    async def no_release(*_arguments: object) -> None:
        pass

    async with held_up_at(world, stage, monkeypatch) as gate:
        monkeypatch.setattr(workers, "give_back", no_release)
        task = asyncio.create_task(world.api().worker.work_once())
        await within(gate.reached.wait())
        task.cancel()
        await asyncio.wait({task})
