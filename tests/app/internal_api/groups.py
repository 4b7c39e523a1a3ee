"""Minds, audiences and studies for tests, made through the API."""

from typing import Any

from tests.app.internal_api.support import KEYWORDS, World

UNKNOWN = "00000000-0000-4000-8000-000000000000"


async def minds(world: World, *names: str, bearer: str = "ada") -> list[str]:
    """Their ids, in the order of the names."""
    return [await world.mind({**KEYWORDS, "name": name}, bearer) for name in names]


async def audience(world: World, name: str = "Gen Z", *mind_ids: str, bearer: str = "ada", **more: Any) -> str:
    """The id of a new audience of these minds."""
    created = await world.client(bearer).post("/audiences", json={"name": name, "mindIds": mind_ids, **more})
    assert created.status_code == 201, created.text
    return str(created.json()["data"]["id"])


async def study(world: World, name: str = "Tea", bearer: str = "ada", **more: Any) -> str:
    """The id of a new study."""
    created = await world.client(bearer).post("/studies", json={"name": name, **more})
    assert created.status_code == 201, created.text
    return str(created.json()["data"]["id"])


async def demo_mind(world: World) -> str:
    """The id of a mind that a visitor made."""
    return str((await world.client("demo").post("/minds", json=KEYWORDS)).json()["data"]["id"])
