"""Who the credential belongs to."""

from app.internal_api.principals import Principal
from tests.app.internal_api.support import ADA, World

ONE = "/minds/00000000-0000-4000-8000-000000000000"


async def test_who_am_i_needs_no_scope(world: World) -> None:
    world.principals.known["bare"] = Principal(ADA.user_id, frozenset())

    answer = await world.client("bare").get("/auth/me")

    assert (answer.status_code, answer.json()) == (200, {"id": ADA.user_id})
