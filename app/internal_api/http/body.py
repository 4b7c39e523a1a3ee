"""Reading request bodies: of the right type, within their limit, and checked by a model."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import orjson
from pydantic import BaseModel, ValidationError
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request
from starlette.types import Message, Receive

from app.internal_api.errors import BadRequest, TooLarge, UnsupportedMediaType
from app.internal_api.models.wire import first_error

Model = TypeVar("Model", bound=BaseModel)
MULTIPART_OVERHEAD = 64 * 1024
MAX_FIELDS = 20


@dataclass(frozen=True, slots=True)
class Upload:
    """A file and the fields that came with it."""

    filename: str
    media_type: str | None
    data: bytes
    fields: Mapping[str, str]


def media_type(request: Request) -> str:
    """Without its parameters, in lower case."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


async def read_json(request: Request, limit: int, *, optional: bool = False) -> dict[str, Any]:
    """The JSON object in the body; `optional` takes no body at all as an empty one.

    Raises:
        UnsupportedMediaType: it does not say that it is JSON.
        TooLarge: longer than `limit` bytes.
        BadRequest: not JSON, or not an object.

    """
    _refuse_declared_length(request, limit)
    data = await Request(request.scope, _capped(request.receive, limit)).body()
    if optional and not data:
        return {}
    if media_type(request) != "application/json":
        raise UnsupportedMediaType("Content-Type must be application/json")
    try:
        body = orjson.loads(data)
    except orjson.JSONDecodeError:
        raise BadRequest("The body is not valid JSON") from None
    if not isinstance(body, dict):
        raise BadRequest("The body must be a JSON object")
    return body


def parse(model: type[Model], body: Any) -> Model:
    """Raises BadRequest, which says what is wrong."""
    try:
        return model.model_validate(body)
    except ValidationError as error:
        raise BadRequest(first_error(error)) from None


async def read_upload(request: Request, limit: int) -> Upload:
    """The one file of a multipart body.

    Raises:
        TooLarge: the file is longer than `limit` bytes.
        BadRequest: not multipart, or without exactly one file in the field `file`.

    """
    _refuse_declared_length(request, limit + MULTIPART_OVERHEAD)
    capped = Request(request.scope, _capped(request.receive, limit + MULTIPART_OVERHEAD))
    parser = MultiPartParser(capped.headers, capped.stream(), max_files=1, max_fields=MAX_FIELDS)
    try:
        form = await parser.parse()
        file = form.get("file")
        if not isinstance(file, UploadFile):
            raise BadRequest("file is required")
        data = await file.read()
        if len(data) > limit:
            raise TooLarge
        fields = {key: value for key, value in form.multi_items() if isinstance(value, str)}
        return Upload(file.filename or "file", file.content_type, data, fields)
    except (MultiPartException, HTTPException) as error:
        if isinstance(error, HTTPException) and error.status_code == TooLarge.status:
            raise  # a limit further out
        raise BadRequest("The body is not valid multipart/form-data with one file") from None
    finally:
        # Also the file of a part that did not end: the parser hands out none of it, and closes nothing without a fault.
        for opened in parser._files_to_close_on_error:  # noqa: SLF001  the one list of them; the form knows whole parts
            opened.close()


def _refuse_declared_length(request: Request, limit: int) -> None:
    declared = request.headers.get("content-length", "0")
    if declared.isdecimal() and int(declared) > limit:
        raise TooLarge


def _capped(receive: Receive, limit: int) -> Receive:
    seen = 0

    async def counted() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > limit:
            raise TooLarge
        return message

    return counted
