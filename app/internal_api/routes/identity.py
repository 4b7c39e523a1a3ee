"""Who the credential belongs to."""

from starlette.responses import Response

from app.internal_api.models.minds import Me
from app.internal_api.routes.call import Call


async def read_me(call: Call) -> Response:
    return call.answer(Me(id=call.principal.user_id))
