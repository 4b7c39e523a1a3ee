"""The key that a client sends along, and how long it is remembered."""

from types import SimpleNamespace
from typing import Any

import pytest
from starlette.requests import Request

from app.internal_api.dialect import Dialect
from app.internal_api.errors import Conflict
from app.internal_api.models.audiences import CreateAudience
from app.internal_api.routes.call import Call
from app.internal_api.routes.idempotency import body_digest, idempotency_key, remembered_since, require_same
from app.internal_api.settings import InternalApiSettings
from tests.app.internal_api.support import ADA


def _call(*headers: tuple[bytes, bytes]) -> Call:
    services: Any = SimpleNamespace(settings=InternalApiSettings(idempotency_hours=2), clock=lambda: 9_000_000)
    return Call(Request({"type": "http", "headers": headers}), ADA, services, Dialect.MINDS)


@pytest.mark.parametrize(
    ("sent", "key"), [(b"once", "once"), (b" once ", "once"), (b"x" * 128, "x" * 128), (b" ", None), (b"x" * 129, None)]
)
def test_blank_and_overlong_keys_are_ignored(sent: bytes, key: str | None) -> None:
    assert idempotency_key(_call((b"x-minds-idempotency-key", sent))) == key


def test_no_header_is_no_key() -> None:
    assert idempotency_key(_call()) is None


def test_a_key_is_remembered_for_as_long_as_is_set() -> None:
    assert remembered_since(_call()) == 1_800_000


def test_bodies_are_the_same_that_ask_for_the_same() -> None:
    plain, spelled_out, other = (
        CreateAudience.model_validate(body) for body in ({"name": "a"}, {"mindIds": [], "name": " a "}, {"name": "b"})
    )

    assert body_digest(plain) == body_digest(spelled_out)
    require_same(body_digest(plain), spelled_out)
    require_same(None, other)
    with pytest.raises(Conflict):
        require_same(body_digest(plain), other)
