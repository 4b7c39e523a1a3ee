"""The shapes that settings are written in."""

import ipaddress
from collections.abc import Callable
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_settings import NoDecode


def _listed(value: Any) -> Any:
    """A comma-separated string as a tuple without blanks; anything else as it is."""
    return tuple(part for part in map(str.strip, value.split(",")) if part) if isinstance(value, str) else value


def each(check: Callable[[str], str]) -> AfterValidator:
    """`check` for each entry of a list; repeated entries are one."""
    return AfterValidator(lambda values: tuple(dict.fromkeys(check(value) for value in values)))


def network(text: str) -> str:
    """An address or a network in its plain form.

    Raises:
        ValueError: it is neither.

    """
    return str(ipaddress.ip_network(text, strict=False))


Names = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_listed)]
"""Comma-separated in the environment."""
Seconds = Annotated[float, Field(gt=0, le=86_400)]
Count = Annotated[int, Field(ge=1, le=1_000)]
