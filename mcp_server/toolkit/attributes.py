"""Attributes of a persona, such as `region: North`: they are carried as its tags, which every backend documents."""

from collections.abc import Iterable, Mapping
from typing import Annotated

from pydantic import Field

from mcp_server.toolkit.arguments import ONE_LINE, TRIMMED

SEPARATOR = ": "
MOST_TAGS = 20

Key = Annotated[str, TRIMMED, Field(min_length=1, max_length=20, pattern="^[^:]+$"), ONE_LINE]
Value = Annotated[str, TRIMMED, Field(min_length=1, max_length=200), ONE_LINE]
Attributes = Annotated[
    dict[Key, Value],
    Field(max_length=15, description="Short facts to compare by, such as role, region or age: kept as tags."),
]
Changes = Annotated[
    dict[Key, Annotated[str, TRIMMED, Field(max_length=200), ONE_LINE]],
    Field(max_length=15, description="Short facts to compare by; an empty text takes the attribute away."),
]


def tags_of(attributes: Mapping[str, str]) -> list[str]:
    """A tag `key: value` for each."""
    return [f"{key}{SEPARATOR}{value}" for key, value in attributes.items()]


def attributes_of(tags: Iterable[str]) -> dict[str, str]:
    """What the tags say of a persona; a tag without a key is none. Keys are lower case, so that they are found."""
    parts = (tag.partition(SEPARATOR) for tag in tags)
    return {key.strip().casefold(): value.strip() for key, found, value in parts if found and key.strip()}


def with_attributes(tags: Iterable[str], changed: Mapping[str, str]) -> list[str]:
    """`tags`, in which `changed` replaces the attributes of the same keys; an empty value takes one away."""
    keys = {key.casefold() for key in changed}
    kept = [tag for tag in tags if not (attributes_of([tag]).keys() & keys)]
    return [*kept, *tags_of({key: value for key, value in changed.items() if value})][:MOST_TAGS]
