"""The table of operations: what one method of one path asks and answers. Routes and OpenAPI are made from it."""

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel
from pydantic.alias_generators import to_camel
from starlette.responses import Response
from starlette.routing import compile_path

from app.internal_api.http.call import MAX_LIMIT, Call

PREFIX = "/api/v1"
READ = "sparks:read"
WRITE = "sparks:write"
CHAT = "sparks:chat"
FLOWS_READ = "flows:read"
FLOWS_WRITE = "flows:write"

PAGE: Mapping[str, Mapping[str, Any]] = {
    "limit": {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": MAX_LIMIT},
    "offset": {"type": "integer", "minimum": 0, "default": 0},
}

Handler = Callable[[Call], Awaitable[Response]]
Schemas = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One row. `scope` None means that any credential will do; `bodies` are the forms of a JSON body."""

    method: str
    path: str
    handler: Handler
    scope: str | None
    answers: Mapping[int, Any]  # models by status
    refusals: Sequence[int] = ()  # beside those that every operation of its kind has
    bodies: Sequence[type[BaseModel]] = ()
    takes_upload: bool = False
    query: Schemas = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    for_visitors: bool = False  # a demo token alone will do
    public: bool = False  # no credential; where the address itself is the right to it, the handler checks that

    @property
    def id(self) -> str:
        """The contract's name, which the handler has in snake case."""
        return to_camel(self.handler.__name__)

    @property
    def summary(self) -> str:
        """The first sentence of what the handler says of itself."""
        return (self.handler.__doc__ or "").strip().partition(".")[0]

    @property
    def all_refusals(self) -> Sequence[int]:
        usual = (404, 500, 503) if self.public else (400, 401, 403, 404, 500, 503)
        return sorted({*usual, *self.refusals, *((413, 415) if self.bodies else ())})


class Operations(list[Operation]):
    """The rows of one resource; each is added by a decorator of its handler."""

    def get(self, path: str, scope: str | None, answer: Any, **more: Any) -> Callable[[Handler], Handler]:
        return self._add("GET", path, scope, answer, more)

    def post(self, path: str, scope: str | None, answer: Any, **more: Any) -> Callable[[Handler], Handler]:
        return self._add("POST", path, scope, answer, more)

    def put(self, path: str, scope: str | None, answer: Any, **more: Any) -> Callable[[Handler], Handler]:
        return self._add("PUT", path, scope, answer, more)

    def delete(self, path: str, scope: str | None) -> Callable[[Handler], Handler]:
        return self._add("DELETE", path, scope, {204: None}, {})

    def _add(
        self, method: str, path: str, scope: str | None, answer: Any, more: dict[str, Any]
    ) -> Callable[[Handler], Handler]:
        """`answer` is a model, or models by status; `more` are the other fields of the row."""
        answers = answer if isinstance(answer, Mapping) else {200: answer}

        def register(handler: Handler) -> Handler:
            self.append(Operation(method=method, path=path, handler=handler, scope=scope, answers=answers, **more))
            return handler

        return register


class Router:
    """Finds operations by method and path; `path` is always the whole one."""

    def __init__(self, operations: Iterable[Operation]) -> None:
        by_path: dict[str, dict[str, Operation]] = {}
        for operation in operations:
            by_path.setdefault(PREFIX + operation.path, {})[operation.method] = operation
        self._paths: list[tuple[re.Pattern[str], dict[str, Operation]]] = [
            (compile_path(path)[0], by_method) for path, by_method in by_path.items()
        ]

    def find(self, path: str) -> tuple[Mapping[str, Operation], Mapping[str, str]] | None:
        """The operations of a path by their methods, and the parameters in it."""
        for pattern, by_method in self._paths:
            if match := pattern.match(path):
                return by_method, match.groupdict()
        return None

    def change(self, method: str, path: str) -> str | None:
        """The id of the operation that changes something here. What only reads is None, as is what is none."""
        found = None if method == "GET" else self.find(path)
        operation = None if found is None else found[0].get(method)
        return None if operation is None else operation.id
