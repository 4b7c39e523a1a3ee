"""Everything that was sent to one gateway and answered: the only thing that the checks look at."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from app.doctor.addresses import covers, is_loopback
from app.doctor.exchanges import Exchange
from app.doctor.profiles import Profile, Way

NO_DOCUMENT = Exchange("GET", "")
"""Stands for metadata that was found nowhere: every member is absent."""
CIMD = "client_id_metadata_document_supported"
ISS = "authorization_response_iss_parameter_supported"
OFFLINE = "offline_access"
USABLE_METHODS = ("none", "client_secret_post", "client_secret_basic")


@dataclass(frozen=True)
class Endpoint:
    """The MCP endpoint before a sign-in."""

    get: Exchange
    discover: Exchange
    initialize: Exchange
    forged: Exchange
    """A call with a bearer token that nobody issued: also a gateway with public tools has to refuse this one."""

    @property
    def challenge(self) -> Exchange | None:
        """The first 401, of whichever request."""
        requests = (self.discover, self.initialize, self.forged)
        return next((one for one in requests if one.status == HTTPStatus.UNAUTHORIZED), None)

    @property
    def parameters(self) -> dict[str, str]:
        """The parameters of the Bearer challenge; empty without one."""
        return self.challenge.bearer_challenge if self.challenge else {}


@dataclass(frozen=True)
class Discovery:
    """The documents, in the order in which they were requested."""

    url: str
    resource: Mapping[str, Exchange] = field(default_factory=dict)
    """By place: `challenge`, `path`, `root`."""
    issuer: str = ""
    server: tuple[Exchange, ...] = ()
    jwks: Exchange = NO_DOCUMENT

    @property
    def resource_metadata(self) -> Exchange:
        """The document that a client ends with (RFC 9728): the challenge's, else that for the path, else the root's."""
        answers = (self.resource[place] for place in ("challenge", "path", "root") if place in self.resource)
        return next(filter(is_resource_metadata, answers), NO_DOCUMENT)

    @property
    def server_metadata(self) -> Exchange:
        """The first of the well-known addresses that holds a document (RFC 8414)."""
        members = {"issuer", "authorization_endpoint"}
        return next((one for one in self.server if members & one.document.keys()), NO_DOCUMENT)


@dataclass(frozen=True)
class Played:
    """One client's own part: how it registered, and what the authorization endpoint answered it."""

    registration: Exchange = NO_DOCUMENT
    authorize: Mapping[str, Exchange] = field(default_factory=dict)
    """By probe: `good`, `moved port`, `unknown client`, `foreign redirect`, `no PKCE`, `plain PKCE`."""
    page: Exchange | None = None
    """Where the good request ended on the server's own origin: the sign-in page, if all is well."""
    with_origin: Exchange | None = None


@dataclass(frozen=True)
class Called:
    """The protocol with one credential, in one era."""

    era: str
    start: Exchange
    listed: Exchange | None = None
    tool: str | None = None
    call: Exchange | None = None

    @property
    def last(self) -> Exchange:
        return self.listed or self.start

    @property
    def is_declined(self) -> bool:
        return self.last.is_error and not self.last.is_broken

    @property
    def result(self) -> dict[str, Any] | None:
        return self.call.rpc_result if self.call else None

    @property
    def tools(self) -> list[Any] | None:
        """The tools that are listed; None where there is no list at all."""
        result = self.listed.rpc_result if self.listed else None
        tools = (result or {}).get("tools")
        return None if result is None else tools if isinstance(tools, list) else []


@dataclass
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
    meant: str = ""
    """The address of the MCP endpoint, where the typed one is none and another of the same origin is."""
    preflights: Mapping[str, Exchange] = field(default_factory=dict)
    played: Mapping[str, Played] = field(default_factory=dict)
    registers: bool = True
    grant: Grant | None = None
    called: tuple[Called, ...] = ()

    @property
    def requires_sign_in(self) -> bool:
        """An open gateway shows neither a challenge nor any metadata."""
        return self.endpoint.challenge is not None or bool(self.discovery.resource_metadata.document)


class View:
    """What was observed, as it concerns one client."""

    def __init__(self, profile: Profile, observed: Observed) -> None:
        self.profile, self.observed = profile, observed
        self.url, self.endpoint = observed.url, observed.endpoint
        self.resource, self.server = observed.discovery.resource_metadata, observed.discovery.server_metadata
        keys = observed.discovery.jwks.document.get("keys")
        self.keys: list[Any] = keys if isinstance(keys, list) else []
        self.named = self.resource.text("resource")
        # The lenient clients take a resource that the typed address lies below (RFC 8707).
        self.takes_resource = not profile.exact_resource and covers(self.named, self.url)
        self.first_issuer = next(iter(self.resource.texts("authorization_servers")), "")
        self.issuer = self.server.text("issuer")
        self.takes_documents = self.server.document.get(CIMD) is True
        self.way = way_for(profile, self.server)
        # The `iss` of every authorization response, where the metadata promises one (RFC 9207 section 3).
        self.promised_issuer = self.issuer if self.server.document.get(ISS) is True else ""
        self.played = observed.played.get(profile.name, Played())
        self.registration = self.played.registration
        # Clients that get no method look at what they hold: without a secret they are public.
        default = "client_secret_basic" if self.registration.text("client_secret") else "none"
        self.method = self.registration.document.get("token_endpoint_auth_method") or default
        self.is_registered = bool(self.registration.text("client_id"))
        self.redirect_uris = ", ".join(profile.redirects)
        self.is_on_loopback = all(map(is_loopback, profile.redirects))
        self.good = self.played.authorize.get("good", NO_DOCUMENT)
        self.is_taken = self.good is not NO_DOCUMENT and self.good.fault is None and not self.good.is_refused
        # The server knows the client by its document only, and did not take that: other answers would say nothing.
        self.lacks_document = self.way is Way.DOCUMENT and self.good is not NO_DOCUMENT and not self.is_taken
        self.grant = observed.grant or Grant()
        self.granted = self.grant if self.grant.token and self.grant.token.text("access_token") else None
        self.called = [one for one in observed.called if one.era in profile.eras]
        self.working = [one for one in self.called if one.tools is not None]
        self.eras = [one.era for one in self.working]
        # The operator named a single client: whatever keeps it out is what was asked about.
        self.is_only_client = len(observed.played) == 1

    def offers(self, member: str, value: str, *, unsaid: bool = False) -> bool:
        """Whether a list of the server's metadata holds this value; `unsaid` where there is no list."""
        return value in self.server.texts(member) if self.server.texts(member) else unsaid

    @property
    def refuses_origin(self) -> bool:
        """The client's Origin is not on the gateway's list: the same request without it met something else."""
        answer = self.played.with_origin
        if not self.profile.origin or answer is None or answer.status != HTTPStatus.FORBIDDEN:
            return False
        return self.endpoint.initialize.status != HTTPStatus.FORBIDDEN


def is_resource_metadata(answer: Exchange) -> bool:
    return bool({"resource", "authorization_servers"} & answer.document.keys())


def way_for(profile: Profile, server: Exchange) -> Way | None:
    """The first of the client's ways to a `client_id` that this server offers."""
    # Claude asks for the flag and for `none`; ChatGPT can sign with a key instead (`private_key_jwt`).
    methods = {"none", "private_key_jwt"} & set(server.texts("token_endpoint_auth_methods_supported"))
    offered = {
        Way.DYNAMIC: bool(server.text("registration_endpoint")),
        Way.DOCUMENT: server.document.get(CIMD) is True and bool(methods),
    }
    return next((way for way in profile.ways if offered[way]), None)
