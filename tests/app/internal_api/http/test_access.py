"""Who may reach a mind, in every combination; and what a handler is given of a page and an idempotency key."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.requests import Request

from app.internal_api.errors import BadRequest
from app.internal_api.http.access import digest, keyed, may_reach
from app.internal_api.http.call import Call
from app.internal_api.models.minds import CreateMind
from app.internal_api.models.wire import Page
from app.internal_api.principals import Principal
from app.internal_api.resources.minds import draft_mind
from app.internal_api.settings import InternalApiSettings
from tests.app.internal_api.support import ADA, BOB, DEMO, KEYWORDS

LASTING = draft_mind(CreateMind.model_validate(KEYWORDS), ADA.user_id, 0)
FLEETING = replace(LASTING, owner_id=DEMO.user_id, demo_token_hash=digest("token"), demo_expires_at=100)


@pytest.mark.parametrize(
    ("principal", "token", "now", "reached"),
    [
        (DEMO, "token", 99, True),
        (DEMO, "token", 100, False),
        (DEMO, "TOKEN", 99, False),
        (DEMO, "", 99, False),
        (DEMO, None, 99, False),
        (replace(DEMO, demo=False), "token", 99, False),
        (ADA, "token", 99, False),
    ],
)
def test_a_demo_mind_is_reached_by_a_visitor_with_its_token_in_time(
    principal: Principal, token: str | None, now: int, reached: bool
) -> None:
    assert may_reach(principal, token, FLEETING, now) is reached


@pytest.mark.parametrize(
    ("principal", "reached"), [(ADA, True), (BOB, False), (DEMO, False), (replace(ADA, demo=True), False)]
)
def test_a_lasting_mind_is_reached_by_its_owner_only(principal: Principal, reached: bool) -> None:
    assert may_reach(principal, "token", LASTING, 0) is reached


def _call(query: str = "", headers: tuple[tuple[bytes, bytes], ...] = (), **path_params: str) -> Call:
    services: Any = SimpleNamespace(settings=InternalApiSettings(idempotency_hours=2), clock=lambda: 9_000_000)
    request = Request({"type": "http", "query_string": query.encode(), "headers": headers})
    return Call(request, ADA, services, path_params)


@pytest.mark.parametrize(
    ("query", "wanted"), [("", (100, 0)), ("limit=1&offset=7", (1, 7)), ("offset=2147483647", (100, 2**31 - 1))]
)
def test_a_page_has_a_hundred_rows_unless_it_is_said(query: str, wanted: tuple[int, int]) -> None:
    assert tuple(_call(query).queried(Page).model_dump().values()) == wanted


@pytest.mark.parametrize("query", ["limit=0", "limit=101", "limit=", "limit=1.5", "offset=-1", "offset=2147483648"])
def test_what_is_no_page_is_refused(query: str) -> None:
    with pytest.raises(BadRequest):
        _call(query).queried(Page)


@pytest.mark.parametrize(
    ("sent", "key"), [(b"once", "once"), (b" once ", "once"), (b"x" * 128, "x" * 128), (b" ", None), (b"x" * 129, None)]
)
def test_blank_and_overlong_idempotency_keys_are_ignored(sent: bytes, key: str | None) -> None:
    stored = keyed(_call(headers=((b"x-minds-idempotency-key", sent),)), Page())

    assert stored["idempotency_key"] == key
    assert (stored["idempotency_digest"] is None) is (key is None)
