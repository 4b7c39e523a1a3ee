"""What widgets watch of the product's own tools: a training, a panel, and nothing that is somebody else's."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from pydantic import SecretStr

from app.composition import Parts
from app.console.calls import ToolCalls
from app.console.live import Streams, WidgetLive, is_over
from app.storage.engine import open_engine
from mcp_server.caller import ANONYMOUS, Caller
from mcp_server.toolkit.widgets import LIVE, LIVE_PATH
from oauth.flows.api_keys import create_key, revoke_key
from oauth.primitives.scopes import ALL
from oauth.stores.accounts import AccountStore
from tests.app.console.streams import claims_of, events, look, signed
from tests.edge import PATIENCE, SITE, Edge, make_keys, running, settings_for
from tests.support import SECRET, Clock, signed_in

KEY = Caller("api_key", "ada", client_id="a key")
pytestmark = pytest.mark.anyio


@dataclass(frozen=True)
class Product:
    """The gateway with its own tools and the embedded API, and two accounts that may use all of them."""

    edge: Edge
    folder: Path
    ada: str
    bob: str

    async def result(self, tool: str, key: str | None = None, **arguments: Any) -> dict[str, Any]:
        """The whole result of a call by Ada, or with another key."""
        response = await self.edge.call(tool, arguments, key=key or self.ada)
        result: dict[str, Any] = response.json()["result"]
        assert not result.get("isError"), result
        return result

    async def persona(self, name: str) -> dict[str, Any]:
        """The result of the creation of a new one."""
        arguments = {"name": name, "mode": "clone", "personaContext": f"{name} weaves on a loom since 1804."}
        return await self.result("create_ai_persona_or_digital_twin", **arguments)


@pytest.fixture(scope="module")
async def product(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Product]:
    folder = tmp_path_factory.mktemp("product")
    settings = settings_for(folder)
    (ada, _), (bob, _) = await make_keys(settings, ALL), await make_keys(settings, ALL)
    async with running(settings, Parts()) as edge:
        yield Product(edge, folder, ada, bob)


async def test_a_training_is_watched_to_its_end(product: Product) -> None:
    created = await product.persona("Ada")
    spark_id = created["structuredContent"]["sparkId"]

    told = events(await look(product.edge, created["_meta"][LIVE]["token"]))
    after = await product.result("check_ai_persona_training_progress", sparkId=spark_id)

    assert {one["sparkId"] for one in told} == {spark_id}
    assert [one["readyToChat"] for one in told][-1] is True
    assert told == [one for at, one in enumerate(told) if at == 0 or one != told[at - 1]]
    assert LIVE not in after.get("_meta", {})


async def test_a_panel_is_watched_until_all_its_questions_are_answered(product: Product) -> None:
    ours = claims_of((await product.persona("Charles"))["_meta"][LIVE]["token"])
    rows = [{"name": f"Weaver {number}", "context": f"Weaver {number} likes looms."} for number in range(3)]
    made = (await product.result("create_personas", rows=rows, group="Weavers"))["structuredContent"]
    await all_trained(product)
    panel = (await product.result("create_panel", name="Looms", groupIds=[made["groupId"]]))["structuredContent"]
    panel_id = panel["panelId"]

    asked = await product.result("ask_panel", panelId=panel_id, question="Do you like looms?")
    named = {"tool": "get_panel_results", "arguments": {"panelId": panel_id}}
    [told] = events(await look(product.edge, signed(product.folder, {**ours, **named})))

    assert asked["structuredContent"]["status"] == "completed"
    assert LIVE not in asked.get("_meta", {})
    assert told["panelId"] == panel_id
    assert [(one["status"], one["overall"]["pending"]) for one in told["questions"]] == [("completed", 0)]


async def all_trained(product: Product) -> None:
    async with asyncio.timeout(PATIENCE * 3):
        while True:
            listed = (await product.result("list_my_ai_personas"))["structuredContent"]["personas"]
            if all(one["status"] == "completed" for one in listed):
                return
            await asyncio.sleep(0.2)


async def test_what_belongs_to_somebody_else_is_not_shown(product: Product) -> None:
    ours = claims_of((await product.persona("Bertha"))["_meta"][LIVE]["token"])
    bobs = await product.result(
        "create_ai_persona_or_digital_twin", product.bob, name="Bob", mode="clone", personaContext="Bob weaves."
    )
    his = claims_of(bobs["_meta"][LIVE]["token"])

    mixed = signed(product.folder, {**ours, "arguments": his["arguments"]})

    assert ours["sub"] != his["sub"]
    assert events(await look(product.edge, mixed)) == []


async def test_a_token_ends_with_the_key_that_it_was_made_for_and_with_the_account(product: Product) -> None:
    database, now = open_engine(settings_for(product.folder).database), datetime.now(UTC)
    accounts, about = AccountStore(database), {"mode": "clone", "personaContext": "Weaves on a loom."}
    first = await product.result("create_ai_persona_or_digital_twin", product.bob, name="Grace", **about)
    bob = next(
        user for user in await accounts.list_users() if user.id == claims_of(first["_meta"][LIVE]["token"])["sub"]
    )
    key = await create_key(accounts, bob, name="short", scopes=frozenset(ALL), lifetime=None, now=now)
    second = await product.result("create_ai_persona_or_digital_twin", key.secret, name="Hedy", **about)

    await revoke_key(accounts, key.key.id, now)
    revoked = await look(product.edge, second["_meta"][LIVE]["token"])
    await accounts.set_disabled(bob.id, now)
    disabled = await look(product.edge, first["_meta"][LIVE]["token"])
    await accounts.set_disabled(bob.id, None)
    again = await look(product.edge, first["_meta"][LIVE]["token"])
    await database.dispose()

    assert (revoked.status_code, disabled.status_code, again.status_code) == (401, 401, 200)


async def test_who_makes_a_persona_without_signing_in_gets_no_token(product: Product) -> None:
    arguments = {"name": "Demo", "mode": "keywords", "keywords": ["looms"]}

    response = await product.edge.call("create_ai_persona_or_digital_twin", arguments)

    assert response.json()["result"]["structuredContent"]["sparkId"]
    assert LIVE not in response.text


@pytest.mark.parametrize(
    ("caller", "is_linked", "gets_one"),
    [
        (ANONYMOUS, False, False),
        (KEY, False, True),
        (KEY, True, False),  # her key of a real API is kept nowhere, so that nobody could look later
        (Caller("oauth", "ada", client_id="an app"), True, True),
    ],
)
def test_a_token_is_for_who_can_be_looked_for_later(caller: Caller, is_linked: bool, gets_one: bool) -> None:
    async def linked_key(_user_id: str) -> SecretStr:
        return SecretStr("minds_linked")

    async def holds(_user_id: str, _client_id: str) -> bool:
        return True

    clock = Clock()
    calls = cast("ToolCalls", SimpleNamespace(linked_key=linked_key if is_linked else None))
    live = WidgetLive(SECRET, SITE, calls, {}, holds, Streams(), seconds=40, now=clock)
    with signed_in(caller):
        meta = live.token("course", {"word": "x"})

    assert (meta is not None) is gets_one
    if meta is not None:
        way = meta[LIVE]
        assert way["url"] == f"{SITE}{LIVE_PATH}"
        assert (claims_of(way["token"])["sub"], claims_of(way["token"])["exp"]) == ("ada", clock.now + 40)


@pytest.mark.parametrize(
    ("content", "over"),
    [
        ({"pollAfterMs": None}, True),
        ({"pollAfterMs": 2_000}, False),
        ({"questions": []}, True),
        ({"questions": [{"status": "completed"}, {"status": "failed"}]}, True),
        ({"questions": [{"status": "completed"}, {"status": "processing"}], "pollAfterMs": None}, False),
    ],
)
def test_what_is_over_is_known_by_what_the_tools_tell(content: dict[str, Any], over: bool) -> None:
    assert is_over(content) is over
