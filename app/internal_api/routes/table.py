"""Every operation of the embedded API, in one table: routes and OpenAPI are both made from it."""

from collections.abc import Sequence

from app.internal_api.routes import (
    operations_asking,
    operations_audiences,
    operations_knowledge,
    operations_minds,
    operations_results,
    operations_studies,
)
from app.internal_api.routes.operation import Operation


def operations() -> Sequence[Operation]:
    """In the order of the contract; each family of endpoints has its part of the table in a module of its own."""
    return (
        *operations_minds.OPERATIONS,
        *operations_knowledge.OPERATIONS,
        *operations_audiences.OPERATIONS,
        *operations_studies.OPERATIONS,
        *operations_asking.OPERATIONS,
        *operations_results.OPERATIONS,
    )
