"""The internal API is shown a caller's own key or a token of one minute, and never the token of the client."""

import jwt
import pytest

from mcp_server.caller import ANONYMOUS, Caller
from mcp_server.errors import AuthenticationRequired, PermissionDenied
from mcp_server.minds_api.credentials import INTERNAL_AUDIENCE, INTERNAL_ISSUER, LIFETIME, EmbeddedCredentials, OwnKey
from tests.support import ADA, SECRET

OAUTH = Caller(kind="oauth", subject="user-1", scopes=frozenset({"sparks:write", "sparks:read"}), client_id="client")


def claims(token: str, at: float) -> dict[str, object]:
    read: dict[str, object] = jwt.decode(
        token,
        SECRET.get_secret_value(),
        algorithms=["HS256"],
        audience=INTERNAL_AUDIENCE,
        options={"verify_exp": False},
    )
    assert read["exp"] == at + LIFETIME
    return read


def test_the_real_api_sees_the_callers_own_key_and_somebody_without_a_linked_key_is_told_where_to_link_one() -> None:
    assert OwnKey().bearer(ADA) == "minds_ada"
    with pytest.raises(PermissionDenied) as refused:
        OwnKey("https://minds.example/account").bearer(OAUTH)

    assert "https://minds.example/account" in refused.value.message
    assert refused.value.scopes == (), "no scope would help, so there is no challenge"


@pytest.mark.parametrize(
    ("page", "caller"), [("https://minds.example/account", ANONYMOUS), (None, ANONYMOUS), (None, OAUTH)]
)
def test_who_has_no_key_of_their_own_is_not_shown_to_the_real_api(page: str | None, caller: Caller) -> None:
    with pytest.raises(AuthenticationRequired):
        OwnKey(page).bearer(caller)


def test_a_user_of_a_client_is_shown_by_a_short_token_with_their_scopes() -> None:
    token = EmbeddedCredentials(SECRET, now=lambda: 1_000.7).bearer(OAUTH)

    read = claims(token, 1_000)
    assert (read["iss"], read["sub"], read["scope"]) == (INTERNAL_ISSUER, "user-1", "sparks:read sparks:write")
    assert LIFETIME <= 60


def test_a_visitor_is_the_demo_account_without_any_scope() -> None:
    read = claims(EmbeddedCredentials(SECRET, now=lambda: 1_000).bearer(ANONYMOUS), 1_000)

    assert (read["sub"], read["scope"]) == ("demo", "")
