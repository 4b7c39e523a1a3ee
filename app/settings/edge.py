"""The settings of the edge that bound what strangers can hold, and what they may read about this server."""

import re
from typing import Annotated

from pydantic import Field
from pydantic_settings import BaseSettings

from app.settings.types import Names, Seconds, each

CONTACT_FORM = re.compile(r"(mailto:[^\s@]+@[^\s@]+|https://\S+|tel:\+?[0-9-]+)", re.ASCII)


def _contact(text: str) -> str:
    if CONTACT_FORM.fullmatch(text) is None:
        raise ValueError("write it as mailto:security@your.domain or as an https:// address")
    return text


class EdgeSettings(BaseSettings):
    """A part of `Settings`."""

    max_connections: int = Field(
        4_000,
        ge=16,
        le=100_000,
        description="Open connections of one process; less where its file descriptors are few.",
    )
    max_calls_at_once: int = Field(
        100, ge=1, le=10_000, description="Calls and streams that one account, or one address, has open at once."
    )
    body_seconds: Seconds = Field(
        30, description="Seconds in which a request's body must come; large ones get a second more for each 32 KiB."
    )
    security_contact: Annotated[Names, each(_contact)] = Field(
        (), description="Where to report a vulnerability, for `security.txt`: `mailto:` or `https://`, comma-separated."
    )
