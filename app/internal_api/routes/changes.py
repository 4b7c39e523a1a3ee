"""Which operations change something, known before a request is routed."""

import re
from collections.abc import Sequence

from starlette.routing import compile_path

from app.internal_api.dialect import Dialect
from app.internal_api.routes.operation import Operation
from app.internal_api.routes.shown import PREFIX


class Changes:
    """Which operation changes something, by method and path. What only reads is None, as is what is none."""

    def __init__(self, operations: Sequence[Operation]) -> None:
        self._by_method: dict[str, list[tuple[re.Pattern[str], str]]] = {}
        for operation in operations:
            if operation.method != "GET":
                paths = (compile_path(PREFIX + dialect.path(operation.path))[0] for dialect in Dialect)
                self._by_method.setdefault(operation.method, []).extend((path, operation.id) for path in paths)

    def of(self, method: str, path: str) -> str | None:
        """The id of the operation; `path` is the whole one, in either dialect."""
        known = self._by_method.get(method, ())
        return next((operation for pattern, operation in known if pattern.match(path)), None)
