"""The settings reach the authorization server."""

from datetime import timedelta
from typing import Any

import pytest

from app.oauth_wiring import oauth_settings
from app.settings import Settings

pytestmark = pytest.mark.usefixtures("bare_environment")


def given(**values: Any) -> Any:
    return oauth_settings(Settings(_env_file=None, **values), {"sparks:read"})


def test_a_fresh_machine_signs_its_own_accounts_in() -> None:
    settings = given()

    assert (settings.issuer, settings.resource) == ("http://127.0.0.1:8000", "http://127.0.0.1:8000/mcp")
    assert (settings.embedded_sign_in, settings.oidc, settings.supabase) == (True, None, None)
    assert settings.scopes == {"sparks:read"}


def test_every_setting_of_the_environment_arrives() -> None:
    settings = given(
        site_url="https://gw.example.com",
        oidc_issuer="https://id.example.com/",
        oidc_client_id="gateway",
        oidc_client_secret="hush",
        oidc_name="Example",
        supabase_url="https://ref.supabase.co",
        supabase_anon_key="anon",
        embedded_sign_in=True,
        introspection_secret="i" * 32,
        oauth_private_schemes="cursor",
        fetch_allow_hosts="127.0.0.1:9000",
        access_token_seconds=600,
        refresh_token_days=7,
        session_hours=2,
        consent_days=1,
    )

    assert settings.oidc is not None
    assert (settings.oidc.issuer, settings.oidc.name) == ("https://id.example.com/", "Example")
    assert settings.supabase is not None
    assert settings.supabase.url == "https://ref.supabase.co"
    assert settings.introspection_secret.get_secret_value() == "i" * 32
    assert settings.private_schemes == ("cursor",)
    assert settings.fetch_allow_hosts == ("127.0.0.1:9000",)
    assert (settings.access, settings.refresh) == (timedelta(minutes=10), timedelta(days=7))
    assert (settings.session, settings.consent) == (timedelta(hours=2), timedelta(days=1))
