"""The table of operations: what one method of one path asks and answers. Routes and OpenAPI are made from it."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import orjson
from pydantic import BaseModel
from pydantic.alias_generators import to_camel
from pydantic.json_schema import JsonSchemaMode, models_json_schema
from starlette.responses import Response
from starlette.routing import compile_path

from app.internal_api.http.access import DEMO_TOKEN_HEADER
from app.internal_api.http.call import Call
from app.internal_api.models.minds import Knowledge
from app.internal_api.models.wire import ErrorBody

PREFIX = "/api/v1"
READ = "sparks:read"
WRITE = "sparks:write"
CHAT = "sparks:chat"
FLOWS_READ = "flows:read"
FLOWS_WRITE = "flows:write"

Reference = Mapping[str, Any]
References = Mapping[Any, Reference]  # by (model, mode)

Handler = Callable[[Call], Awaitable[Response]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One row. `scope` None means that any credential will do; `body` is that of a JSON body."""

    method: str
    path: str
    handler: Handler
    scope: str | None
    answers: Mapping[int, Any]  # models by status
    refusals: Sequence[int] = ()  # beside those that every operation of its kind has
    body: type[BaseModel] | None = None
    takes_upload: bool = False
    query: type[BaseModel] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    for_visitors: bool = False  # a demo token alone will do
    public: bool = False  # no credential; where the address itself is the right to it, the handler checks that

    @property
    def id(self) -> str:
        """The contract's name, which the handler has in snake case."""
        return to_camel(self.handler.__name__)

    @property
    def summary(self) -> str:
        """The first sentence of what the handler says of itself."""
        return (self.handler.__doc__ or "").strip().partition(".")[0]


def operation(method: str, path: str, scope: str | None, answer: Any, **more: Any) -> Callable[[Handler], Operation]:
    """Makes a row of a handler; `answer` is a model, or models by status; `more` are the other fields of the row."""
    answers = answer if isinstance(answer, Mapping) else {200: answer}
    return lambda handler: Operation(method=method, path=path, handler=handler, scope=scope, answers=answers, **more)


class Router:
    """Operations by path and method; `path` is always the whole one."""

    def __init__(self, operations: Iterable[Operation]) -> None:
        by_path: dict[str, dict[str, Operation]] = {}
        for operation in operations:
            by_path.setdefault(PREFIX + operation.path, {})[operation.method] = operation
        self.paths = [(compile_path(path)[0], by_method) for path, by_method in by_path.items()]

    def change(self, method: str, path: str) -> str | None:
        """The id of the operation that changes something here. What only reads is None, as is what is none."""
        found = next((by_method for pattern, by_method in self.paths if pattern.match(path)), {})
        return found[method].id if method != "GET" and method in found else None


def describing(operations: Sequence[Operation]) -> Operation:
    """`GET /openapi.json`. The document is made when it is first asked for: it takes a good part of a start."""

    @cache
    def written() -> bytes:
        return orjson.dumps(document(operations))

    @operation("GET", "/openapi.json", None, None, public=True)
    async def get_openapi_document(_call: Call) -> Response:
        """The description of the API."""
        return Response(await asyncio.to_thread(written), media_type="application/json")

    return get_openapi_document


def document(operations: Sequence[Operation]) -> dict[str, Any]:
    wanted: dict[tuple[type[BaseModel], JsonSchemaMode], None] = {(ErrorBody, "serialization"): None}
    for operation in operations:
        wanted |= {(model, "serialization"): None for model in operation.answers.values() if model}
        wanted |= {(operation.body, "validation"): None} if operation.body else {}
    template = "#/components/schemas/{model}"
    references, definitions = models_json_schema(list(wanted), by_alias=True, ref_template=template)
    paths: dict[str, dict[str, Any]] = {}
    for operation in operations:
        described = _operation(operation, references)
        paths.setdefault(PREFIX + operation.path, {})[operation.method.lower()] = described
    schemes = {
        "bearer": {"type": "http", "scheme": "bearer"},
        "demoToken": {"type": "apiKey", "in": "header", "name": DEMO_TOKEN_HEADER},
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "Embedded Minds API", "version": "1"},
        "security": [{"bearer": []}],
        "paths": paths,
        "components": {"schemas": definitions["$defs"], "securitySchemes": schemes},
    }


def _operation(operation: Operation, references: References) -> dict[str, Any]:
    refused = {"description": "Refused", "content": _json(references[ErrorBody, "serialization"])}
    shown = {status: _json(references[model, "serialization"]) for status, model in operation.answers.items() if model}
    done = {
        str(status): {"description": "Done", **({"content": shown[status]} if status in shown else {})}
        for status in operation.answers
    }
    usual = (404, 500, 503) if operation.public else (400, 401, 403, 404, 500, 503)
    refusals = sorted({*usual, *operation.refusals, *((413, 415) if operation.body else ())})
    described: dict[str, Any] = {
        "operationId": operation.id,
        "summary": operation.summary,
        "parameters": list(_parameters(operation)),
        "responses": done | {str(status): refused for status in refusals},
    }
    if operation.public or operation.for_visitors:
        described["security"] = [] if operation.public else [{"bearer": []}, {"demoToken": []}]
    if operation.body:
        content = _json(references[operation.body, "validation"])
        if operation.takes_upload:
            upload = Knowledge.model_json_schema()
            upload["properties"]["file"] = {"type": "string", "format": "binary"}
            content["multipart/form-data"] = {"schema": {**upload, "required": ["file"]}}
        described["requestBody"] = {"content": content}
    return described


def _parameters(operation: Operation) -> Iterable[dict[str, Any]]:
    for name in re.findall(r"\{(\w+)\}", operation.path):
        uuid = {"type": "string", "format": "uuid"}
        yield {"name": name, "in": "path", "required": True, "schema": uuid}
    wanted = operation.query.model_json_schema()["properties"] if operation.query else {}
    for name, schema in wanted.items():
        yield {"name": name, "in": "query", "schema": schema}
    for name, meaning in operation.headers.items():
        yield {"name": name, "in": "header", "description": meaning, "schema": {"type": "string"}}


def _json(schema: Reference) -> dict[str, Any]:
    return {"application/json": {"schema": dict(schema)}}
