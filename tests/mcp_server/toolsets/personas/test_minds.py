"""The endpoints are asked as the contract has them: paths, parameters, timeouts' classes, headers."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from mcp_server.caller import current_caller
from mcp_server.minds_api.refusals import Missing
from mcp_server.runtime import Runtime
from mcp_server.toolsets.personas._creation import NewPersona
from mcp_server.toolsets.personas._minds import Minds
from mcp_server.toolsets.personas.models import PersonaRow
from tests.mcp_server.toolsets.personas.world import completion, detail, id_of, listing, summary, training
from tests.support import ADA, FakeApi, Reply, serve

ID = id_of("Ada")


@asynccontextmanager
async def minds(api: FakeApi) -> AsyncIterator[tuple[Minds, Runtime]]:
    token = current_caller.set(ADA)
    async with serve(api) as gateway:
        yield Minds(gateway.runtime.api), gateway.runtime
    current_caller.reset(token)


@pytest.mark.requirement("seed:gateway:breaker-around-api")
async def test_each_call_has_its_own_breaker(api: FakeApi, monkeypatch: pytest.MonkeyPatch) -> None:
    row = PersonaRow(id=ID, name="Ada", discipline=None, type=None, description=None, created_at=None, tags=[])
    api.answers[f"POST /minds/{ID}/completion"] = completion("Hello")
    api.answers["POST /minds"] = Reply({"data": summary("Ada")}, 201)
    api.answers[f"GET /minds/{ID}/training"] = Reply(training("queued"))
    api.answers[f"GET /minds/{ID}"] = detail("Ada")
    api.answers["GET /minds"] = listing([])
    observed: list[str] = []

    async with minds(api) as (some, runtime):
        monkeypatch.setattr(runtime.telemetry, "upstream", lambda operation, *_: observed.append(operation))
        await some.complete(row, [{"role": "user", "content": "Hi"}])
        await some.create(NewPersona(name="Ada", mode="manual", type="expert"), "key")
        await some.training(ID)
        await some.detail(ID)
        await some.everything()

    assert observed == ["chat", "create", "polling", "polling", "default"]


async def test_where_a_training_has_no_address_the_persona_tells_it(api: FakeApi) -> None:
    api.answers[f"GET /minds/{ID}/training"] = Reply({}, 404)
    api.answers[f"GET /minds/{ID}"] = Reply({"data": {**summary("Ada"), "trainingStatus": "queued"}})

    async with minds(api) as (some, _):
        assert (await some.training(ID))["status"] == "queued"


async def test_a_persona_that_does_not_exist_has_no_training(api: FakeApi) -> None:
    api.answers |= {f"GET /minds/{ID}/training": Reply({}, 404), f"GET /minds/{ID}": Reply({}, 404)}

    async with minds(api) as (some, _):
        with pytest.raises(Missing):
            await some.training(ID)
