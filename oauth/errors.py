"""What can go wrong in the authorization server, and who should hear of it.

OauthError
├── Refused             the caller can mend it: the message is one safe sentence that says what to do
│   ├── Unacceptable    what was given breaks a rule (an e-mail address, a name, a scope, a password)
│   ├── Unknown         nothing here has that id or address
│   └── Conflict        it is there already, or no longer in the state that the request needs
├── ProtocolError       a refusal in the words of the OAuth RFCs; each class is one `error` value
├── Unproven            the answer of an authenticator proves nothing
└── StoreUnavailable    the store gave no answer: 503 at the edge, never "anonymous" and never "wrong key"
    └── ApiUnavailable  nor did the internal API, where that decides

Whatever asks a store may raise `StoreUnavailable`; docstrings name it only where it means something else.
"""

from collections.abc import Mapping
from typing import ClassVar


class OauthError(Exception):
    """Base of everything that this package raises on purpose."""


class Refused(OauthError):
    """The message is meant for the person who asked and holds nothing secret."""


class Unacceptable(Refused):
    pass


class Unknown(Refused):
    pass


class Conflict(Refused):
    pass


class Unproven(OauthError):
    """What an authenticator answered proves nothing. The message is for the log."""


class StoreUnavailable(OauthError):
    """The message is for the log: it may quote the database."""


class ApiUnavailable(StoreUnavailable):
    """The internal API, which decides about keys, gave no answer. The message is meant for who asked."""

    status = 503


class ProtocolError(OauthError):
    """`error` is the RFC's word; the message is the `error_description`: one safe sentence, what to do next.

    The message is printable ASCII without quotation marks and backslashes (RFC 6749 section 5.2).
    What a client sent is therefore never quoted in it.
    """

    error: ClassVar[str] = "server_error"
    status: ClassVar[int] = 500

    @property
    def parameters(self) -> dict[str, str]:
        """What a client is sent (RFC 6749 sections 4.1.2.1 and 5.2)."""
        return {"error": self.error, "error_description": str(self)}


class InvalidRequest(ProtocolError):
    error, status = "invalid_request", 400


class TooLargeRequest(InvalidRequest):
    """RFC 9110 section 15.5.14; RFC 6749 has no word of its own for it."""

    status = 413


class InvalidClient(ProtocolError):
    """RFC 6749 section 5.2: 401, with a challenge where the client tried HTTP authentication."""

    error, status = "invalid_client", 401


class UnusableDocument(InvalidClient):
    """What the client says of itself at `host` breaks a rule, which the message tells: whoever runs it must mend it."""

    def __init__(self, message: str, host: str) -> None:
        super().__init__(message)
        self.host = host


class InvalidGrant(ProtocolError):
    error, status = "invalid_grant", 400


class UnauthorizedClient(ProtocolError):
    error, status = "unauthorized_client", 400


class UnsupportedGrantType(ProtocolError):
    error, status = "unsupported_grant_type", 400


class UnsupportedResponseType(ProtocolError):
    error, status = "unsupported_response_type", 400


class InvalidScope(ProtocolError):
    error, status = "invalid_scope", 400


class InvalidTarget(ProtocolError):
    """RFC 8707 section 2: the resource is unknown, malformed, or not the one that was granted."""

    error, status = "invalid_target", 400


class AccessDenied(ProtocolError):
    error, status = "access_denied", 400


class SignedOut(AccessDenied):
    """The session of a page has ended meanwhile."""

    def __init__(self) -> None:
        super().__init__("You are not signed in any more. Sign in and do it again.")


class LoginRequired(ProtocolError):
    """OpenID Connect Core section 3.1.2.6: `prompt=none` and nobody is signed in."""

    error, status = "login_required", 400


class ConsentRequired(ProtocolError):
    """OpenID Connect Core section 3.1.2.6: `prompt=none` and nothing is remembered."""

    error, status = "consent_required", 400


class InvalidRedirectUri(ProtocolError):
    """RFC 7591 section 3.2.2."""

    error, status = "invalid_redirect_uri", 400


class InvalidClientMetadata(ProtocolError):
    """RFC 7591 section 3.2.2."""

    error, status = "invalid_client_metadata", 400


class AuthorizationPending(ProtocolError):
    """RFC 8628 section 3.5."""

    error, status = "authorization_pending", 400


class SlowDown(ProtocolError):
    """RFC 8628 section 3.5."""

    error, status = "slow_down", 400


class ExpiredToken(ProtocolError):
    """RFC 8628 section 3.5: the device code."""

    error, status = "expired_token", 400


class TooManyRequests(ProtocolError):
    """`retry_after` is in seconds, `figures` are headers. The word is RFC 6749's for a server that cannot serve now."""

    error, status = "temporarily_unavailable", 429

    def __init__(self, message: str, retry_after: int, figures: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.retry_after, self.figures = retry_after, figures or {}


class TemporarilyUnavailable(ProtocolError):
    """Something that is needed for the answer, such as a client's metadata document, cannot be reached."""

    error, status = "temporarily_unavailable", 503


class UnreadableDocument(TemporarilyUnavailable):
    """What the client says of itself at `host` cannot be read: the fault is there, or on the way."""

    def __init__(self, host: str) -> None:
        super().__init__("The client's metadata document cannot be read now; try again.")
        self.host = host
