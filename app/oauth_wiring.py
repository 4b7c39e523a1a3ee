"""The authorization server, as the settings of this process want it."""

from collections.abc import Iterable
from datetime import timedelta

from sqlalchemy.ext.asyncio import AsyncEngine

from app.settings import Settings
from mcp_server.toolkit.secret_file import shared_secret
from oauth.activity import Activity
from oauth.authority import Checker
from oauth.endpoints.gate import Gate
from oauth.endpoints.pages import Pages
from oauth.factory import OAuth, create_oauth
from oauth.fetching import Fetch
from oauth.sealing import Sealer
from oauth.settings import OAuthSettings, OidcSettings, SupabaseSettings

SEALING_KEY = "oauth.key"
PAGES = ("app.account", "app.connect")
"""Packages with pages in the look of the sign-in pages."""


def open_oauth(
    settings: Settings,
    engine: AsyncEngine,
    scopes: Iterable[str],
    keys: Checker,
    fetch: Fetch,
    gate: Gate,
    activity: Activity,
) -> OAuth:
    """The authorization server for tools that ask for `scopes`; `keys` decides about API keys, `gate` about floods.

    Raises:
        Unacceptable: a configured client breaks a rule.

    """
    secret = settings.secret_key or shared_secret(settings.data_dir, SEALING_KEY)
    return create_oauth(
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
    return OAuthSettings(
        site_url=settings.site_url,
        scopes=frozenset(scopes),
        clients=settings.oauth_clients,
        private_schemes=settings.oauth_private_schemes,
        fetch_allow_hosts=settings.fetch_allow_hosts,
        embedded_sign_in=settings.signs_in_itself,
        oidc=_oidc(settings),
        supabase=_supabase(settings),
        introspection_secret=settings.introspection_secret,
        access=timedelta(seconds=settings.access_token_seconds),
        refresh=timedelta(days=settings.refresh_token_days),
        session=timedelta(hours=settings.session_hours),
        consent=timedelta(days=settings.consent_days),
    )


def _oidc(settings: Settings) -> OidcSettings | None:
    if settings.oidc_issuer is None or settings.oidc_client_id is None:
        return None
    return OidcSettings(settings.oidc_issuer, settings.oidc_client_id, settings.oidc_client_secret, settings.oidc_name)


def _supabase(settings: Settings) -> SupabaseSettings | None:
    if settings.supabase_url is None or settings.supabase_anon_key is None:
        return None
    return SupabaseSettings(settings.supabase_url, settings.supabase_anon_key)
