"""The settings of the HTTP process and of the commands: one class, read once by an entry point.

The README's table is made from the fields: each has a one-line description. A test compares the two.
"""

from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field, SecretStr
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError

from app.settings import origins
from app.settings.operations import OperationSettings, TelemetrySettings
from app.settings.origins import each, network
from app.settings.sign_in import SignInSettings
from app.storage.engine import database_url
from mcp_server.settings import EMBEDDED, McpSettings, Names
from mcp_server.toolkit.secret_file import shared_secrets

DEVELOPMENT_ORIGINS = ("http://localhost:3000", "http://localhost:5173", "http://localhost:6274")  # the last: Inspector
WILDCARD_HOSTS = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}  # noqa: S104 - compared with, not bound to


def _database_url(text: SecretStr) -> SecretStr:
    try:
        database_url(text.get_secret_value(), Path())
    except ArgumentError:  # its text quotes the URL, which may hold a password
        raise ValueError("write it as postgresql://user:password@host/name") from None
    return text


def _api_url(text: str) -> str:
    return EMBEDDED if text == EMBEDDED else origins.origin(text)


def _local_url(values: dict[str, Any]) -> str:
    host = values.get("host", "127.0.0.1")
    shown = WILDCARD_HOSTS.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{shown}:{values.get('port', 8000)}"


class Settings(OperationSettings, SignInSettings, TelemetrySettings):
    """Frozen, and made by entry points only. Everyone else is handed the instance, or a part of it."""

    model_config = McpSettings.model_config  # said again: the last base would decide

    host: str = Field("127.0.0.1", description="Address to listen on.")
    port: int = Field(8000, ge=1, le=65_535, description="Port to listen on.")
    site_url: Annotated[str, AfterValidator(origins.origin)] = Field(
        default_factory=_local_url,
        description="Public base URL: issuer and resource are built from it, never from the Host header.",
    )
    database_url: Annotated[SecretStr, AfterValidator(_database_url)] | None = Field(
        None, description="`postgresql://…` in production; unset, an SQLite file in `DATA_DIR`."
    )
    mindsai_api_url: Annotated[str, AfterValidator(_api_url)] = Field(
        EMBEDDED, description="`embedded`, or the origin of the real Minds API, such as `https://getminds.ai`."
    )
    fetch_allow_hosts: Annotated[Names, each(origins.host_port)] = Field(
        (), description="`host:port` list that fetches may reach although private; for development and tests."
    )
    debug: bool = Field(
        default=False,
        description="Readable logs instead of JSON, the documentation read anew, and the page `/dev/widget`; "
        "refused in production.",
    )
    allowed_origins: Annotated[Names, each(origins.origin_or_pattern)] = Field(
        (
            "https://chat.openai.com",
            "https://chatgpt.com",
            "https://claude.ai",
            "https://getminds.ai",
            "https://staging.getminds.ai",
            "https://*.openai.com",
        ),
        description="Origins of browsers that may call, comma-separated; `https://*.host` for subdomains.",
    )
    trusted_proxies: Annotated[Names, each(network)] = Field(
        (), description="Addresses or networks whose `X-Forwarded-For` is believed, comma-separated."
    )
    metrics_token: SecretStr | None = Field(
        None, description="Bearer token for `/metrics`; unset, only this machine may read it, and in production nobody."
    )
    max_body_bytes: int = Field(4 * 1024 * 1024, ge=1024, description="Largest request body.")

    def secrets(self, file: str) -> list[SecretStr]:
        """`SECRET_KEY`, or what `file` in `DATA_DIR` holds; then what is only opened and verified with."""
        present = shared_secrets(self.data_dir, file) if self.secret_key is None else [self.secret_key]
        return [*present, *self.secret_key_previous]

    @property
    def database(self) -> URL:
        """Where accounts, keys and personas are kept."""
        configured = self.database_url.get_secret_value() if self.database_url else None
        return database_url(configured, self.data_dir)

    @property
    def own_url(self) -> str:
        """Where this process reaches itself: loopback when it listens everywhere, else the address it listens on."""
        return _local_url({"host": self.host, "port": self.port})

    @property
    def account_url(self) -> str:
        return f"{self.site_url}/account"

    @property
    def resource(self) -> str:
        """The canonical URL of the MCP endpoint: the audience of access tokens."""
        return f"{self.site_url}/mcp"

    @property
    def api_resource(self) -> str:
        """The embedded internal API as a resource of its own: the audience of tokens for stdio processes."""
        return f"{self.site_url}/api/v1"

    @property
    def is_embedded(self) -> bool:
        """Whether this process serves the internal API itself."""
        return self.mindsai_api_url == EMBEDDED

    @property
    def real_api(self) -> str | None:
        """The address of the real Minds API; None while the embedded one stands in for it."""
        return None if self.is_embedded else self.mindsai_api_url

    @property
    def is_production(self) -> bool:
        """Whether the outside reaches this process over TLS."""
        return self.site_url.startswith("https://")

    @property
    def cors_origins(self) -> tuple[str, ...]:
        """`allowed_origins`, and the usual ports of front ends and of MCP Inspector unless this is production."""
        return self.allowed_origins + (() if self.is_production else DEVELOPMENT_ORIGINS)
