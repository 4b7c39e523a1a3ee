"""The settings of the authorization server, from those of this process."""

from collections.abc import Iterable
from datetime import timedelta

from app.settings import Settings
from oauth.settings import OAuthSettings, OidcSettings, SupabaseSettings

OAUTH_KEY = "oauth.key"
"""The file in DATA_DIR that seals where there is no SECRET_KEY."""


def oauth_settings(settings: Settings, scopes: Iterable[str]) -> OAuthSettings:
    """The authorization server's half of `settings`, for tools that ask for `scopes`."""
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
