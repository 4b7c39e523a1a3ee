"""Ids in paths, and answers in the caller's dialect."""

from types import SimpleNamespace
from typing import Any

import pytest
from starlette.requests import Request
from starlette.types import Message

from app.internal_api.dialect import Dialect
from app.internal_api.errors import BadRequest
from app.internal_api.models.wire import Asked
from app.internal_api.routes.call import Call, admit_any_link, json_response
from tests.app.internal_api.support import ADA, World


class Members(Asked):
    """A request."""

    mind_ids: list[str]


ID = "00000000-0000-4000-8000-00000000000a"


def _call(dialect: Dialect, **path_params: str) -> Call:
    request = Request({"type": "http", "path_params": path_params})
    services: Any = None
    return Call(request, ADA, services, dialect)


@pytest.mark.parametrize("given", [ID, ID.upper()])
def test_an_id_is_read_in_either_dialect_and_in_lower_case(given: str) -> None:
    assert _call(Dialect.MINDS, mindId=given).id("mindId") == ID
    assert _call(Dialect.SPARKS, sparkId=given).id("mindId") == ID


@pytest.mark.parametrize(("dialect", "word"), [(Dialect.MINDS, "mindId"), (Dialect.SPARKS, "sparkId")])
def test_an_id_that_is_none_is_called_by_the_callers_word(dialect: Dialect, word: str) -> None:
    with pytest.raises(BadRequest) as refused:
        _call(dialect, **{word: "1"}).id("mindId")

    assert refused.value.message.startswith(word)


def test_a_query_is_read_by_the_callers_words() -> None:
    asked = {"type": "http", "query_string": b"sparkId=1&mindId=2&limit=3"}
    services: Any = None
    before, today = (Call(Request(asked), ADA, services, dialect) for dialect in (Dialect.SPARKS, Dialect.MINDS))

    assert (before.query("mindId"), today.query("mindId"), before.query("limit")) == ("1", "2", "3")
    assert today.query("offset") is None


@pytest.mark.parametrize(
    ("dialect", "body", "complaint"),
    [
        (Dialect.MINDS, b'{"mindIds": ["1"]}', None),
        (Dialect.SPARKS, b'{"sparkIds": ["1"]}', None),
        (Dialect.MINDS, b'{"sparkIds": ["1"]}', "use mindIds"),
        (Dialect.SPARKS, b'{"mindIds": ["1"]}', "use sparkIds"),
        (Dialect.SPARKS, b'{"sparkIds": 1}', "sparkIds: "),
        (Dialect.SPARKS, b"{}", "sparkIds is required"),
    ],
)
async def test_a_body_is_read_and_complained_of_in_the_callers_words(
    world: World, dialect: Dialect, body: bytes, complaint: str | None
) -> None:
    async def receive() -> Message:
        return {"type": "http.request", "body": body}

    scope = {"type": "http", "headers": [(b"content-type", b"application/json")]}
    services: Any = SimpleNamespace(settings=world.settings)
    call = Call(Request(scope, receive), ADA, services, dialect)

    if complaint is None:
        assert (await call.asked(Members)).mind_ids == ["1"]
        return
    with pytest.raises(BadRequest) as refused:
        await call.asked(Members)
    assert complaint in refused.value.message


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
