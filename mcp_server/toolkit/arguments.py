"""What the arguments of several tools have in common, with messages that a model can act on."""

import unicodedata
from typing import Annotated
from urllib.parse import urlsplit
from uuid import UUID

from pydantic import AfterValidator, Field, StringConstraints

EXAMPLE_ID = "3f2b8c1e-5d4a-4c6b-9e7f-0a1b2c3d4e5f"

UNPRINTABLE = frozenset({"Cc", "Cs", "Zl", "Zp"})
"""Unicode categories: control characters, halves of surrogate pairs, line and paragraph separators."""

REORDERING = frozenset("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Marks that show a text in another order than it has."""


def _one_line(value: str) -> str:
    if any(unicodedata.category(sign) in UNPRINTABLE or sign in REORDERING for sign in value):
        raise ValueError("must be one line of plain text, without line breaks or control characters")
    return value


def _plain_text(value: str) -> str:
    if any(unicodedata.category(sign) in {"Cc", "Cs"} and sign not in "\t\n\r" for sign in value):
        raise ValueError("must be plain text; remove the control characters")
    return value


def identifier(listed_by: str) -> AfterValidator:
    """A UUID in its usual form; `listed_by` is the tool that shows such ids."""

    def checked(value: str) -> str:
        try:
            return str(UUID(value.strip()))
        except ValueError:
            raise ValueError(f"must be a UUID such as {EXAMPLE_ID}; call {listed_by} to see the ids") from None

    return AfterValidator(checked)


def _web_link(value: str) -> str:
    try:
        parts = urlsplit(_one_line(value))
        sound = parts.scheme in {"http", "https"} and bool(parts.hostname) and " " not in value and parts.port != 0
    except ValueError:
        sound = False
    if not sound:
        raise ValueError("must be an http or https address, whole, with its scheme and host")
    if parts.username is not None or parts.password is not None:
        raise ValueError("must not carry a user name or a password")
    return value


TRIMMED = StringConstraints(strip_whitespace=True)
ONE_LINE = AfterValidator(_one_line)
PLAIN_TEXT = AfterValidator(_plain_text)
WEB_LINK = AfterValidator(_web_link)
WebAddress = Annotated[str, TRIMMED, Field(max_length=2_048, json_schema_extra={"format": "uri"}), WEB_LINK]
