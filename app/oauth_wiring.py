"""The authorization server, as the settings of this process want it."""

from collections.abc import Iterable
from datetime import timedelta

from sqlalchemy.ext.asyncio import AsyncEngine

from app.settings import Settings
from mcp_server.toolkit.secret_file import shared_secret
from oauth.activity import Activity
from oauth.endpoints.gate import Gate
from oauth.endpoints.pages import Pages
from oauth.factory import OAuth
from oauth.primitives.fetching import Fetch
from oauth.primitives.sealing import Sealer
from oauth.settings import OAuthSettings, OidcSettings, SupabaseSettings
from oauth.verifier import CredentialChecker

SEALING_KEY = "oauth.key"
PAGES = ("app.account", "app.connect")
"""Packages with pages in the look of the sign-in pages."""


def open_oauth(
    settings: Settings,
    engine: AsyncEngine,
    scopes: Iterable[str],
    keys: CredentialChecker,
    fetch: Fetch,
    gate: Gate,
    activity: Activity,
) -> OAuth:
    """The authorization server for tools that ask for `scopes`; `keys` decides about API keys, `gate` about floods.

    Raises:
        Unacceptable: a configured client breaks a rule.

    """
    secret = settings.secret_key or shared_secret(settings.data_dir, SEALING_KEY)
    return OAuth(
        oauth_settings(settings, scopes),
        engine,
        Sealer(secret),
        keys,
        fetch,
        pages=Pages(*PAGES),
        gate=gate,
        activity=activity,
        remembered_seconds=settings.cache_token,
    )


def oauth_settings(settings: Settings, scopes: Iterable[str]) -> OAuthSettings:
    """The authorization server's half of `settings`."""
    oidc, supabase = None, None
    if settings.oidc_issuer is not None and settings.oidc_client_id is not None:
        oidc = OidcSettings(
            settings.oidc_issuer, settings.oidc_client_id, settings.oidc_client_secret, settings.oidc_name
        )
    if settings.supabase_url is not None and settings.supabase_anon_key is not None:
        supabase = SupabaseSettings(settings.supabase_url, settings.supabase_anon_key)
    return OAuthSettings(
        site_url=settings.site_url,
        scopes=frozenset(scopes),
        clients=settings.oauth_clients,
        private_schemes=settings.oauth_private_schemes,
        fetch_allow_hosts=settings.fetch_allow_hosts,
        embedded_sign_in=settings.signs_in_itself,
        oidc=oidc,
        supabase=supabase,
        introspection_secret=settings.introspection_secret,
        access=timedelta(seconds=settings.access_token_seconds),
        refresh=timedelta(days=settings.refresh_token_days),
        session=timedelta(hours=settings.session_hours),
        consent=timedelta(days=settings.consent_days),
    )
