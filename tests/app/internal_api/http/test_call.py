"""What a handler is given of a request: ids, a page, a body, an idempotency key."""

from types import SimpleNamespace
from typing import Any

import pytest
from starlette.requests import Request

from app.internal_api.errors import BadRequest, Conflict
from app.internal_api.http.call import Call, Page, admit_any_link
from app.internal_api.http.idempotency import body_digest, idempotency_key, remembered_since, require_same
from app.internal_api.resources.audiences import CreateAudience
from app.internal_api.settings import InternalApiSettings
from tests.app.internal_api.support import ADA, World

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
    [("", Page(100, 0)), ("limit=1&offset=7", Page(1, 7)), ("offset=2147483647", Page(100, 2**31 - 1))],
)
def test_a_page_has_a_hundred_rows_unless_it_is_said(query: str, wanted: Page) -> None:
    assert _call(query).page() == wanted


@pytest.mark.parametrize("query", ["limit=0", "limit=101", "limit=", "limit=1.5", "offset=-1", "offset=2147483648"])
def test_what_is_no_page_is_refused(query: str) -> None:
    with pytest.raises(BadRequest):
        _call(query).page()


@pytest.mark.parametrize(
    ("path", "body", "replacement"),
    [
        ("/audiences", {"name": "a", "sparkIds": [ID]}, "mindIds"),
        ("/studies", {"name": "a", "groupIds": [ID]}, "audienceIds"),
        ("/studies", {"name": "a", "audienceConfigs": [{"name": "b", "sparkIds": [ID]}]}, "mindIds"),
    ],
)
async def test_a_retired_name_of_a_field_is_refused_with_its_replacement(
    world: World, path: str, body: dict[str, Any], replacement: str
) -> None:
    refused = await world.client().post(path, json=body)

    assert refused.status_code == 400
    assert refused.json()["message"].endswith(f"is not a field here; use {replacement}")


@pytest.mark.parametrize(
    ("sent", "key"), [(b"once", "once"), (b" once ", "once"), (b"x" * 128, "x" * 128), (b" ", None), (b"x" * 129, None)]
)
def test_blank_and_overlong_idempotency_keys_are_ignored(sent: bytes, key: str | None) -> None:
    assert idempotency_key(_call(headers=((b"x-minds-idempotency-key", sent),))) == key


def test_an_idempotency_key_is_remembered_for_as_long_as_is_set() -> None:
    assert remembered_since(_call()) == 1_800_000


def test_bodies_are_the_same_that_ask_for_the_same() -> None:
    plain, spelled_out, other = (
        CreateAudience.model_validate(body) for body in ({"name": "a"}, {"mindIds": [], "name": " a "}, {"name": "b"})
    )

    require_same(body_digest(plain), spelled_out)
    require_same(None, other)
    with pytest.raises(Conflict):
        require_same(body_digest(plain), other)


async def test_without_a_check_every_link_is_admitted_until_it_is_fetched() -> None:
    await admit_any_link("http://10.0.0.1/")
