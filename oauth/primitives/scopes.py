"""The scopes that this gateway knows, and the arithmetic on them."""

import tomllib
from collections.abc import Iterable, Mapping
from importlib.resources import files
from types import MappingProxyType

from oauth.errors import Unacceptable

_TABLES = tomllib.loads(files(__package__).joinpath("scopes.toml").read_text("utf-8"))
IN_WORDS: Mapping[str, str] = MappingProxyType(_TABLES["in_words"])
"""What each scope means to the person who is asked for it."""
IN_SHORT: Mapping[str, str] = MappingProxyType(_TABLES["in_short"])
"""The same in so few words that many stand on one line."""
GROUPS: Mapping[str, str] = MappingProxyType(_TABLES["groups"])
"""What the scopes are about, by what they begin with."""
SCOPES = tuple(IN_WORDS)
ALL = frozenset(SCOPES)


def parse(text: str) -> frozenset[str]:
    """The scopes of a space-separated list (RFC 6749 section 3.3).

    Raises `Unacceptable`: none is named, or one is unknown.
    """
    named = frozenset(text.split(" ")) - {""}
    if not named:
        raise Unacceptable(f"Name at least one scope of: {written(ALL)}.")
    if unknown := sorted(named - ALL):
        raise Unacceptable(f"Unknown scope {unknown[0]!r}. The scopes are: {written(ALL)}.")
    return named


def grouped(scopes: Iterable[str]) -> dict[str, dict[str, str]]:
    """`IN_WORDS` of these scopes, under what they are about."""
    groups: dict[str, dict[str, str]] = {}
    for scope in sorted(frozenset(scopes) & ALL, key=SCOPES.index):
        groups.setdefault(GROUPS[scope[: scope.index(":") + 1]], {})[scope] = IN_WORDS[scope]
    return groups


def written(scopes: Iterable[str]) -> str:
    """The wire form, in the order of `SCOPES`, so that equal sets are equal strings."""
    held = frozenset(scopes)
    return " ".join(scope for scope in SCOPES if scope in held)
