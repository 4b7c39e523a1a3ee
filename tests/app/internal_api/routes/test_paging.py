"""Which part of a list a request wants."""

from typing import Any

import pytest
from starlette.requests import Request

from app.internal_api.dialect import Dialect
from app.internal_api.errors import BadRequest
from app.internal_api.routes.call import Call
from app.internal_api.routes.paging import Page, page
from tests.app.internal_api.support import ADA


def _call(query: str) -> Call:
    services: Any = None
    return Call(Request({"type": "http", "query_string": query.encode()}), ADA, services, Dialect.MINDS)


@pytest.mark.parametrize(
    ("query", "wanted"),
    [("", Page(100, 0)), ("limit=1&offset=7", Page(1, 7)), ("offset=2147483647", Page(100, 2**31 - 1))],
)
def test_a_page_has_a_hundred_rows_unless_it_is_said(query: str, wanted: Page) -> None:
    assert page(_call(query)) == wanted


@pytest.mark.parametrize("query", ["limit=0", "limit=101", "limit=", "limit=1.5", "offset=-1", "offset=2147483648"])
def test_what_is_no_page_is_refused(query: str) -> None:
    with pytest.raises(BadRequest):
        page(_call(query))


def test_a_page_says_of_how_many_it_is() -> None:
    assert Page(10, 20).of(35).model_dump() == {"total": 35, "limit": 10, "offset": 20}
