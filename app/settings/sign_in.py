"""The settings of the authorization server: who signs people in, which clients are known, how long things live."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, model_validator
from pydantic_settings import BaseSettings, NoDecode

from app.settings import origins
from app.settings.origins import each
from mcp_server.settings import Names, listed
from oauth.primitives.redirects import is_private_scheme

MIN_SECRET_KEY = 32
DAY = 86_400
SMTP_FORM = re.compile(r"smtps?://([^@/\s]+@)?([\w.-]+|\[[0-9a-f:]+\])(:[1-9]\d{0,4})?/?", re.ASCII | re.IGNORECASE)


def _issuer(text: str) -> str:
    """The issuer byte for byte: OpenID Connect Discovery section 3 compares it so, a path and final slash included."""
    if not text.startswith(("https://", "http://127.0.0.1:", "http://localhost:", "http://[::1]:")):
        raise ValueError("write the issuer as https://…, exactly as its discovery document names itself")
    return text


def _private_scheme(text: str) -> str:
    scheme = text.lower()
    if not is_private_scheme(scheme):
        raise ValueError(
            f"{scheme!r} is no scheme that one app can have to itself; list schemes such as com.example.app, without ://,"
            " and leave out those of browsers and systems; https and loopback addresses need no entry"
        )
    return scheme


def _secret(value: SecretStr) -> SecretStr:
    if len(value.get_secret_value()) < MIN_SECRET_KEY:
        raise ValueError(f"use at least {MIN_SECRET_KEY} random characters, as `openssl rand -hex 32` prints")
    return value


def _clients(value: Any) -> Any:
    """The clients in the named JSON file, or the JSON itself."""
    if not isinstance(value, str):
        return value
    try:
        text = value if value.lstrip().startswith("[") else Path(value).read_text(encoding="utf-8")
        return json.loads(text)
    except OSError:
        raise ValueError("the file cannot be read") from None
    except (ValueError, RecursionError):  # its text quotes the file, which may hold secrets
        raise ValueError("it is no JSON list of clients in the words of RFC 7591") from None


def _smtp(url: SecretStr) -> SecretStr:
    if SMTP_FORM.fullmatch(url.get_secret_value()) is None:
        raise ValueError("write it as smtp://user:password@host:587 (TLS is begun) or smtps://user:password@host:465")
    return url


Secret = Annotated[SecretStr, AfterValidator(_secret)]
Secrets = Annotated[tuple[Secret, ...], NoDecode, BeforeValidator(listed)]


class SignInSettings(BaseSettings):
    """The part of `app.settings.Settings` that only the authorization server reads."""

    secret_key: Secret | None = Field(
        None, description="Seals sign-ins and signing keys; unset, a file in `DATA_DIR`. One for all hosts."
    )
    secret_key_previous: Secrets = Field(
        (), description="Former values, comma-separated: they open and verify, and seal nothing (`docs/secrets.md`)."
    )
    embedded_sign_in: bool | None = Field(
        None,
        description="Sign-in with accounts of this gateway; unset: on while no provider is set; production must say.",
    )
    smtp_url: Annotated[SecretStr, AfterValidator(_smtp)] | None = Field(
        None, description="`smtp://user:password@host:587` or `smtps://…`: mails links to who forgot the password."
    )
    mail_from: str | None = Field(
        None, description="The address that these mails come from.", pattern=r"^[^@\s]+@[^@\s]+$"
    )
    oidc_issuer: Annotated[str, AfterValidator(_issuer)] | None = Field(
        None, description="OpenID Connect issuer that signs people in, exactly as it names itself."
    )
    oidc_client_id: str | None = Field(None, description="This gateway's client at the issuer.")
    oidc_client_secret: SecretStr | None = Field(None, description="Its secret; unset for a public client.")
    oidc_name: str = Field("your organisation", description="What the button says after `Sign in with`.")
    supabase_url: Annotated[str, AfterValidator(origins.origin)] | None = Field(
        None, description="Supabase project whose Google sign-in is used, such as `https://ref.supabase.co`."
    )
    supabase_anon_key: SecretStr | None = Field(None, description="The project's publishable (anon) key.")
    oauth_clients: Annotated[tuple[Mapping[str, Any], ...], NoDecode, BeforeValidator(_clients)] = Field(
        (), description="Pre-registered OAuth clients: a JSON file, or JSON, in the words of RFC 7591."
    )
    oauth_private_schemes: Annotated[Names, each(_private_scheme)] = Field(
        ("cursor", "vscode", "vscode-insiders", "claude", "com.openai.chatgpt"),
        description="Private-use URI schemes that registered clients may redirect to, comma-separated.",
    )
    challenge_in_results: Annotated[Names, each(str.lower)] = Field(
        ("openai-mcp",),
        description="Products in `User-Agent` that read a tool's 401 or 403 in its result, not as a status.",
    )
    introspection_secret: Secret | None = Field(
        None, description="What internal callers show at `/oauth/introspect`; unset closes it."
    )
    access_token_seconds: int = Field(3600, ge=60, le=DAY, description="Seconds for which an access token is valid.")
    refresh_token_days: int = Field(30, ge=1, le=365, description="Days without use after which a connection ends.")
    session_hours: int = Field(12, ge=1, le=720, description="Hours for which a browser stays signed in.")
    consent_days: int = Field(90, ge=0, le=365, description="Days for which an allowed app is not asked about again.")

    @model_validator(mode="after")
    def _whole(self) -> "SignInSettings":
        if self.oidc_issuer and not self.oidc_client_id:
            raise ValueError("OIDC_CLIENT_ID: is missing; OIDC_ISSUER alone signs nobody in")
        if self.oidc_client_id and not self.oidc_issuer:
            raise ValueError("OIDC_ISSUER: is missing; OIDC_CLIENT_ID alone signs nobody in")
        if bool(self.supabase_url) != bool(self.supabase_anon_key):
            raise ValueError("SUPABASE_ANON_KEY: belongs to SUPABASE_URL; set both or neither")
        if bool(self.smtp_url) != bool(self.mail_from):
            raise ValueError("MAIL_FROM: belongs to SMTP_URL; set both or neither")
        return self

    @property
    def has_provider(self) -> bool:
        return bool(self.oidc_issuer or self.supabase_url)

    @property
    def signs_in_itself(self) -> bool:
        return not self.has_provider if self.embedded_sign_in is None else self.embedded_sign_in
