"""The routes, made from the table of operations."""

import re
from collections.abc import Callable, Sequence

from starlette.routing import BaseRoute, Mount, Route, Router
from starlette.types import ASGIApp

from app.internal_api.dialect import Dialect
from app.internal_api.routes.boundary import Boundary
from app.internal_api.routes.call import Services
from app.internal_api.routes.document import Description
from app.internal_api.routes.operation import Endpoint, Operation
from app.internal_api.routes.shown import PREFIX

Around = Callable[[ASGIApp], ASGIApp]
"""Wraps the whole API, for whoever composes it."""


def unwrapped(app: ASGIApp) -> ASGIApp:
    """The API by itself."""
    return app


def create_routes(services: Services, operations: Sequence[Operation], around: Around = unwrapped) -> list[BaseRoute]:
    """Everything under the prefix, in both dialects, behind one boundary, and that behind what `around` says."""
    by_path: dict[str, dict[str, Operation]] = {}
    for dialect in Dialect:
        for operation in operations:
            by_path.setdefault(dialect.path(operation.path), {})[operation.method] = operation
    routes: list[BaseRoute] = [Route(path, Endpoint(services, by_method)) for path, by_method in by_path.items()]
    routes.append(Route("/openapi.json", Description(operations, PREFIX).read, methods=["GET"]))
    mount = Mount(PREFIX, app=around(Boundary(Router(routes, redirect_slashes=False))), name="internal_api")
    # So that a line end in a path is refused by this API, in its own words, and not missed by the pattern.
    mount.path_regex = re.compile(mount.path_regex.pattern, re.DOTALL)
    return [mount]
