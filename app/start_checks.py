"""What must be right before a server may start: unset never means open."""

from app import origins
from app.gatehouse import oauth_settings
from app.settings import Settings
from oauth.errors import Unacceptable
from oauth.flows.configured_clients import configured_clients
from oauth.scopes import ALL

MIN_SECRET_LENGTH = 16


def start_problems(settings: Settings, workers: int) -> list[str]:
    """Why a server with these settings must not start; each line names the setting and the way out."""
    problems = []
    if workers > 1 and settings.redis_url is None:
        problems.append("REDIS_URL: several workers share their limits through Redis; set it or use one worker")
    try:
        configured_clients(oauth_settings(settings, ALL))
    except Unacceptable as refusal:
        problems.append(f"OAUTH_CLIENTS: {refusal}")
    return problems + (_production_problems(settings) if settings.is_production else [])


def _production_problems(settings: Settings) -> list[str]:
    token = settings.metrics_token
    checks = (
        ("DEBUG: is for development; unset it", settings.debug),
        ("FETCH_ALLOW_HOSTS: opens private addresses to fetches; unset it", bool(settings.fetch_allow_hosts)),
        (
            f"METRICS_TOKEN: can be guessed; use at least {MIN_SECRET_LENGTH} random characters",
            token is not None and len(token.get_secret_value()) < MIN_SECRET_LENGTH,
        ),
        (
            "MINDSAI_API_URL: keys would cross the network unencrypted; use https",
            not settings.is_embedded and origins.is_plain_http(settings.mindsai_api_url),
        ),
        (
            "EMBEDDED_SIGN_IN: say true if accounts of this gateway shall sign in with a password, or set OIDC_ISSUER",
            settings.embedded_sign_in is None and not settings.has_provider,
        ),
    )
    return [
        *(message for message, applies in checks if applies),
        *(
            f"TRUSTED_PROXIES: {network} is everybody; name your proxies"
            for network in settings.trusted_proxies
            if network.endswith("/0")
        ),
        *(
            f"ALLOWED_ORIGINS: anybody can stand under {pattern}; name the hosts"
            for pattern in settings.allowed_origins
            if origins.is_open(pattern)
        ),
    ]
