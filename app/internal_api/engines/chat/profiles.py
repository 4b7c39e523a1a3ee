"""A profile read from what a model wrote, which may be wrapped in prose or in a code fence."""

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Annotated, Any

from pydantic import BaseModel, Field, StringConstraints, ValidationError

from app.internal_api.engines.chat.citations import neutral
from app.internal_api.engines.engine import Profile
from app.internal_api.engines.extractive.terms import fold

_MOST_OBJECTS = 20  # braces that are tried as the beginning of the object
_MOST_TRAITS = 8


class UnreadableProfile(ValueError):
    """No profile in what the model wrote."""


class _Written(BaseModel):
    discipline: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    description: Annotated[str, StringConstraints(min_length=1, max_length=2_000)]
    traits: Annotated[
        list[Annotated[str, StringConstraints(max_length=200)]], Field(default_factory=list, max_length=50)
    ]


def read_profile(text: str) -> Profile:
    """The first object in the text that is a profile. Raises UnreadableProfile."""
    for found in _objects(text):
        try:
            written = _Written.model_validate(found)
        except ValidationError:
            continue
        traits = tuple(trait for trait in map(_clean, written.traits) if trait)[:_MOST_TRAITS]
        return Profile(_clean(written.discipline), _clean(written.description), traits)
    raise UnreadableProfile


def _objects(text: str) -> Iterator[Any]:
    decoder = json.JSONDecoder()
    at = text.find("{")
    for _ in range(_MOST_OBJECTS):
        if at < 0:
            return
        with suppress(ValueError, RecursionError):  # prose with a brace in it
            yield decoder.raw_decode(text, at)[0]
        at = text.find("{", at + 1)


def _clean(text: str) -> str:
    return neutral(fold(text))
