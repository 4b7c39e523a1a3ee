"""Grants, codes and refresh tokens to test with, of the account of `ada`."""

import base64
import hashlib
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from oauth.grants import Client, Code, Grant, RefreshToken, Session
from oauth.models import User
from oauth.primitives import secrets
from oauth.stores.sessions import SessionStore

CLIENT = "client-of-the-test"
RESOURCE = "https://gateway.example/mcp"
CALLBACK = "https://client.example/callback"
VERIFIER = "a-verifier-of-forty-three-characters-or-more~"
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode().rstrip("=")


def client_of(now: datetime, **changes: Any) -> Client:
    return replace(Client(CLIENT, "registered", "A client", (CALLBACK,), now), **changes)


def grant_of(user: User | None, now: datetime, **changes: Any) -> Grant:
    grant = Grant(
        id=str(uuid4()),
        user_id=None if user is None else user.id,
        client_id=CLIENT,
        client_name="A client",
        redirect_host="client.example",
        scopes=frozenset({"sparks:read", "docs:read"}),
        resource=RESOURCE,
        created_at=now,
        expires_at=now + timedelta(days=365),
    )
    return replace(grant, **changes)


def code_of(grant: Grant, now: datetime, secret: str = "the code", **changes: Any) -> Code:
    code = Code(
        digest=secrets.digest(secret),
        grant_id=grant.id,
        client_id=grant.client_id,
        redirect_uri=CALLBACK,
        redirect_given=True,
        challenge=CHALLENGE,
        scopes=grant.scopes,
        resource=grant.resource,
        expires_at=now + timedelta(seconds=60),
    )
    return replace(code, **changes)


def refresh_of(grant: Grant, now: datetime, secret: str = "the token", **changes: Any) -> RefreshToken:
    token = RefreshToken(secrets.digest(secret), grant.id, now, now + timedelta(days=30))
    return replace(token, **changes)


async def session_of(store: SessionStore, user: User, now: datetime) -> str:
    """The secret of a session of twelve hours."""
    secret = str(uuid4())
    await store.open_session(Session(secrets.digest(secret), user.id, now, now + timedelta(hours=12)))
    return secret
