"""A tool's function read once: its arguments become a model and a schema, its dependencies a plan."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, get_args, get_type_hints

import mcp_types as types
from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError, create_model
from pydantic_core import ErrorDetails

from mcp_server.errors import InvalidArguments

MAX_REPORTED = 5  # faults named in one message; more would not help a model to mend the call


PROVIDED = object()
"""Marks a parameter that the runtime fills in, as `Annotated[Service, PROVIDED]`; the model never sees it."""


@dataclass(frozen=True, slots=True)
class Signature:
    """What a tool takes from the model, what it takes from the runtime, and what it returns."""

    arguments: type[BaseModel]
    provided: Mapping[str, type]
    returns: Any

    def validate(self, raw: Mapping[str, Any] | None) -> dict[str, Any]:
        """The arguments as the function wants them. Raises InvalidArguments: each fault, in words to act on."""
        try:
            model = self.arguments.model_validate(raw or {})
        except ValidationError as error:
            faults = error.errors(include_url=False, include_context=True, include_input=False)
            schema = self.arguments.model_json_schema()
            sentences = [_fault(fault, schema) for fault in faults[:MAX_REPORTED]]
            more = [f"and {len(faults) - MAX_REPORTED} more"] if len(faults) > MAX_REPORTED else []
            raise InvalidArguments("; ".join(sentences + more)) from None
        return {name: getattr(model, name) for name in self.arguments.model_fields}


def read_signature(function: Callable[..., Any]) -> Signature:
    """Read `function` once, when its tool is made. Raises TypeError: a parameter or the return value has no type."""
    hints = get_type_hints(function, include_extras=True)
    fields: dict[str, Any] = {}
    provided: dict[str, type] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if name not in hints:
            raise TypeError(f"{function.__name__}: parameter {name} has no type")
        if PROVIDED in get_args(hints[name])[1:]:
            provided[name] = get_args(hints[name])[0]
        else:
            default = ... if parameter.default is parameter.empty else parameter.default
            # Models send null for what they leave out.
            hint = hints[name] if default is None or default is ... else Annotated[hints[name], _null_as(default)]
            fields[name] = (hint, default)
    if "return" not in hints:
        raise TypeError(f"{function.__name__}: the return value has no type")
    config = ConfigDict(extra="forbid", hide_input_in_errors=True)
    return Signature(create_model(function.__name__, __config__=config, **fields), provided, hints["return"])


def _null_as(default: Any) -> BeforeValidator:
    return BeforeValidator(lambda value: default if value is None else value)


def compact_schema(schema: Any) -> Any:
    """`schema` without pydantic's generated titles, which repeat the name and cost the model tokens."""
    if isinstance(schema, list):
        return [compact_schema(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    # Under `properties` and `$defs` the keys are names, so a property that is called "title" stays.
    return {
        key: {name: compact_schema(part) for name, part in value.items()}
        if key in {"properties", "$defs"}
        else compact_schema(value)
        for key, value in schema.items()
        if not (key == "title" and isinstance(value, str))
    }


def input_schema(signature: Signature) -> dict[str, Any]:
    """The JSON Schema of the arguments: always an object, closed.

    Null is taken for an argument that may be left out, because models send it, and not advertised.
    """
    schema: dict[str, Any] = compact_schema(signature.arguments.model_json_schema())
    for model in (schema, *schema.get("$defs", {}).values()):
        if "properties" in model:
            model["properties"] = {name: _without_null(about) for name, about in model["properties"].items()}
    return {"type": "object", "properties": {}, **schema}


def _without_null(about: dict[str, Any]) -> dict[str, Any]:
    kinds: list[dict[str, Any]] = [kind for kind in about.get("anyOf", ()) if kind != {"type": "null"}]
    if len(kinds) != 1 or about.get("default", ...) is not None:
        return about
    return {key: value for key, value in about.items() if key not in {"anyOf", "default"}} | kinds[0]


def output_schema(signature: Signature) -> dict[str, Any] | None:
    """The JSON Schema of the structured result: either the model's fields or, for a failure, `error`.

    Clients validate structured content whether or not the result is an error, so both shapes stand in it.
    """
    returns = signature.returns
    if not (isinstance(returns, type) and issubclass(returns, BaseModel)) or issubclass(returns, types.Result):
        return None
    schema: dict[str, Any] = compact_schema(returns.model_json_schema(mode="serialization", by_alias=True))
    required = schema.pop("required", [])
    error = {
        "type": "object",
        "description": "Present instead of the other fields when the call failed (`isError`).",
        "properties": {"code": {"type": "string"}, "message": {"type": "string"}},
        "required": ["code", "message"],
    }
    schema["properties"] = {**schema.get("properties", {}), "error": error}
    return {**schema, "type": "object", "anyOf": [{"required": required}, {"required": ["error"]}]}


def _fault(fault: ErrorDetails, schema: Mapping[str, Any]) -> str:
    # The names of unknown arguments are the caller's own text: cut, so that they cannot flood the answer.
    place = ".".join(str(part)[:60] for part in fault["loc"]) or "arguments"
    match fault["type"]:
        case "missing":
            return f"{place} is required"
        case "extra_forbidden":
            return f"{place} is not an argument; known are {', '.join(_known(schema, fault['loc'][:-1])) or 'none'}"
        case "value_error":
            return f"{place}: {fault['ctx']['error']}"
        case "model_type":
            return f"{place}: input should be an object"
        case _:
            return f"{place}: {fault['msg'][:1].lower()}{fault['msg'][1:]}"


def _known(schema: Mapping[str, Any], place: Sequence[str | int]) -> list[str]:
    """The names that the object at `place` takes."""
    node: Any = schema
    for part in place:
        node = node.get("items", {}) if isinstance(part, int) else node.get("properties", {}).get(part, {})
        node = next((kind for kind in node.get("anyOf", ()) if kind.get("type") != "null"), node)
        if "$ref" in node:
            node = schema["$defs"][node["$ref"].rpartition("/")[2]]
    return list(node.get("properties", {}))
