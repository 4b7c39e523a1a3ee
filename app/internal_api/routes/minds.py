"""Minds: listed, read, deleted."""

from starlette.responses import Response

from app.internal_api.errors import BadRequest
from app.internal_api.models.minds import MindAnswer, MindList
from app.internal_api.models.wire import Pagination
from app.internal_api.routes.access import reachable_mind
from app.internal_api.routes.call import NO_STORE, Call
from app.internal_api.routes.shown import mind_detail, mind_summary
from app.internal_api.store.jobs import latest_training
from app.internal_api.store.knowledge import count_items
from app.internal_api.store.minds import Mind, delete_mind, list_minds

MAX_LIMIT = 100
MAX_OFFSET = 2**31 - 1
MAX_SEARCH = 500


async def read_minds(call: Call) -> Response:
    limit = _whole_number(call, "limit", default=MAX_LIMIT, least=1, most=MAX_LIMIT)
    offset = _whole_number(call, "offset", default=0, least=0, most=MAX_OFFSET)
    search = call.request.query_params.get("search", "").strip()
    if len(search) > MAX_SEARCH or "\0" in search:
        raise BadRequest(f"search must be at most {MAX_SEARCH} plain characters")
    found: tuple[list[Mind], int] = ([], 0)
    if not call.principal.demo:
        async with call.services.read() as connection:
            owner_id = call.principal.user_id
            found = await list_minds(connection, owner_id, search=search, limit=limit, offset=offset)
    minds, total = found
    pagination = Pagination(total=total, limit=limit, offset=offset)
    return call.answer(MindList(data=[mind_summary(mind) for mind in minds], pagination=pagination))


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


def _whole_number(call: Call, name: str, *, default: int, least: int, most: int) -> int:
    given = call.request.query_params.get(name)
    if given is None:
        return default
    if not given.isascii() or not given.isdecimal() or not least <= int(given[:12]) <= most:
        raise BadRequest(f"{name} must be a whole number from {least} to {most}")
    return int(given)
