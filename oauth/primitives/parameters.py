"""The parameters and the JSON of a request, read in the one way that every parser agrees on. Pure.

A parameter comes at most once (RFC 6749 section 3.1), and an empty one is absent.
"""

import json
from collections.abc import Iterable
from typing import Any

from oauth.errors import InvalidClient, InvalidRequest

MAX_LENGTH = 8_192
MAX_STATE = 2 * MAX_LENGTH
"""Of a state: whose request becomes too long by it hears so at its own redirect, which is not known yet here."""
REPEATABLE = frozenset({"resource"})  # RFC 8707 section 2; equal values count once
OF_THE_CLIENT = frozenset({"client_id", "client_secret"})
"""Overlong ones are nobody's: the answer is the one to any wrong client (RFC 6749 section 5.2)."""


class Parameters(dict[str, str]):
    """Name to value. A parameter without a value counts as absent (RFC 6749 section 3.1)."""

    __repr__ = object.__repr__  # without the values, among which are codes and secrets

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Read the decoded pairs of a query or form.

        Raises `InvalidRequest`: one is repeated or overlong; `InvalidClient`: the client's name or secret is overlong.
        """
        super().__init__()
        for name, value in pairs:
            if not value:
                continue
            is_overlong = len(value) > (MAX_STATE if name == "state" else MAX_LENGTH)
            if is_overlong and name in OF_THE_CLIENT:
                raise InvalidClient("No client has a client_id or client_secret of that length.")
            if is_overlong:
                raise InvalidRequest("A parameter of the request is too long.")
            if name in self and not (name in REPEATABLE and self[name] == value):
                raise InvalidRequest("A parameter of the request is repeated; send each once.")
            self[name] = value

    def require(self, name: str) -> str:
        """The value. Raises `InvalidRequest`: it is absent. `name` is a constant of ours, so it may be quoted."""
        if name not in self:
            raise InvalidRequest(f"The parameter {name} is missing.")
        return self[name]

    def words(self, name: str) -> frozenset[str]:
        """A space-separated list, empty when absent (RFC 6749 section 3.3)."""
        return frozenset(self.get(name, "").split(" ")) - {""}


MOST_CONTAINERS = 400
"""Objects and lists in one document, and so also how deep they stand in each other."""


def read_object(data: bytes) -> dict[str, Any]:
    """The object that `data` is, in UTF-8 (RFC 8259 section 8.1).

    Raises `ValueError`: it is something else, or is read differently by different parsers: a name that comes twice, a
    lone surrogate, a byte order mark, NaN; or holds more than `MOST_CONTAINERS` objects and lists.
    """
    # Where the reader itself stops differs from one Python to the next.
    if data.count(b"{") + data.count(b"[") > MOST_CONTAINERS:
        raise ValueError("more objects and lists than anybody needs")
    value = json.loads(data.decode("utf-8"), object_pairs_hook=named_once, parse_constant=_refuse)
    json.dumps(value, ensure_ascii=False).encode("utf-8")  # a lone surrogate has no form in UTF-8
    if not isinstance(value, dict):
        raise ValueError("not an object")  # noqa: TRY004  # what is wrong is the text that was sent, not a type of ours
    return value


def named_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of these members. Raises `ValueError`: a name comes twice, and one of the two would be lost."""
    named = dict(pairs)
    if len(named) != len(pairs):
        raise ValueError("a name comes twice")
    return named


def _refuse(constant: str) -> Any:
    message = f"{constant} is no number of JSON"
    raise ValueError(message)
