"""One authenticated call of an operation, the services that its handler works with, and the forms of an answer."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import orjson
from pydantic import BaseModel
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from app.internal_api.engines.extractive.engine import ExtractiveEngine
from app.internal_api.errors import BadRequest
from app.internal_api.http.body import parse, read_json
from app.internal_api.knowledge.documents import Extract, Fetch, Search
from app.internal_api.models.wire import Pagination, plain, uuid_text
from app.internal_api.panels.dependencies import EventHub
from app.internal_api.principals import Principal, Principals
from app.internal_api.settings import InternalApiSettings

NO_STORE = {"Cache-Control": "no-store"}
PADDING = b": " + b" " * 2048 + b"\n\n"  # makes proxies that collect a first block let go of it
HEARTBEAT = b": heartbeat\n\n"
MAX_LIMIT = 100
MAX_OFFSET = 2**31 - 1
Model = TypeVar("Model", bound=BaseModel)


async def admit_any_link(link: str) -> None:
    """The check of links where none was handed in: what may be reached is decided when it is fetched."""


@dataclass(frozen=True, slots=True)
class Services:
    """What the handlers work with; made once by the factory."""

    engine: AsyncEngine
    principals: Principals
    settings: InternalApiSettings
    persona_engine: ExtractiveEngine
    extract: Extract
    search: Search
    fetch: Fetch
    admit_link: Callable[[str], Awaitable[None]]
    clock: Callable[[], int]
    wake: asyncio.Event
    hub: EventHub
    wake_exporter: asyncio.Event
    link_key: bytes

    def read(self) -> AsyncConnection:
        """A connection, to be entered, that waits for no writer."""
        return self.engine.execution_options(read_only=True).connect()


@dataclass(frozen=True, slots=True)
class Page:
    """Which part of a list a request wants."""

    limit: int
    offset: int

    def of(self, total: int) -> Pagination:
        return Pagination(total=total, limit=self.limit, offset=self.offset)


@dataclass(frozen=True, slots=True)
class Call:
    """One authenticated request."""

    request: Request
    principal: Principal
    services: Services
    path_params: Mapping[str, str]

    def id(self, name: str) -> str:
        """The UUID in the path. Raises BadRequest."""
        try:
            return uuid_text(self.path_params[name])
        except ValueError as error:
            raise BadRequest(f"{name} {error}") from None

    def query(self, name: str) -> str | None:
        return self.request.query_params.get(name)

    def page(self) -> Page:
        """Raises BadRequest for what is no page."""
        return Page(
            limit=self._whole_number("limit", default=MAX_LIMIT, least=1, most=MAX_LIMIT),
            offset=self._whole_number("offset", default=0, least=0, most=MAX_OFFSET),
        )

    def _whole_number(self, name: str, *, default: int, least: int, most: int) -> int:
        given = self.query(name)
        if given is None:
            return default
        if not given.isascii() or not given.isdecimal() or not least <= int(given[:12]) <= most:
            raise BadRequest(f"{name} must be a whole number from {least} to {most}")
        return int(given)

    async def asked(self, model: type[Model], *, optional: bool = False) -> Model:
        """The JSON body as a model. Raises ApiError, which says what is wrong."""
        body = await read_json(self.request, self.services.settings.max_json_bytes, optional=optional)
        # In a thread, since a body may hold a hundred thousand ids.
        return await asyncio.to_thread(parse, model, body)


def json_response(body: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A model, or plain data, as JSON that no cache keeps."""
    content = orjson.dumps(body, default=plain)
    return Response(content, status, media_type="application/json", headers={**NO_STORE, **(headers or {})})


def no_content() -> Response:
    """What a deletion answers."""
    return Response(status_code=204, headers=NO_STORE)


def event_stream(events: AsyncIterator[bytes]) -> StreamingResponse:
    """A stream that no cache keeps and no proxy collects."""
    headers = {**NO_STORE, "X-Accel-Buffering": "no"}
    return StreamingResponse(events, media_type="text/event-stream", headers=headers)


def event(data: Any, name: str | None = None) -> bytes:
    """One event; JSON has no line ends in it, so one data line is enough."""
    named = b"" if name is None else b"event: %s\n" % name.encode()
    return b"%sdata: %s\n\n" % (named, orjson.dumps(data, default=plain))
