"""Tokens for tests."""

from typing import Any

from pydantic import SecretStr

from mcp_server.login.words import Endpoints, Tokens

SITE = "https://minds.example.com"


def tokens(site: str = SITE, name: str = "1", **values: Any) -> Tokens:
    endpoints = Endpoints(
        issuer=site,
        token_endpoint=f"{site}/oauth/token",
        device_authorization_endpoint=f"{site}/oauth/device_authorization",
        revocation_endpoint=f"{site}/oauth/revoke",
    )
    return Tokens(
        **{
            "site": site,
            "endpoints": endpoints,
            "access_token": SecretStr(f"access-{name}-{'x' * 900}"),
            "refresh_token": SecretStr(f"refresh-{name}"),
            "renew_at": 1_000.0,
            "expires_at": 1_300.0,
            **values,
        }
    )
