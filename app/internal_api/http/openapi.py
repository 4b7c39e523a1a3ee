"""The OpenAPI document of exactly the operations that are served."""

import asyncio
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import orjson
from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode, models_json_schema
from starlette.responses import Response

from app.internal_api.http.access import DEMO_TOKEN_HEADER
from app.internal_api.http.call import Call
from app.internal_api.http.operation import PREFIX, Operation
from app.internal_api.models.wire import ErrorBody

UPLOAD = {
    "type": "object",
    "required": ["file"],
    "properties": {
        "file": {"type": "string", "format": "binary"},
        "description": {"type": "string", "maxLength": 2000},
        "regeneratePrompt": {"type": "boolean", "default": False},
    },
}
Reference = Mapping[str, Any]
References = Mapping[Any, Reference]  # by (model, mode)


def describing(operations: Sequence[Operation]) -> Operation:
    """`GET /openapi.json`. The document is made when it is first asked for: it takes a good part of a start."""

    @cache
    def written() -> bytes:
        return orjson.dumps(document(operations))

    async def get_openapi_document(_call: Call) -> Response:
        """The description of the API."""
        return Response(await asyncio.to_thread(written), media_type="application/json")

    path, handler = "/openapi.json", get_openapi_document
    return Operation(method="GET", path=path, handler=handler, scope=None, answers={200: None}, public=True)


def document(operations: Sequence[Operation]) -> dict[str, Any]:
    """OpenAPI 3.1."""
    references, schemas = _schemas(operations)
    paths: dict[str, dict[str, Any]] = {}
    for operation in operations:
        described = _operation(operation, references)
        paths.setdefault(PREFIX + operation.path, {})[operation.method.lower()] = described
    return {
        "openapi": "3.1.0",
        "info": {"title": "Embedded Minds API", "version": "1"},
        "security": [{"bearer": []}],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer"},
                "demoToken": {"type": "apiKey", "in": "header", "name": DEMO_TOKEN_HEADER},
            },
        },
    }


def _schemas(operations: Sequence[Operation]) -> tuple[References, Mapping[str, Any]]:
    wanted: dict[tuple[type[BaseModel], JsonSchemaMode], None] = {(ErrorBody, "serialization"): None}
    for operation in operations:
        wanted |= {(model, "serialization"): None for model in operation.answers.values() if model}
        wanted |= {(model, "validation"): None for model in operation.bodies}
    template = "#/components/schemas/{model}"
    references, definitions = models_json_schema(list(wanted), by_alias=True, ref_template=template)
    return references, definitions["$defs"]


def _operation(operation: Operation, references: References) -> dict[str, Any]:
    described: dict[str, Any] = {
        "operationId": operation.id,
        "summary": operation.summary,
        "parameters": list(_parameters(operation)),
        "responses": _responses(operation, references),
    }
    if operation.for_visitors:
        described["security"] = [{"bearer": []}, {"demoToken": []}]
    if operation.public:
        described["security"] = []
    choices = [dict(references[model, "validation"]) for model in operation.bodies]
    if choices:
        content = _json(choices[0] if len(choices) == 1 else {"anyOf": choices})
        if operation.takes_upload:
            content["multipart/form-data"] = {"schema": UPLOAD}
        described["requestBody"] = {"content": content}
    return described


def _parameters(operation: Operation) -> Iterable[dict[str, Any]]:
    for name in re.findall(r"\{(\w+)\}", operation.path):
        uuid = {"type": "string", "format": "uuid"}
        yield {"name": name, "in": "path", "required": True, "schema": uuid}
    for name, schema in operation.query.items():
        yield {"name": name, "in": "query", "schema": dict(schema)}
    for name, meaning in operation.headers.items():
        yield {"name": name, "in": "header", "description": meaning, "schema": {"type": "string"}}


def _responses(operation: Operation, references: References) -> dict[str, Any]:
    responses: dict[str, Any] = {}
    for status, model in operation.answers.items():
        content = {} if model is None else {"content": _json(references[model, "serialization"])}
        responses[str(status)] = {"description": "Done", **content}
    refused = {"description": "Refused", "content": _json(references[ErrorBody, "serialization"])}
    return responses | {str(status): refused for status in operation.all_refusals}


def _json(schema: Reference) -> dict[str, Any]:
    return {"application/json": {"schema": dict(schema)}}
