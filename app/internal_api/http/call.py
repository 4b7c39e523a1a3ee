"""One authenticated call of an operation: its path, page and body, the services of its handler, the forms of an answer.

Bodies are of the right type, within their limit, and checked by a model.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import orjson
from pydantic import BaseModel, ValidationError
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from app.internal_api.errors import BadRequest, TooLarge, UnsupportedMediaType
from app.internal_api.models.wire import Listed, Pagination, plain, uuid_text
from app.internal_api.principals import Principal
from app.internal_api.services import Services

NO_STORE = {"Cache-Control": "no-store"}
PADDING = b": " + b" " * 2048 + b"\n\n"  # makes proxies that collect a first block let go of it
HEARTBEAT = b": heartbeat\n\n"
MULTIPART_OVERHEAD = 64 * 1024
MAX_FIELDS = 20
# What pydantic would say in the words of Python.
AN_OBJECT = dict.fromkeys(("model_type", "model_attributes_type"), "must be an object")
WORDS = {"tuple_type": "must be a list", **AN_OBJECT}

Model = TypeVar("Model", bound=BaseModel)


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

    def queried(self, model: type[Model]) -> Model:
        """The query as a model. Raises BadRequest, which says what is wrong."""
        return parse(model, dict(self.request.query_params))

    @property
    def media_type(self) -> str:
        """That of the body, without its parameters, in lower case."""
        return self.request.headers.get("content-type", "").partition(";")[0].strip().lower()

    async def asked(self, model: type[Model], *, optional: bool = False) -> Model:
        """The JSON object in the body as a model; `optional` takes no body at all as an empty one.

        Raises `UnsupportedMediaType`: it does not say that it is JSON; `TooLarge`: longer than the limit; `BadRequest`:
        not JSON, or not an object that fits the model, with what is wrong.
        """
        data = b"".join([part async for part in bounded(self.request, self.services.settings.max_json_bytes)])
        if optional and not data:
            return model()
        if self.media_type != "application/json":
            raise UnsupportedMediaType("Content-Type must be application/json")
        try:
            body = orjson.loads(data)
        except orjson.JSONDecodeError:
            raise BadRequest("The body is not valid JSON") from None
        if not isinstance(body, dict):
            raise BadRequest("The body must be a JSON object")
        # In a thread, since a body may hold a hundred thousand ids.
        return await asyncio.to_thread(parse, model, body)

    @asynccontextmanager
    async def upload(self) -> AsyncGenerator[tuple[UploadFile, Mapping[str, str]], None]:
        """The one file of a multipart body, kept on disk while the context lasts, and the fields that came with it.

        Raises `TooLarge`: the file is longer than the limit; `BadRequest`: not multipart, or without exactly one file
        in the field `file`.
        """
        limit = self.services.settings.max_upload_bytes
        stream = bounded(self.request, limit + MULTIPART_OVERHEAD)
        parser = MultiPartParser(self.request.headers, stream, max_files=1, max_fields=MAX_FIELDS)
        try:
            try:
                form = await parser.parse()
            except (MultiPartException, HTTPException) as error:
                if isinstance(error, HTTPException) and error.status_code == TooLarge.status:
                    raise  # a limit further out
                raise BadRequest("The body is not valid multipart/form-data with one file") from None
            file = form.get("file")
            if not isinstance(file, UploadFile):
                raise BadRequest("file is required")
            if (file.size or 0) > limit:
                raise TooLarge
            yield file, {key: value for key, value in form.multi_items() if isinstance(value, str)}
        finally:
            # Also the file of a part that did not end: the parser hands out none of it, and closes it only at a fault.
            for opened in parser._files_to_close_on_error:  # noqa: SLF001  the one list of them; the form has whole parts
                opened.close()


async def bounded(request: Request, limit: int) -> AsyncGenerator[bytes, None]:
    """The body as it arrives. Raises TooLarge beyond `limit` bytes, and before any where so many are declared."""
    declared = request.headers.get("content-length", "0")
    if declared.isdecimal() and int(declared) > limit:
        raise TooLarge
    left = limit
    async for part in request.stream():
        left -= len(part)
        if left < 0:
            raise TooLarge
        yield part


def parse(model: type[Model], body: Any) -> Model:
    """Raises BadRequest, which says what is wrong."""
    try:
        return model.model_validate(body)
    except ValidationError as error:
        raise BadRequest(first_error(error)) from None


def first_error(error: ValidationError) -> str:
    """The first thing wrong with a request, in words that its sender can act on."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    field = ".".join(map(str, first["loc"]))
    if first["type"] == "missing":
        return f"{field} is required"
    message = WORDS.get(first["type"]) or first["msg"].removeprefix("Value error, ").replace("Tuple ", "List ")
    return f"{field}: {message}" if field else message


def json_response(body: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A model, or plain data, as JSON that no cache keeps."""
    content = orjson.dumps(body, default=plain)
    return Response(content, status, media_type="application/json", headers={**NO_STORE, **(headers or {})})


def list_response(data: Sequence[Any], total: int, page: Mapping[str, int]) -> Response:
    return json_response(Listed(data=data, pagination=Pagination(total=total, **page)))


def event_stream(events: AsyncIterator[bytes]) -> StreamingResponse:
    """A stream that no cache keeps and no proxy collects."""
    headers = {**NO_STORE, "X-Accel-Buffering": "no"}
    return StreamingResponse(events, media_type="text/event-stream", headers=headers)


def event(data: Any, name: str | None = None) -> bytes:
    """One event; JSON has no line ends in it, so one data line is enough."""
    named = b"" if name is None else b"event: %s\n" % name.encode()
    return b"%sdata: %s\n\n" % (named, orjson.dumps(data, default=plain))
