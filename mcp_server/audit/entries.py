"""What one row of the audit log says: the vocabulary, the fields, and where the request came from."""

import time
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Event(StrEnum):
    """The seed's seven words first, then what else changes who may do what, then the log's own."""

    AUTH_ATTEMPT = "authAttempt"
    AUTH_FAILURE = "authFailure"
    TOOL_INVOKE = "toolInvoke"
    TOOL_SUCCESS = "toolSuccess"
    TOOL_FAILURE = "toolFailure"
    RATE_LIMIT_EXCEEDED = "rateLimitExceeded"
    INTERNAL_ERROR = "internalError"

    SIGN_IN = "signIn"
    SIGN_IN_FAILURE = "signInFailure"
    SIGN_OUT = "signOut"
    SESSION_ENDED = "sessionEnded"
    CONSENT_GIVEN = "consentGiven"
    CONSENT_REFUSED = "consentRefused"
    TOKEN_ISSUED = "tokenIssued"  # noqa: S105  the name of an event
    TOKEN_REFRESHED = "tokenRefreshed"  # noqa: S105  the name of an event
    TOKEN_REUSED = "tokenReused"  # noqa: S105  the name of an event
    TOKEN_REVOKED = "tokenRevoked"  # noqa: S105  the name of an event
    CODE_REUSED = "codeReused"
    CLIENT_REGISTERED = "clientRegistered"
    CLIENT_REVOKED = "clientRevoked"
    APP_DISCONNECTED = "appDisconnected"
    APP_RESTORED = "appRestored"
    KEY_CREATED = "keyCreated"
    KEY_ROTATED = "keyRotated"
    KEY_REVOKED = "keyRevoked"
    KEY_RESTORED = "keyRestored"
    KEY_LINKED = "keyLinked"
    KEY_UNLINKED = "keyUnlinked"
    USER_CREATED = "userCreated"
    USER_DISABLED = "userDisabled"
    USER_ENABLED = "userEnabled"
    USER_DELETED = "userDeleted"
    PASSWORD_CHANGED = "passwordChanged"  # noqa: S105  the name of an event
    PASSWORD_LINK_MADE = "passwordLinkMade"  # noqa: S105  the name of an event
    PASSKEY_SIGN_IN = "passkeySignIn"
    PASSKEY_ADDED = "passkeyAdded"
    PASSKEY_REMOVED = "passkeyRemoved"
    PASSKEY_COPIED = "passkeyCopied"
    EMAIL_CHANGED = "emailChanged"
    EMAIL_LINK_MADE = "emailLinkMade"
    SECRET_ROTATED = "secretRotated"  # noqa: S105  the name of an event
    CONFIGURATION = "configuration"
    BREAKER_CHANGED = "breakerChanged"
    API_INVOKE = "apiInvoke"
    API_CHANGE = "apiChange"

    AUDIT_START = "auditStart"
    AUDIT_ANCHOR = "auditAnchor"
    AUDIT_GAP = "auditGap"
    AUDIT_RETENTION = "auditRetention"
    AUDIT_END = "auditEnd"


CONTROL = frozenset({Event.AUDIT_START, Event.AUDIT_ANCHOR, Event.AUDIT_GAP, Event.AUDIT_RETENTION, Event.AUDIT_END})
"""What the log says of itself."""

WRITTEN_FIRST = frozenset({
    Event.SIGN_IN, Event.CONSENT_GIVEN, Event.TOKEN_ISSUED, Event.TOKEN_REFRESHED, Event.TOKEN_REUSED,
    Event.TOKEN_REVOKED, Event.CODE_REUSED, Event.CLIENT_REGISTERED, Event.CLIENT_REVOKED, Event.APP_DISCONNECTED,
    Event.APP_RESTORED, Event.KEY_RESTORED,
    Event.KEY_CREATED, Event.KEY_ROTATED, Event.KEY_REVOKED, Event.KEY_LINKED, Event.KEY_UNLINKED,
    Event.USER_CREATED, Event.USER_DISABLED, Event.USER_ENABLED, Event.USER_DELETED,
    Event.SESSION_ENDED, Event.PASSWORD_CHANGED, Event.EMAIL_CHANGED, Event.SECRET_ROTATED,
    Event.PASSKEY_SIGN_IN, Event.PASSKEY_ADDED, Event.PASSKEY_REMOVED, Event.PASSKEY_COPIED,
})  # fmt: skip
"""What changes who may do what: the row is on the disk before the answer leaves. Calls may be a second late."""


@dataclass(slots=True)
class Entry:
    """One thing that happened. Not frozen, because that would double what each call pays for its row.

    Attributes:
        outcome: `ok`, or the kind of failure.
        subject: the account, `client` the app or key, `client_name` how the person was shown it then.
        request: the id that the answer carries in `X-Request-ID`.
        reason: the stable word of a failure, or a short sentence.
        arguments: their digest; `summary` their names, kinds and sizes. Never a value.
        detail: what only this kind of event has.
        time: seconds since the epoch.
        fields: what `chain.fields_of` has made of it; the next sink's chain need not make it again.

    """

    event: Event
    outcome: str = "ok"
    subject: str | None = None
    client: str | None = None
    client_name: str | None = None
    tool: str | None = None
    request: str | None = None
    address: str | None = None
    ms: float | None = None
    reason: str | None = None
    arguments: str | None = None
    summary: str | None = None
    detail: Mapping[str, Any] | None = None
    time: float = field(default_factory=time.time)
    fields: dict[str, Any] | None = field(default=None, init=False, repr=False, compare=False)


@dataclass(slots=True)
class Origin:
    """The request in which something happens.

    Attributes:
        must_be_written: something did for which the answer has to wait.

    """

    request: str
    address: str | None
    must_be_written: bool = False


current_origin: ContextVar[Origin | None] = ContextVar("current_origin", default=None)
"""Set at the edge for each request. A tool call runs in another context, and names its request itself."""
