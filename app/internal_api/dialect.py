"""Two vocabularies of one contract: `minds` of today and `sparks` of before, apart only in some names."""

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel
from pydantic_core import to_jsonable_python

COLLECTIONS: Mapping[str, str] = {"minds": "sparks", "audiences": "groups", "studies": "panels"}
"""The first word of a path, today and before."""

ASKED: Mapping[str, str] = {
    "mindId": "sparkId",
    "mindIds": "sparkIds",
    "audienceId": "groupId",
    "audienceIds": "groupIds",
    "audienceConfigs": "groupConfigs",
    "studyId": "panelId",
}
"""Names in paths, queries and request bodies, today and before."""

TODAY_TO_BEFORE: Mapping[str, str] = {
    **ASKED,
    "mind": "spark",
    "minds": "sparks",
    "mindName": "sparkName",
    "mindCount": "sparkCount",
    "audience": "group",
    "audiences": "groups",
    "audienceName": "groupName",
    "questionAudienceId": "questionGroupId",
    "byAudience": "byGroup",
    "training": "processing",
}
"""All names. `studyMode` and `flowMode` are not among them: every study has both."""

HOLDS_NAMES = frozenset({"audienceConfigs"})
"""What in a request holds names again. Anything else in a request is the sender's, whatever its keys are."""


class RetiredName(ValueError):
    """A request has a name of the other dialect."""

    def __init__(self, name: str, replacement: str) -> None:
        super().__init__(f"{name} is not a field here; use {replacement}")


class Dialect(Enum):
    """The value is the name of the persona collection in paths."""

    MINDS = "minds"
    SPARKS = "sparks"

    @property
    def names(self) -> Mapping[str, str]:
        """What it calls things otherwise than today."""
        return MappingProxyType({}) if self is Dialect.MINDS else TODAY_TO_BEFORE

    def word(self, name: str) -> str:
        """What it calls a field or a parameter whose name today is `name`."""
        return self.names.get(name, name)

    def path(self, template: str) -> str:
        """The path that this dialect has for a path written in today's words."""
        if self is Dialect.MINDS:
            return template
        return "/".join(_segment(segment) for segment in template.split("/"))


def _segment(segment: str) -> str:
    if segment.startswith("{"):
        return f"{{{TODAY_TO_BEFORE.get(segment[1:-1], segment[1:-1])}}}"
    return COLLECTIONS.get(segment, segment)


def spoken(path: str) -> Dialect:
    """The dialect of a request, by the first collection in its path: what comes after may be anything."""
    before = COLLECTIONS.values()
    first = next((segment for segment in path.split("/") if segment in COLLECTIONS or segment in before), "")
    return Dialect.SPARKS if first in before else Dialect.MINDS


def from_wire(dialect: Dialect, body: Mapping[str, Any]) -> dict[str, Any]:
    """A request's `body` in today's names. Raises RetiredName for a name of the other dialect."""
    before = {name: today for today, name in ASKED.items()}
    own, other = ({}, before) if dialect is Dialect.MINDS else (before, ASKED)
    renamed: dict[str, Any] = {}
    for key, value in body.items():
        if key in other:
            raise RetiredName(key, other[key])
        name = own.get(key, key)
        renamed[name] = _each(dialect, value) if name in HOLDS_NAMES else value
    return renamed


def _each(dialect: Dialect, values: Any) -> Any:
    if not isinstance(values, list):
        return values
    return [from_wire(dialect, value) if isinstance(value, Mapping) else value for value in values]


def to_wire(dialect: Dialect, body: Any) -> Any:
    """`body`, which is a model, or plain data in today's names, as JSON data in the names of `dialect`.

    Of a model only the fields are renamed, and never the keys of a map in it, which may be somebody's words.
    """
    renamed = _told(body, dialect.names) if isinstance(body, BaseModel) else rename(body, dialect.names)
    if dialect is Dialect.SPARKS and isinstance(renamed, dict) and isinstance(renamed.get("processing"), dict):
        # What was a status was then the mere fact of being queued; saying both serves clients of both times.
        processing = renamed["processing"]
        renamed["processing"] = {"queued": processing.get("status") in {"queued", "running"}, **processing}
    return renamed


def mirrored(output: dict[str, Any]) -> dict[str, Any]:
    """The result of a question on the wire, with its groups under their names of today and of before."""
    groups = output[next(name for name in ("audiences", "groups") if name in output)]
    for group in groups:
        group["audience"] = group["group"] = group.get("audience", group.get("group"))
    return {**output, "audiences": groups, "groups": groups}


def rename(body: Any, names: Mapping[str, str]) -> Any:
    """A copy of `body` with every key renamed that `names` holds, at any depth."""
    if isinstance(body, Mapping):
        return {names.get(key, key): rename(value, names) for key, value in body.items()}
    if isinstance(body, list | tuple):
        return [rename(value, names) for value in body]
    return body


def _told(model: BaseModel, names: Mapping[str, str]) -> dict[str, Any]:
    """A model as JSON data.

    Every model in it is dumped by itself: a large one at once would hold up all other work, even in another thread.
    """
    inner = {name: value for name, value in model if _has_models(value)}
    dumped = model.model_dump(mode="json", by_alias=True, exclude=set(inner))
    told = {}
    for name, field in type(model).model_fields.items():
        alias = field.serialization_alias or name
        if name in inner:
            told[names.get(alias, alias)] = _parts(inner[name], names)
        elif alias in dumped:
            told[names.get(alias, alias)] = dumped[alias]
    return told


def _has_models(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(_has_models(part) for part in value.values())
    if isinstance(value, list | tuple):
        return any(_has_models(part) for part in value)
    return isinstance(value, BaseModel)


def _parts(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, BaseModel):
        return _told(value, names)
    if isinstance(value, Mapping):
        return {key: _parts(part, names) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_parts(part, names) for part in value]
    return to_jsonable_python(value)
