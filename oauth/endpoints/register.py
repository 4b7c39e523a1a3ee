"""`POST /oauth/register` (RFC 7591 section 3)."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from oauth.activity import UNRECORDED, ActivityRecorder
from oauth.endpoints.http import answer, capped_body, client_address, post
from oauth.errors import InvalidClientMetadata
from oauth.flows.registration import Registration
from oauth.primitives.clock import utc_now
from oauth.primitives.display_names import shown_name
from oauth.primitives.strict_json import read_object

PATH = "/oauth/register"
MAX_BODY = 65_536
CREATED = 201


class Register:
    """The registration endpoint, open to everybody and therefore limited."""

    def __init__(
        self,
        registration: Registration,
        now: Callable[[], datetime] = utc_now,
        activity: ActivityRecorder = UNRECORDED,
    ) -> None:
        self._registration, self._now, self._activity = registration, now, activity
        self.routes = [post(PATH, self._register)]

    async def _register(self, request: Request) -> Response:
        now, address = self._now(), client_address(request)
        registered = await self._registration.register(await _words(request), address, now)
        client = registered.client
        self._activity.note(None, "client_registered", client.id, client_name=shown_name(client.name))
        issued: dict[str, Any] = {"client_id": client.id, "client_id_issued_at": int(client.created_at.timestamp())}
        if registered.secret is not None:
            issued |= {"client_secret": registered.secret, "client_secret_expires_at": 0}  # it does not expire
        return answer({**registered.metadata, **issued}, CREATED)


async def _words(request: Request) -> dict[str, Any]:
    # A web page may send text/plain or a form anywhere without asking; JSON it may not.
    if request.headers.get("content-type", "").split(";")[0].strip().lower() != "application/json":
        raise InvalidClientMetadata("Send the metadata as application/json.")
    body = await capped_body(request, MAX_BODY)
    try:
        return read_object(body)
    except ValueError:
        raise InvalidClientMetadata("The body is not one JSON object in UTF-8 with each name once.") from None
