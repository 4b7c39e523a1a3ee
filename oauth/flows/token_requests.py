"""What the flows of the token endpoint share: the shape of one, and new refresh tokens."""

import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime

import structlog

from oauth.access_tokens import AccessTokens
from oauth.activity import UNRECORDED, ActivityRecorder
from oauth.grants import Client, Grant, RefreshToken, Tokens
from oauth.primitives.parameters import Parameters
from oauth.primitives.secrets import digest
from oauth.settings import OAuthSettings
from oauth.stores.grants import GrantStore

log = structlog.get_logger(__name__)

PREFIX = "minds_rt_"
"""By which scanners for leaked secrets recognise a refresh token; it has not the form of a key."""

OFFLINE = frozenset({"offline_access"})
"""Clients ask for it wherever the metadata lists it, and repeat what they asked for once; it is no scope of a token."""


MAX_ASKED = 500
"""Characters of words that nobody can have here which are kept. Known servers' words take far fewer."""


def kept_words(asked: frozenset[str], offered: frozenset[str]) -> str:
    """The words asked for beyond those `offered`; none of them when they are too many to keep."""
    text = " ".join(sorted(asked - offered - OFFLINE))
    return text if len(text) <= MAX_ASKED else ""


TokenFlow = Callable[[Client, Parameters, datetime], Awaitable[Tokens]]
"""One grant type: tokens for a request of this authenticated client, or a `ProtocolError` (RFC 6749 section 5.2)."""

Authenticate = Callable[[str | None, Parameters, datetime, str], Awaitable[Client]]
"""The client that sends a request, by its Authorization header, its parameters, the time, and where it comes from."""


@dataclass(frozen=True, slots=True)
class TokenFamilies:
    """What flows that issue refresh tokens stand on; `forget` is called with the id of a family that a reuse ended."""

    store: GrantStore
    issuer: AccessTokens
    settings: OAuthSettings
    forget: Callable[[str], None]
    activity: ActivityRecorder = UNRECORDED

    def alert(self, alarm: str, event: str, grant: Grant) -> None:
        """Tell of a reuse: the operator in the log, the person on the account page; the store has ended the family."""
        self.forget(grant.id)  # else this process would let its access token in until it looks again
        log.warning(alarm, grant=grant.id, client=grant.client_id)
        self.activity.note(grant.user_id, event, grant.client_id, "disconnected", grant.client_name)


def new_refresh_token(grant: Grant, settings: OAuthSettings, now: datetime) -> tuple[str, RefreshToken]:
    """A refresh token of 256 random bits, and what is kept of it; it ends with its family at the latest."""
    secret = PREFIX + secrets.token_urlsafe(32)
    return secret, RefreshToken(digest(secret), grant.id, now, min(now + settings.refresh, grant.expires_at))
