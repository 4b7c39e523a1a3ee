"""What must be right before a server may start: unset never means open."""

from collections.abc import Sequence
from difflib import get_close_matches
from ipaddress import ip_network
from urllib.parse import urlsplit

from pydantic import ValidationError

from app.internal_api.engines.settings import EngineSettings
from app.internal_api.settings import InternalApiSettings
from app.oauth_wiring import oauth_settings
from app.settings import Settings, origins
from mcp_server.limits.rules import ANY_TOOL, TOOL_LIMITS, read_tools
from mcp_server.settings import settings_problems, wrong_settings
from mcp_server.toolset import discover, read_settings
from oauth.errors import Unacceptable
from oauth.flows.clients import configured_clients
from oauth.primitives.scopes import ALL

MIN_SECRET_LENGTH = 16
COPIED = ("changeme", "change-me", "change_me", "replace-this", "replace_this", "password", "your-secret", "example")
"""Words of secrets that stand in other people's files."""
LEAST_DIFFERENT = 6
"""Characters of a random secret that differ; 32 random hexadecimal digits have fewer once in 10^12."""

PRIVATE = ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "127.0.0.0/8", "fc00::/7", "fe80::/10")
"""Networks that no stranger comes from: RFC 1918, RFC 6598, RFC 4193, and addresses of this machine and link."""
MOST_ADDRESSES = {4: 2**24, 6: 2**112}
"""Public addresses that are believed at most: as many as a /8 or a /16 has. The largest content networks have fewer."""


def start_problems(settings: Settings, workers: int) -> list[str]:
    """Why a server with these settings must not start; each line names the setting and the remedy."""
    problems = []
    if origins.is_plain_http(settings.site_url):
        problems.append(
            "SITE_URL: passwords and tokens would cross the network unencrypted; put https in front and name its"
            " address, or a loopback address such as http://127.0.0.1:8000"
        )
    if workers > 1 and settings.redis_url is None:
        problems.append("REDIS_URL: several workers share their limits through Redis; set it or use one worker")
    if not settings.rate_limit_enabled and not origins.is_loopback(urlsplit(settings.site_url).hostname or ""):
        problems.append("RATE_LIMIT_ENABLED: false is for this machine only, and SITE_URL is not; unset it")
    problems.extend(_unknown_tools(settings))
    try:
        read_settings(discover(settings.toolsets))
    except ValidationError as error:
        problems.extend(settings_problems(error))
    if settings.is_embedded:
        problems += wrong_settings(EngineSettings, InternalApiSettings)
    try:
        configured_clients(oauth_settings(settings, ALL))
    except Unacceptable as refusal:
        problems.append(f"OAUTH_CLIENTS: {refusal}")
    return problems + (_production_problems(settings) if settings.is_production else [])


def start_warnings(settings: Settings) -> list[str]:
    """What is probably a mistake, and stops no server; each line names the setting and the remedy."""
    if not settings.is_production:
        return []
    unaudited = (
        "AUDIT_SINK: names no sink, so nothing is kept of who signs in, makes keys and changes what; unset it for"
        " file,database, or name a sink"
    )
    unnamed = (
        "TRUSTED_PROXIES: unset, so everybody has the proxy's address, and 100 wrong passwords stop all sign-ins; name"
        " the address that your proxy comes from"
    )
    return (
        [unaudited] * (not settings.audit_sink)
        + [unnamed] * (not settings.trusted_proxies)
        + [
            f"ALLOWED_ORIGINS: pages of anybody who opens a tunnel or a site there may call, since {pattern} is named;"
            " name the one host that you mean"
            for pattern in settings.allowed_origins
            if origins.is_shared(pattern)
        ]
    )


def _unknown_tools(settings: Settings) -> list[str]:
    """Limits of tools that do not exist limit nothing. The names of the default may stay with any TOOLSETS."""
    served = {tool.name for toolset in discover(settings.toolsets) for tool in toolset.tools}
    known, tools = {ANY_TOOL, *served, *read_tools(TOOL_LIMITS)}, f"the tools are {', '.join(sorted(served))}"
    return [
        f"RATE_LIMIT_TOOLS: no tool is called {name}; "
        + (f"the closest names are {', '.join(close)}" if (close := get_close_matches(name, sorted(served))) else tools)
        for name in read_tools(settings.rate_limit_tools)
        if name not in known
    ]


def _proxy_problems(trusted: Sequence[str]) -> list[str]:
    """Everybody can be written in halves and quarters, so what counts is how many addresses there are together."""
    public = [
        network
        for network in map(ip_network, trusted)
        if not any(network.version == own.version and network.subnet_of(own) for own in map(ip_network, PRIVATE))  # type: ignore[arg-type]  # of one version
    ]
    return [
        f"TRUSTED_PROXIES: {', '.join(str(one) for one in public if one.version == version)}: that many public"
        " addresses are strangers, who could write any address as their own; name your proxies"
        for version, most in MOST_ADDRESSES.items()
        if sum(one.num_addresses for one in public if one.version == version) > most
    ]


def _secret_problems(settings: Settings) -> list[str]:
    named = [
        ("SECRET_KEY", settings.secret_key),
        *(("SECRET_KEY_PREVIOUS", previous) for previous in settings.secret_key_previous),
        ("METRICS_TOKEN", settings.metrics_token),
        ("INTROSPECTION_SECRET", settings.introspection_secret),
    ]
    return [
        f"{name}: can be guessed; use at least {MIN_SECRET_LENGTH} random characters, as `openssl rand -hex 32` prints"
        for name, secret in named
        if secret is not None and _can_be_guessed(secret.get_secret_value().lower())
    ]


def _can_be_guessed(secret: str) -> bool:
    """Whether it is short, copied from an example, or typed with one finger."""
    few = len(secret) < MIN_SECRET_LENGTH or len(set(secret)) < LEAST_DIFFERENT
    return few or any(word in secret for word in COPIED)


def _production_problems(settings: Settings) -> list[str]:
    checks = (
        ("DEBUG: is for development; unset it", settings.debug),
        ("FETCH_ALLOW_HOSTS: opens private addresses to fetches; unset it", bool(settings.fetch_allow_hosts)),
        (
            "MINDSAI_API_URL: keys would cross the network unencrypted; use https",
            not settings.is_embedded and origins.is_plain_http(settings.mindsai_api_url),
        ),
        (
            "SECRET_KEY: unset, so hosts that share a database know nothing of each other's sign-ins; set one for all",
            settings.secret_key is None and settings.database.get_backend_name() == "postgresql",
        ),
        (
            "EMBEDDED_SIGN_IN: say true if accounts of this gateway shall sign in with a password, or set OIDC_ISSUER",
            settings.embedded_sign_in is None and not settings.has_provider,
        ),
    )
    return [
        *(message for message, applies in checks if applies),
        *_secret_problems(settings),
        *_proxy_problems(settings.trusted_proxies),
        *(
            f"ALLOWED_ORIGINS: anybody can stand under {pattern}; name the hosts"
            for pattern in settings.allowed_origins
            if origins.is_open(pattern)
        ),
    ]
