"""What a handler is given of a request: ids, a page, a body, an idempotency key."""

from types import SimpleNamespace
from typing import Any

import pytest
from starlette.requests import Request

from app.internal_api.errors import BadRequest
from app.internal_api.http.access import idempotency_key
from app.internal_api.http.call import Call
from app.internal_api.settings import InternalApiSettings
from tests.app.internal_api.support import ADA

ID = "00000000-0000-4000-8000-00000000000a"


def _call(query: str = "", headers: tuple[tuple[bytes, bytes], ...] = (), **path_params: str) -> Call:
    services: Any = SimpleNamespace(settings=InternalApiSettings(idempotency_hours=2), clock=lambda: 9_000_000)
    request = Request({"type": "http", "query_string": query.encode(), "headers": headers})
    return Call(request, ADA, services, path_params)


@pytest.mark.parametrize("given", [ID, ID.upper()])
def test_an_id_is_read_in_lower_case(given: str) -> None:
    assert _call(mindId=given).id("mindId") == ID


@pytest.mark.parametrize("given", ["", "1", "..", ID[:-1], ID.replace("-", ""), f"{{{ID}}}", "x" * 36])
def test_what_is_not_written_as_a_uuid_is_refused_by_its_name(given: str) -> None:
    with pytest.raises(BadRequest, match=r"^mindId "):
        _call(mindId=given).id("mindId")


@pytest.mark.parametrize(
    ("query", "wanted"),
    [("", (100, 0)), ("limit=1&offset=7", (1, 7)), ("offset=2147483647", (100, 2**31 - 1))],
)
def test_a_page_has_a_hundred_rows_unless_it_is_said(query: str, wanted: tuple[int, int]) -> None:
    assert tuple(_call(query).page().values()) == wanted


@pytest.mark.parametrize("query", ["limit=0", "limit=101", "limit=", "limit=1.5", "offset=-1", "offset=2147483648"])
def test_what_is_no_page_is_refused(query: str) -> None:
    with pytest.raises(BadRequest):
        _call(query).page()


@pytest.mark.parametrize(
    ("sent", "key"), [(b"once", "once"), (b" once ", "once"), (b"x" * 128, "x" * 128), (b" ", None), (b"x" * 129, None)]
)
def test_blank_and_overlong_idempotency_keys_are_ignored(sent: bytes, key: str | None) -> None:
    assert idempotency_key(_call(headers=((b"x-minds-idempotency-key", sent),))) == key
