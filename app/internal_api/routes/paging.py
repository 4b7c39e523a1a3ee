"""Which part of a list a request wants."""

from dataclasses import dataclass

from app.internal_api.errors import BadRequest
from app.internal_api.models.wire import Pagination
from app.internal_api.routes.call import Call

MAX_LIMIT = 100
MAX_OFFSET = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Page:
    limit: int
    offset: int

    def of(self, total: int) -> Pagination:
        """What is told of this part of `total`."""
        return Pagination(total=total, limit=self.limit, offset=self.offset)


def page(call: Call) -> Page:
    """Raises BadRequest for what is no page."""
    return Page(
        limit=_whole_number(call, "limit", default=MAX_LIMIT, least=1, most=MAX_LIMIT),
        offset=_whole_number(call, "offset", default=0, least=0, most=MAX_OFFSET),
    )


def _whole_number(call: Call, name: str, *, default: int, least: int, most: int) -> int:
    given = call.query(name)
    if given is None:
        return default
    if not given.isascii() or not given.isdecimal() or not least <= int(given[:12]) <= most:
        raise BadRequest(f"{name} must be a whole number from {least} to {most}")
    return int(given)
