"""The words of signing in on this machine, and what can go wrong on the way."""

from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, SecretStr

CLIENT_ID = "minds-stdio"
"""The public client that every gateway of this project has built in."""

LOGIN = "python -m mcp_server.stdio login"
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


class SignInFailed(Exception):
    """The message is for the person at the terminal, and holds nothing that the server wrote."""


class Unreachable(SignInFailed):
    """No answer, or none that can be read: what is kept may still be good."""


class Ended(SignInFailed):
    """The refresh token is good for nothing any more (RFC 6749 section 5.2, invalid_grant)."""


class Endpoints(BaseModel):
    """What is used of an authorization server's metadata (RFC 8414 section 2)."""

    model_config = ConfigDict(frozen=True)

    issuer: str
    token_endpoint: str
    device_authorization_endpoint: str
    revocation_endpoint: str | None = None


class Tokens(BaseModel):
    """What is kept of a sign-in. The times are seconds since 1970; `renew_at` leaves time for a long call."""

    model_config = ConfigDict(frozen=True)

    site: str
    endpoints: Endpoints
    access_token: SecretStr
    refresh_token: SecretStr
    renew_at: float
    expires_at: float


def site_of(url: str) -> str:
    """The origin of `url`, as an issuer names itself. Raises SignInFailed: no token may be sent there."""
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname or "@" in parts.netloc:
        raise SignInFailed("The address of the gateway must look like https://minds.example.com.")
    if not may_carry(url):
        raise SignInFailed("Without https a sign-in could be read on the way: use the https address of the gateway.")
    return f"{parts.scheme}://{parts.netloc.lower()}"


def may_carry(url: str) -> bool:
    """Whether a token may travel to `url`: encrypted, or not beyond this machine."""
    parts = urlsplit(url)
    return bool(parts.hostname) and (
        parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK)
    )
