"""Everything that was asked of one gateway and answered: the only thing that the judges look at."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from app.doctor import challenges, documents
from app.doctor.documents import ResourceMetadata, ServerMetadata
from app.doctor.exchanges import BAD_REQUEST, SERVER_ERROR, Exchange

UNAUTHORIZED = 401
UNAVAILABLE = {502, 503, 504}
_NOT_FETCHED = re.compile(
    rb"(?:could not|can\s?not|can't|failed to|unable to)\s+(?:be\s+)?(?:fetch|read|load|retriev|reach|resolv)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Endpoint:
    """The MCP endpoint before anybody signed in."""

    get: Exchange
    discover: Exchange
    initialize: Exchange
    forged: Exchange
    """A call with a bearer token that nobody issued: also a gateway with public tools has to refuse this one."""

    @property
    def challenge(self) -> Exchange | None:
        """The first 401, of whichever request."""
        asked = (self.discover, self.initialize, self.forged)
        return next((one for one in asked if one.status == UNAUTHORIZED), None)

    @property
    def parameters(self) -> dict[str, str]:
        """What the challenge says; empty without one."""
        told = self.challenge
        return (challenges.bearer(told.header("www-authenticate")) or {}) if told else {}


@dataclass(frozen=True)
class Discovery:
    """The documents, in the order in which they were asked for."""

    url: str
    resource: Mapping[str, Exchange] = field(default_factory=dict)
    """By place: `challenge`, `path`, `root`."""
    issuer: str = ""
    server: tuple[Exchange, ...] = ()
    jwks: Exchange | None = None

    @property
    def resource_metadata(self) -> ResourceMetadata | None:
        return documents.first_resource(self.resource)

    @property
    def server_metadata(self) -> ServerMetadata | None:
        return documents.first_server(self.server)


@dataclass(frozen=True)
class Played:
    """One client's own part: how it got its `client_id`, and what the authorization endpoint said to it."""

    client_id: str = ""
    registration: Exchange | None = None
    authorize: Mapping[str, Exchange] = field(default_factory=dict)
    """By probe: `good`, `moved port`, `unknown client`, `foreign redirect`, `no PKCE`, `plain PKCE`."""
    page: Exchange | None = None
    """Where the good request ended on the server's own origin: the sign-in page, if all is well."""
    with_origin: Exchange | None = None

    @property
    def document_unread(self) -> bool:
        """The server knows this client by its document only, and says that it cannot fetch it now."""
        good, unknown = self.authorize.get("good"), self.authorize.get("unknown client")
        if not self.client_id.startswith("https:") or self.registration is not None or good is None:
            return False
        # A server that answers everybody like that has another trouble.
        others_are_answered = unknown is None or (unknown.status or SERVER_ERROR) < SERVER_ERROR
        return others_are_answered and (good.status in UNAVAILABLE or _tells_of_document(good))


@dataclass(frozen=True)
class Called:
    """The protocol's own part with one credential, in one era."""

    era: str
    start: Exchange
    listed: Exchange | None = None
    tool: str | None = None
    call: Exchange | None = None


@dataclass(frozen=True)
class Grant:
    """What a completed sign-in led to, by step."""

    callback: Mapping[str, str] = field(default_factory=dict, repr=False)
    gave_up: str = ""
    token: Exchange | None = None
    refresh: Exchange | None = None
    after_refresh: Exchange | None = None
    revoke: Exchange | None = None
    refresh_after: Exchange | None = None
    call_after: Exchange | None = None
    code_again: Exchange | None = None


@dataclass(frozen=True)
class Observed:
    """The whole examination, before anything is concluded from it."""

    url: str
    endpoint: Endpoint
    discovery: Discovery
    preflights: Mapping[str, Exchange] = field(default_factory=dict)
    played: Mapping[str, Played] = field(default_factory=dict)
    registers: bool = True
    grant: Grant | None = None
    called: tuple[Called, ...] = ()

    @property
    def of_one_client(self) -> bool:
        """The operator named a single client: whatever keeps it out is what was asked about."""
        return len(self.played) == 1


def _tells_of_document(answer: Exchange) -> bool:
    """Other servers answer 400 or 500, and say in words what is missing."""
    refused = (answer.status or 0) >= BAD_REQUEST
    return refused and b"metadata" in answer.body.lower() and _NOT_FETCHED.search(answer.body) is not None
