"""The sentences that a wording must have."""

from collections.abc import Mapping
from dataclasses import dataclass

from app.internal_api.engines.extractive.asking import Ask


@dataclass(frozen=True, slots=True)
class Wording:
    """Phrases of one language. Tuples are alternatives; `{name}`, `{field}` and `{topics}` are filled in.

    `leads` and `greetings` go by the persona's type; `asked` by what the question is after.
    """

    leads: Mapping[str, tuple[str, ...]]
    asked: Mapping[Ask, tuple[str, ...]]
    partial: tuple[str, ...]
    further: tuple[str, ...]
    nothing: tuple[str, ...]
    more: tuple[str, ...]
    nothing_more: tuple[str, ...]
    offer: str
    invite: str
    greetings: Mapping[str, tuple[str, ...]]
    field: str
    ask_me: str
    thanks: tuple[str, ...]
    farewell: tuple[str, ...]
    identity: str
    method: str
    topics: str
    position: tuple[str, ...]
    no_position: tuple[str, ...]
    no_rating: tuple[str, ...]
    overview: tuple[str, ...]
    and_: str
