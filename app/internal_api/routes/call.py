"""One call of one operation: who asks, with what, in which dialect; and how it is answered."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import orjson
from pydantic import BaseModel
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine
from starlette.requests import Request
from starlette.responses import Response

from app.internal_api.dialect import Dialect, RetiredName, from_wire, to_wire
from app.internal_api.engines.engine import PersonaEngine
from app.internal_api.errors import BadRequest
from app.internal_api.knowledge.reading import Extract, Fetch, Search
from app.internal_api.models.wire import uuid_text
from app.internal_api.panels.dependencies import EventHub
from app.internal_api.principals import Principal, Principals
from app.internal_api.routes.body import parse, read_json
from app.internal_api.routes.signed_links import LinkKey
from app.internal_api.settings import InternalApiSettings

NO_STORE = {"Cache-Control": "no-store"}
Model = TypeVar("Model", bound=BaseModel)


async def admit_any_link(link: str) -> None:
    """The check of links where none was handed in: what may be reached is decided when it is fetched."""


@dataclass(frozen=True, slots=True)
class Services:
    """What the endpoints work with; made once by the factory."""

    engine: AsyncEngine
    principals: Principals
    settings: InternalApiSettings
    persona_engine: PersonaEngine
    extract: Extract
    search: Search
    fetch: Fetch
    admit_link: Callable[[str], Awaitable[None]]
    clock: Callable[[], int]
    wake: asyncio.Event
    hub: EventHub
    wake_exporter: asyncio.Event
    link_key: LinkKey

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncConnection]:
        async with self.engine.execution_options(read_only=True).connect() as connection:
            yield connection


@dataclass(frozen=True, slots=True)
class Call:
    """One authenticated request."""

    request: Request
    principal: Principal
    services: Services
    dialect: Dialect

    def id(self, name: str) -> str:
        """The UUID in the path that today's dialect calls `name`. Raises BadRequest."""
        word = self.dialect.word(name)
        try:
            return uuid_text(self.request.path_params[word])
        except ValueError as error:
            raise BadRequest(f"{word} {error}") from None

    def query(self, name: str) -> str | None:
        """The parameter of the query that today's dialect calls `name`."""
        return self.request.query_params.get(self.dialect.word(name))

    async def asked(self, model: type[Model], *, optional: bool = False) -> Model:
        """The JSON body, written in the caller's dialect, as a model. Raises ApiError, which says what is wrong."""
        body = await read_json(self.request, self.services.settings.max_json_bytes, optional=optional)
        try:
            today = from_wire(self.dialect, body)
        except RetiredName as retired:
            raise BadRequest(str(retired)) from None
        # Aside, since a body may hold a hundred thousand ids.
        return await asyncio.to_thread(parse, model, today, self.dialect.names)

    def answer(self, body: BaseModel, status: int = 200) -> Response:
        """The body as JSON, in the caller's dialect."""
        return json_response(self.wire(body), status)

    def wire(self, body: BaseModel) -> Any:
        return to_wire(self.dialect, body)


def json_response(body: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """JSON that no cache keeps."""
    return Response(orjson.dumps(body), status, media_type="application/json", headers={**NO_STORE, **(headers or {})})
