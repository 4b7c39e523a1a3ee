"""The OpenAPI document of exactly the routes that are served, in both dialects."""

import asyncio
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import orjson
from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode, models_json_schema
from starlette.requests import Request
from starlette.responses import Response

from app.internal_api.dialect import TODAY_TO_BEFORE, Dialect
from app.internal_api.models.wire import ErrorBody
from app.internal_api.routes.access import DEMO_TOKEN_HEADER
from app.internal_api.routes.operation import Operation

UPLOAD = {
    "type": "object",
    "required": ["file"],
    "properties": {
        "file": {"type": "string", "format": "binary"},
        "description": {"type": "string", "maxLength": 2000},
        "regeneratePrompt": {"type": "boolean", "default": False},
    },
}
BEFORE = "InSparks"  # ends the names of what is written in the words of before
Reference = Mapping[str, Any]
References = Mapping[Any, Reference]  # by (model, mode)


def document(operations: Sequence[Operation], prefix: str) -> dict[str, Any]:
    """OpenAPI 3.1."""
    references, schemas = _schemas(operations)
    paths: dict[str, dict[str, Any]] = {}
    for dialect in Dialect:
        for operation in operations:
            path = prefix + dialect.path(operation.path)
            described = _operation(operation, path, dialect, references)
            if dialect is Dialect.SPARKS:
                described = in_words_of_before(described)
            # Where the dialects have the same path it is one operation, described in today's words.
            paths.setdefault(path, {}).setdefault(operation.method.lower(), described)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Embedded Minds API", "version": "1"},
        "security": [{"bearer": []}],
        "paths": paths,
        "components": {
            "schemas": {
                **schemas,
                **{f"{name}{BEFORE}": in_words_of_before(schema) for name, schema in schemas.items()},
            },
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer"},
                "demoToken": {"type": "apiKey", "in": "header", "name": DEMO_TOKEN_HEADER},
            },
        },
    }


def in_words_of_before(described: Any) -> Any:
    """A part of the document with its fields renamed, and with references to schemas where they are too."""
    if isinstance(described, Mapping):
        return {key: _keyword_of_before(key, value) for key, value in described.items()}
    return [in_words_of_before(value) for value in described] if isinstance(described, list) else described


def _keyword_of_before(keyword: str, value: Any) -> Any:
    match keyword:
        case "$ref":
            return f"{value}{BEFORE}"
        case "properties":
            return {TODAY_TO_BEFORE.get(name, name): in_words_of_before(schema) for name, schema in value.items()}
        case "required" if isinstance(value, list):
            return [TODAY_TO_BEFORE.get(name, name) for name in value]
        case _:
            return in_words_of_before(value)


def _schemas(operations: Sequence[Operation]) -> tuple[References, Mapping[str, Any]]:
    wanted: dict[tuple[type[BaseModel], JsonSchemaMode], None] = {(ErrorBody, "serialization"): None}
    for operation in operations:
        wanted |= {(model, "serialization"): None for model in operation.answers.values() if model}
        wanted |= {(model, "validation"): None for models in operation.bodies.values() for model in models}
    references, definitions = models_json_schema(
        list(wanted), by_alias=True, ref_template="#/components/schemas/{model}"
    )
    return references, definitions["$defs"]


class Description:
    """`GET /openapi.json`. The document is made when it is first asked for: it takes a good part of a start."""

    def __init__(self, operations: Sequence[Operation], prefix: str) -> None:
        self._operations, self._prefix = operations, prefix
        self._written = b""

    async def read(self, _request: Request) -> Response:
        """The document, in both dialects."""
        if not self._written:
            self._written = await asyncio.to_thread(self._write)
        return Response(self._written, media_type="application/json")

    def _write(self) -> bytes:
        return orjson.dumps(document(self._operations, self._prefix))


def _operation(operation: Operation, path: str, dialect: Dialect, references: References) -> dict[str, Any]:
    described: dict[str, Any] = {
        "operationId": operation.id if dialect is Dialect.MINDS else f"{operation.id}{BEFORE}",
        "summary": operation.summary,
        "parameters": list(_parameters(operation, path, dialect)),
        "responses": _responses(operation, references),
    }
    if operation.for_visitors:
        described["security"] = [{"bearer": []}, {"demoToken": []}]
    if operation.signed:
        described["security"] = []
    if operation.bodies:
        content = {kind: {"schema": _body(models, references)} for kind, models in operation.bodies.items()}
        described["requestBody"] = {"content": content}
    return described


def _parameters(operation: Operation, path: str, dialect: Dialect) -> Iterable[dict[str, Any]]:
    for name in re.findall(r"\{(\w+)\}", path):
        uuid = {"type": "string", "format": "uuid"}
        yield {"name": name, "in": "path", "required": True, "schema": uuid}
    for name, schema in operation.query.items():
        yield {"name": dialect.word(name), "in": "query", "schema": dict(schema)}
    for name, meaning in operation.headers.items():
        yield {"name": name, "in": "header", "description": meaning, "schema": {"type": "string"}}


def _responses(operation: Operation, references: References) -> dict[str, Any]:
    responses: dict[str, Any] = {}
    for status, model in operation.answers.items():
        responses[str(status)] = {"description": "Done"}
        if model is not None:
            responses[str(status)]["content"] = _json(references[model, "serialization"])
    for status in operation.refusals:
        refused = _json(references[ErrorBody, "serialization"])
        responses[str(status)] = {"description": "Refused", "content": refused}
    return responses


def _body(models: Sequence[type[BaseModel]], references: References) -> dict[str, Any]:
    if not models:
        return UPLOAD
    choices = [dict(references[model, "validation"]) for model in models]
    return choices[0] if len(choices) == 1 else {"anyOf": choices}


def _json(schema: Reference) -> dict[str, Any]:
    return {"application/json": {"schema": dict(schema)}}
