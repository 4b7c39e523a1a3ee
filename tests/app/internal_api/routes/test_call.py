"""Ids in paths, and answers in the caller's dialect."""

from typing import Any

import pytest
from starlette.requests import Request

from app.internal_api.dialect import Dialect
from app.internal_api.errors import BadRequest
from app.internal_api.routes.call import Call, admit_any_link, json_response
from tests.app.internal_api.support import ADA

ID = "00000000-0000-4000-8000-00000000000a"


def _call(dialect: Dialect, **path_params: str) -> Call:
    request = Request({"type": "http", "path_params": path_params})
    services: Any = None
    return Call(request, ADA, services, dialect)


@pytest.mark.parametrize("given", [ID, ID.upper()])
def test_an_id_is_read_in_either_dialect_and_in_lower_case(given: str) -> None:
    assert _call(Dialect.MINDS, mindId=given).id("mindId") == ID
    assert _call(Dialect.SPARKS, sparkId=given).id("mindId") == ID


@pytest.mark.parametrize("given", ["", "1", "..", ID[:-1], ID.replace("-", ""), f"{{{ID}}}", "x" * 36])
def test_what_is_not_written_as_a_uuid_is_refused(given: str) -> None:
    with pytest.raises(BadRequest):
        _call(Dialect.MINDS, mindId=given).id("mindId")


def test_no_cache_keeps_an_answer() -> None:
    response = json_response({"a": 1}, 201, {"X-More": "yes"})

    assert (response.status_code, response.headers["cache-control"], response.headers["x-more"]) == (
        201,
        "no-store",
        "yes",
    )


async def test_without_a_check_every_link_is_admitted_until_it_is_fetched() -> None:
    await admit_any_link("http://10.0.0.1/")
