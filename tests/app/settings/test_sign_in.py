"""The settings of the authorization server."""

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from app.settings import Settings
from mcp_server.settings import settings_problems

pytestmark = pytest.mark.usefixtures("bare_environment")


def complaints(**values: Any) -> list[str]:
    with pytest.raises(ValidationError) as refused:
        Settings(_env_file=None, **values)
    return settings_problems(refused.value)


@pytest.mark.parametrize(
    ("values", "itself"),
    [
        ({}, True),
        ({"embedded_sign_in": False}, False),
        ({"oidc_issuer": "https://id.example.com/", "oidc_client_id": "gateway"}, False),
        ({"oidc_issuer": "https://id.example.com/", "oidc_client_id": "gateway", "embedded_sign_in": True}, True),
        ({"supabase_url": "https://ref.supabase.co", "supabase_anon_key": "key"}, False),
    ],
)
def test_accounts_of_the_gateway_sign_in_until_somebody_else_does(values: dict[str, Any], itself: bool) -> None:
    assert Settings(_env_file=None, **values).signs_in_itself is itself


def test_an_issuer_is_kept_byte_for_byte() -> None:
    issuer = "https://id.example.com/realms/Main/"

    assert Settings(_env_file=None, oidc_issuer=issuer, oidc_client_id="gateway").oidc_issuer == issuer


def test_clients_are_read_from_a_file_or_from_the_setting_itself(tmp_path: Path) -> None:
    clients = [{"client_id": "chatgpt", "redirect_uris": ["https://chatgpt.com/connector/oauth/x"]}]
    file = tmp_path / "clients.json"
    file.write_text(json.dumps(clients))

    for given in (str(file), json.dumps(clients)):
        assert Settings(_env_file=None, oauth_clients=given).oauth_clients == tuple(clients)


@pytest.mark.security("RG-05", "RG-06")
@pytest.mark.parametrize(
    "scheme",
    [
        "javascript", "JavaScript", "data", "http", "https", "file", "vbscript", "blob", "about", "ws", "wss", "ftp",
        "chrome", "mailto", "tel", "view-source", "intent", "cursor://", "cursor:", "1st",
    ],
)  # fmt: skip
def test_a_scheme_of_browsers_or_the_system_and_what_is_no_scheme_are_refused(scheme: str) -> None:
    (problem,) = complaints(oauth_private_schemes=f"cursor,{scheme}")

    assert problem.startswith("OAUTH_PRIVATE_SCHEMES: ")
    assert repr(scheme.lower()) in problem
    assert "com.example.app" in problem


def test_private_schemes_are_compared_in_lower_case() -> None:
    assert Settings(_env_file=None, oauth_private_schemes="Cursor,com.example.App").oauth_private_schemes == (
        "cursor",
        "com.example.app",
    )
