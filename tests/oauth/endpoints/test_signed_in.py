"""Who a browser is signed in as, the way to the sign-in page, and forms that only our own pages can send."""

import pytest
from pydantic import SecretStr
from sqlalchemy.ext.asyncio import AsyncEngine
from starlette.requests import Request

from oauth.endpoints.signed_in import SignedIn
from oauth.errors import AccessDenied
from oauth.flows.external_sign_in import ReturnUrls
from oauth.flows.sign_in import Sessions
from oauth.primitives import csrf
from oauth.primitives.parameters import Parameters
from oauth.primitives.sealing import Sealer
from oauth.settings import OAuthSettings
from oauth.stores.sessions import SessionStore

SITE = "https://gw.example.com"
SETTINGS = OAuthSettings(SITE, frozenset())
RETURNING = ReturnUrls(Sealer(SecretStr("a secret of this installation, long enough")))
TOKEN = csrf.token("secret", "disconnect")


class Nobody:
    """A session store that is never asked."""

    def __getattr__(self, name: str) -> object:
        raise AssertionError(name)


@pytest.fixture
def signed_in(engine: AsyncEngine) -> SignedIn:
    return SignedIn(Sessions(SessionStore(engine), SETTINGS), RETURNING, SETTINGS)


def of_settings(settings: OAuthSettings) -> SignedIn:
    return SignedIn(Sessions(Nobody(), settings), RETURNING, settings)  # type: ignore[arg-type]  # see Nobody


def request(**headers: str) -> Request:
    return Request({"type": "http", "headers": [(name.encode(), value.encode()) for name, value in headers.items()]})


@pytest.mark.security("CO-03")
@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"origin": "null"},
        {"origin": "https://evil.example"},
        {"origin": "http://gw.example.com"},
        {"origin": f"{SITE}.evil.example"},
        {"origin": f"{SITE}:8443"},
        {"origin": "https://evil.example", "host": "evil.example"},
    ],
)
def test_a_form_of_another_site_is_refused(headers: dict[str, str]) -> None:
    with pytest.raises(AccessDenied):
        of_settings(SETTINGS).check_form(request(**headers), Parameters([("csrf", TOKEN)]), "secret", "disconnect")


@pytest.mark.security("CO-04")
@pytest.mark.parametrize("token", [None, "guess", csrf.token("another", "disconnect"), csrf.token("secret", "approve")])
def test_a_form_without_the_token_of_this_session_and_purpose_is_refused(token: str | None) -> None:
    parameters = Parameters([("csrf", token)] if token else [])

    with pytest.raises(AccessDenied):
        of_settings(SETTINGS).check_form(request(origin=SITE), parameters, "secret", "disconnect")
