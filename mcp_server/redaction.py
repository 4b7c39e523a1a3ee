"""Secrets out of what is logged, by the name of the field and by the shape of the text. Pure."""

import re
from collections.abc import Mapping
from typing import Any

from structlog.typing import EventDict

REDACTED = "[redacted]"

SECRET_NAMES = re.compile(
    r"authorization|cookie|token|secret|password|api_?key|credential|^code$|code_verifier|assertion", re.IGNORECASE
)
SECRET_SHAPES = re.compile(
    r"(?:minds|aox)_[0-9A-Za-z]{8,}"
    r"|[Bb]earer\s+[A-Za-z0-9._~+/=-]{8,}"
    r"|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*"
    r"|(?<=://)[^/\s:@]+:[^/\s@]+(?=@)"
)
"""Our keys, bearer headers, JWTs, and the user part of a URL."""

PLAIN_NAMES = frozenset({"tokens", "max_tokens", "token_count"})


def redact(_logger: Any, _method: str, event: EventDict) -> EventDict:
    """Take secrets out by the name of the field and by the shape of the text, however deep."""
    return {name: _clean(name, value) for name, value in event.items()}


def _clean(name: str, value: Any) -> Any:
    if isinstance(value, str):
        if name != "event" and name not in PLAIN_NAMES and SECRET_NAMES.search(name):
            return REDACTED
        return SECRET_SHAPES.sub(REDACTED, value)
    if isinstance(value, Mapping):
        return {key: _clean(str(key), part) for key, part in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_clean(name, part) for part in value]
    return value
