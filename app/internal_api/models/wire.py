"""What all wire models share: camel-case names, envelopes, rules for text and links, times."""

import unicodedata
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Annotated, Any, Generic, Literal, TypeVar
from urllib.parse import urlsplit
from uuid import UUID

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, model_validator
from pydantic.alias_generators import to_camel

MAX_LINK = 2048
# Line and paragraph separators, surrogates, and the marks that reorder text: none belongs in a name.
UNSPEAKABLE = {"Cc", "Cs", "Zl", "Zp"}
REORDERING = frozenset("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")

RETIRED = {"sparkId": "mindId", "sparkIds": "mindIds", "groupIds": "audienceIds", "groupConfigs": "audienceConfigs"}
"""Earlier names of fields. The contract refuses them, since to ignore them would lose what was said."""

Part = TypeVar("Part")


class ResponseModel(BaseModel):
    """An answer, or a part of one: every field is always present."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True, from_attributes=True)


class RequestModel(BaseModel):
    """A request body: unknown fields are ignored, and null is the same as absent."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True, extra="ignore")

    @model_validator(mode="before")
    @classmethod
    def _refuse_retired_names_and_drop_nulls(cls, body: Any) -> Any:
        if not isinstance(body, dict):
            return body
        for name in RETIRED.keys() & body.keys():
            raise ValueError(f"{name} is not a field here; use {RETIRED[name]}")
        return {key: value for key, value in body.items() if value is not None}


def iso(milliseconds: int) -> str:
    """An instant as ISO 8601 in UTC with milliseconds."""
    moment = datetime.fromtimestamp(milliseconds / 1000, tz=UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def one_line(value: str) -> str:
    """Refuse what would break out of one line of text."""
    if any(unicodedata.category(sign) in UNSPEAKABLE or sign in REORDERING for sign in value):
        raise ValueError("must not contain control characters")
    return value


def many_lines(value: str) -> str:
    """Refuse control characters other than tabs and line ends."""
    if any(unicodedata.category(sign) in {"Cc", "Cs"} and sign not in "\t\n\r" for sign in value):
        raise ValueError("must not contain control characters")
    return value


def http_link(value: str) -> str:
    """Refuse what is not an http or https address; whether it may be reached is the fetcher's question."""
    one_line(value)
    try:
        parts = urlsplit(value)
        is_address = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0 and " " not in value
    except ValueError:
        is_address = False
    if not is_address:
        raise ValueError("must be an http or https address")
    if parts.username is not None or parts.password is not None:
        raise ValueError("must not carry a user name or a password")
    return value


PLAIN = AfterValidator(one_line)
PROSE = AfterValidator(many_lines)


def trimmed(least: int, most: int) -> StringConstraints:
    """Text without the white space around it, of a bounded length."""
    return StringConstraints(strip_whitespace=True, min_length=least, max_length=most)


Link = Annotated[str, trimmed(1, MAX_LINK), AfterValidator(http_link)]
Keyword = Annotated[str, trimmed(1, 100), PLAIN]
Time = Annotated[
    str,
    BeforeValidator(lambda value: iso(value) if isinstance(value, int) else value),
    Field(json_schema_extra={"format": "date-time"}),
]
"""ISO 8601; made of the epoch milliseconds that are stored."""
Id = Annotated[str, Field(json_schema_extra={"format": "uuid"})]


class ErrorBody(ResponseModel):
    """What every refusal looks like; `data` only where there is more to say."""

    status_code: int
    status_message: str
    message: str
    url: str
    error: bool
    data: dict[str, Any] | None = None


class Page(RequestModel):
    """Which part of a list is wanted."""

    limit: int = Field(100, ge=1, le=100)
    offset: int = Field(0, ge=0, le=2**31 - 1)


class Pagination(ResponseModel):
    """Which part of how many."""

    total: int
    limit: int
    offset: int


class Data(ResponseModel, Generic[Part]):
    """The envelope of one thing."""

    data: Part


class Listed(ResponseModel, Generic[Part]):
    """The envelope of a part of a list."""

    data: list[Part]
    pagination: Pagination


class Success(ResponseModel, Generic[Part]):
    """The envelope that knowledge and prompts have."""

    success: Literal[True] = True
    data: Part


def uuid_text(value: str) -> str:
    """A UUID as it is stored, in lower case. Raises ValueError for any other spelling."""
    try:
        found = str(UUID(value))
    except ValueError:
        found = ""
    if len(value) != len(found) or not found:
        raise ValueError("must be a UUID")
    return found


Uuid = Annotated[str, AfterValidator(uuid_text), Field(json_schema_extra={"format": "uuid"})]


def absent(value: object) -> bool:
    """Whether an optional field of the contract is left out: there, what is not known is missing, not null."""
    return value is None


def plain(value: object) -> dict[str, Any]:
    """A model as a mapping, for orjson's `default`, which calls this for every model inside.

    So other threads run between the parts of a large answer; pydantic would dump it as one, and hold up all of them.
    """
    if not isinstance(value, BaseModel):
        raise TypeError
    fields = ((alias, getattr(value, name), left_out) for name, alias, left_out in _fields(type(value)))
    return {alias: part for alias, part, left_out in fields if left_out is None or not left_out(part)}


@cache
def _fields(model: type[BaseModel]) -> Sequence[tuple[str, str, Callable[[Any], bool] | None]]:
    found = model.model_fields.items()
    return [(name, field.serialization_alias or name, field.exclude_if) for name, field in found]
