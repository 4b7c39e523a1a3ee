"""The scopes that this gateway knows, and the arithmetic on them."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from oauth.errors import Unacceptable

SCOPES = ("sparks:read", "sparks:write", "sparks:chat", "flows:read", "flows:write", "docs:read", "docs:write")
ALL = frozenset(SCOPES)
IN_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "sparks:read": "See your AI personas and how their training goes",
        "sparks:write": "Create, train, change and delete your AI personas",
        "sparks:chat": "Talk to your AI personas, which may use up your allowance",
        "flows:read": "See your panels, their questions, answers and reports",
        "flows:write": "Create, change and delete panels and groups, and ask panels, which may use up your allowance",
        "docs:read": "Search the documentation",
        "docs:write": "Create, change, publish and delete articles that everybody reads",
    }
)
"""What each scope means to the person who is asked for it."""
GROUPS: Mapping[str, str] = MappingProxyType({"sparks:": "AI personas", "flows:": "Panels", "docs:": "Documentation"})
"""What the scopes are about, by what they begin with."""
IN_SHORT: Mapping[str, str] = MappingProxyType(
    {
        "sparks:read": "See personas",
        "sparks:write": "Change personas",
        "sparks:chat": "Talk to personas",
        "flows:read": "See panels",
        "flows:write": "Ask and change panels",
        "docs:read": "Search documentation",
        "docs:write": "Change articles",
    }
)
"""The same in so few words that many stand on one line."""


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
