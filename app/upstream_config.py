"""The way to the internal API, as the settings of this process want it."""

from pydantic import SecretStr

from app.account.page import PATH as ACCOUNT_PATH
from app.settings import Settings
from mcp_server.minds_api.credentials import Credentials, EmbeddedCredentials, OwnKey
from mcp_server.settings import McpSettings


def mcp_settings(settings: Settings) -> McpSettings:
    """The tools' half of `settings`."""
    shared = set(McpSettings.model_fields) & set(Settings.model_fields)
    return McpSettings(**settings.model_dump(include=shared))


def api_url(settings: Settings) -> str:
    """Where the internal API is: in embedded mode this very process, at the address that it listens on."""
    return settings.own_url if settings.is_embedded else settings.mindsai_api_url


def account_url(settings: Settings) -> str:
    """The page on which people link a key of the real API."""
    return f"{settings.site_url}{ACCOUNT_PATH}"


def credentials(settings: Settings, secret: SecretStr) -> Credentials:
    """In whose name the gateway speaks to it."""
    return EmbeddedCredentials(secret) if settings.is_embedded else OwnKey(account_url(settings))
