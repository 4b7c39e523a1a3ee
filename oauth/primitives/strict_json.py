"""JSON of strangers, read in the one way that every parser agrees on. Pure."""

import json
from typing import Any


def read_object(data: bytes) -> dict[str, Any]:
    """The object that `data` is, in UTF-8 (RFC 8259 section 8.1).

    Raises `ValueError`: it is something else, or is read differently by different parsers: a name that comes twice, a
    lone surrogate, a byte order mark, NaN, or more nesting than anybody needs.
    """
    try:
        value = json.loads(data.decode("utf-8"), object_pairs_hook=_once, parse_constant=_refuse)
        json.dumps(value, ensure_ascii=False).encode("utf-8")  # a lone surrogate has no form in UTF-8
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(value, dict):
        raise ValueError("not an object")  # noqa: TRY004  # what is wrong is the text that was sent, not a type of ours
    return value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    named = dict(pairs)
    if len(named) != len(pairs):
        raise ValueError("a name comes twice")
    return named


def _refuse(constant: str) -> Any:
    message = f"{constant} is no number of JSON"
    raise ValueError(message)
