"""The parameters of a request, parsed once: each at most once (RFC 6749 section 3.1), empty ones absent. Pure."""

from collections.abc import Iterable, Mapping

from oauth.errors import InvalidClient, InvalidRequest

MAX_LENGTH = 8_192
MAX_STATE = 2 * MAX_LENGTH
"""Of a state: whose request becomes too long by it hears so at its own redirect, which is not known yet here."""
REPEATABLE = frozenset({"resource"})  # RFC 8707 section 2; equal values count once
OF_THE_CLIENT = frozenset({"client_id", "client_secret"})
"""Overlong ones are nobody's: the answer is the one to any wrong client (RFC 6749 section 5.2)."""


class Parameters:
    """Name to value. A parameter without a value counts as absent (RFC 6749 section 3.1)."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Read the decoded pairs of a query or form.

        Raises `InvalidRequest`: one is repeated or overlong; `InvalidClient`: the client's name or secret is overlong.
        """
        self._values: dict[str, str] = {}
        for name, value in pairs:
            if not value:
                continue
            is_overlong = len(value) > (MAX_STATE if name == "state" else MAX_LENGTH)
            if is_overlong and name in OF_THE_CLIENT:
                raise InvalidClient("No client has a client_id or client_secret of that length.")
            if is_overlong:
                raise InvalidRequest("A parameter of the request is too long.")
            if name in self._values and not (name in REPEATABLE and self._values[name] == value):
                raise InvalidRequest("A parameter of the request is repeated; send each once.")
            self._values[name] = value

    def get(self, name: str) -> str | None:
        return self._values.get(name)

    def require(self, name: str) -> str:
        """The value. Raises `InvalidRequest`: it is absent. `name` is a constant of ours, so it may be quoted."""
        value = self._values.get(name)
        if value is None:
            raise InvalidRequest(f"The parameter {name} is missing.")
        return value

    def words(self, name: str) -> frozenset[str]:
        """A space-separated list, empty when absent (RFC 6749 section 3.3)."""
        return frozenset(self._values.get(name, "").split(" ")) - {""}

    def as_mapping(self) -> Mapping[str, str]:
        return dict(self._values)
