"""A sign-in leads on to a path of this site that this site chose, or home."""

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from oauth.flows.external_sign_in import HOME, Return, ReturnUrls
from oauth.primitives.sealing import Sealer

SEALER = Sealer(SecretStr("a secret of this installation, long enough"))
PATH = "/oauth/consent?request=abc"


@pytest.fixture
def returning() -> ReturnUrls:
    return ReturnUrls(SEALER)


@pytest.mark.parametrize("fresh", [True, False])
def test_a_path_comes_back_as_it_was_sealed(returning: ReturnUrls, now: datetime, fresh: bool) -> None:
    sealed = returning.seal(PATH, now, fresh=fresh)

    assert returning.open(sealed, now) == Return(PATH, fresh)


@pytest.mark.parametrize(
    "path",
    ["", "account", "//evil.example", "/\\evil.example", "https://evil.example/", "/a b", "/a\nb", "/\t/evil.example"],
)
def test_what_may_lead_to_another_site_is_never_sealed(returning: ReturnUrls, now: datetime, path: str) -> None:
    with pytest.raises(ValueError):
        returning.seal(path, now)


@given(st.none() | st.text(max_size=80))
def test_what_was_not_sealed_here_leads_home(text: str | None) -> None:
    assert ReturnUrls(SEALER).open(text, datetime.fromisoformat("2026-11-20T09:00:00Z")) == Return(HOME)


def test_what_was_sealed_for_something_else_or_long_ago_leads_home(returning: ReturnUrls, now: datetime) -> None:
    other = SEALER.seal("authorization request", b'["/oauth/consent", false]', now)

    assert returning.open(other, now) == Return(HOME)
    assert returning.open(returning.seal(PATH, now), now + timedelta(days=2)) == Return(HOME)
