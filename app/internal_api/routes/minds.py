"""Minds: listed, read, deleted."""

from starlette.responses import Response

from app.internal_api.errors import BadRequest
from app.internal_api.models.minds import MindAnswer, MindList
from app.internal_api.routes.access import reachable_mind
from app.internal_api.routes.call import NO_STORE, Call
from app.internal_api.routes.paging import page
from app.internal_api.routes.shown import mind_detail, mind_summary
from app.internal_api.store.jobs import latest_training
from app.internal_api.store.knowledge import count_items
from app.internal_api.store.minds import Mind, delete_mind, list_minds

MAX_SEARCH = 500


async def read_minds(call: Call) -> Response:
    wanted = page(call)
    search = (call.query("search") or "").strip()
    if len(search) > MAX_SEARCH or "\0" in search:
        raise BadRequest(f"search must be at most {MAX_SEARCH} plain characters")
    found: tuple[list[Mind], int] = ([], 0)
    if not call.principal.demo:
        async with call.services.read() as connection:
            owner_id = call.principal.user_id
            found = await list_minds(connection, owner_id, search=search, limit=wanted.limit, offset=wanted.offset)
    minds, total = found
    return call.answer(MindList(data=[mind_summary(mind) for mind in minds], pagination=wanted.of(total)))


async def read_mind(call: Call) -> Response:
    async with call.services.read() as connection:
        mind = await reachable_mind(call, connection)
        training = await latest_training(connection, mind.id)
        item_count = await count_items(connection, mind.id)
    return call.answer(MindAnswer(data=mind_detail(mind, training, item_count)))


async def remove_mind(call: Call) -> Response:
    async with call.services.engine.begin() as connection:
        mind = await reachable_mind(call, connection)
        await delete_mind(connection, mind.id)
    return Response(status_code=204, headers=NO_STORE)
