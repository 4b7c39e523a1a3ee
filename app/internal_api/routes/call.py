"""One call of one operation: who asks, with what, in which dialect; and how it is answered."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import orjson
from pydantic import BaseModel
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine
from starlette.requests import Request
from starlette.responses import Response

from app.internal_api.dialect import Dialect, to_wire
from app.internal_api.errors import BadRequest
from app.internal_api.personas.words import PersonaEngine
from app.internal_api.principals import Principal, Principals
from app.internal_api.settings import InternalApiSettings
from app.internal_api.training.sources import Extract, Search

NO_STORE = {"Cache-Control": "no-store"}
UUID_LENGTH = 36


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
    admit_link: Callable[[str], Awaitable[None]]
    clock: Callable[[], int]
    wake: asyncio.Event

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
        """The UUID in the path, in the words of today's dialect. Raises BadRequest."""
        words = {"mindId": "sparkId"} if self.dialect is Dialect.SPARKS else {}
        given = self.request.path_params[words.get(name, name)]
        try:
            found = UUID(given)
        except ValueError:
            raise BadRequest(f"{name} must be a UUID") from None
        if len(given) != UUID_LENGTH:
            raise BadRequest(f"{name} must be a UUID")
        return str(found)

    def answer(self, body: BaseModel, status: int = 200) -> Response:
        """The body as JSON, in the caller's dialect."""
        return json_response(self.wire(body), status)

    def wire(self, body: BaseModel) -> Any:
        return to_wire(self.dialect, body.model_dump(mode="json", by_alias=True))


def json_response(body: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """JSON that no cache keeps."""
    return Response(orjson.dumps(body), status, media_type="application/json", headers={**NO_STORE, **(headers or {})})
