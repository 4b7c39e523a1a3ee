"""Minds, and whose credential it is: listed, read, deleted."""

from dataclasses import asdict

from starlette.responses import Response

from app.internal_api.errors import BadRequest
from app.internal_api.http.access import reachable_mind
from app.internal_api.http.call import Call, json_response, no_content
from app.internal_api.http.operation import LIST, PAGE, READ, WRITE, Operations
from app.internal_api.models.minds import Me, MindDetail, MindSummary
from app.internal_api.models.wire import Data, Listed
from app.internal_api.store.jobs import latest_training
from app.internal_api.store.knowledge import count_items
from app.internal_api.store.minds import Mind, delete_mind, list_minds

MAX_SEARCH = 500
SEARCH = {"search": {"type": "string", "maxLength": MAX_SEARCH}, **PAGE}

operations = Operations()


@operations.add("GET", "/auth/me", "getMe", "Who the credential belongs to", None, {200: Me}, refusals=(401, 500, 503))
async def read_me(call: Call) -> Response:
    return json_response(Me(id=call.principal.user_id))


@operations.add(
    "GET", "/minds", "listMinds", "The caller's minds", READ, {200: Listed[MindSummary]}, query=SEARCH, refusals=LIST
)
async def read_minds(call: Call) -> Response:
    """Demo visitors, who all share an account, find nothing in the list."""
    page, search = call.page(), (call.query("search") or "").strip()
    if len(search) > MAX_SEARCH or "\0" in search:
        raise BadRequest(f"search must be at most {MAX_SEARCH} plain characters")
    found: tuple[list[Mind], int] = ([], 0)
    if not call.principal.demo:
        async with call.services.read() as connection:
            owner_id = call.principal.user_id
            found = await list_minds(connection, owner_id, search=search, limit=page.limit, offset=page.offset)
    minds, total = found
    data = [MindSummary.model_validate(mind) for mind in minds]
    return json_response(Listed(data=data, pagination=page.of(total)))


@operations.add("GET", "/minds/{mindId}", "getMind", "One mind", READ, {200: Data[MindDetail]}, for_visitors=True)
async def read_mind(call: Call) -> Response:
    async with call.services.read() as connection:
        mind = await reachable_mind(call, connection)
        training = await latest_training(connection, mind.id)
        item_count = await count_items(connection, mind.id)
    more = {"knowledge_item_count": item_count, "training_status": training.status, "ready_to_chat": mind.ready}
    return json_response(Data(data=MindDetail.model_validate({**asdict(mind), **more})))


@operations.add("DELETE", "/minds/{mindId}", "deleteMind", "Delete a mind with all it knows", WRITE, {204: None})
async def remove_mind(call: Call) -> Response:
    async with call.services.engine.begin() as connection:
        mind = await reachable_mind(call, connection)
        await delete_mind(connection, mind.id)
    return no_content()
