"""Reading the two metadata documents of strangers: a field of the wrong type counts as absent."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from app.doctor.exchanges import Exchange


@dataclass(frozen=True, slots=True)
class ResourceMetadata:
    """Protected resource metadata (RFC 9728 section 2)."""

    found_at: str
    resource: str
    authorization_servers: tuple[str, ...]
    scopes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ServerMetadata:
    """Authorization server metadata (RFC 8414 section 2)."""

    found_at: str
    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    registration_endpoint: str
    revocation_endpoint: str
    jwks_uri: str
    challenge_methods: tuple[str, ...]
    auth_methods: tuple[str, ...]
    grant_types: tuple[str, ...]
    scopes: tuple[str, ...]
    takes_documents: bool
    sends_iss: bool


def resource_metadata(exchange: Exchange) -> ResourceMetadata | None:
    """The document in this answer; None when it holds none."""
    told = exchange.document
    if told is None or not ({"resource", "authorization_servers"} & told.keys()):
        return None
    return ResourceMetadata(
        exchange.url,
        _text(told, "resource"),
        _texts(told, "authorization_servers"),
        _texts(told, "scopes_supported"),
    )


def server_metadata(exchange: Exchange) -> ServerMetadata | None:
    """The document in this answer; None when it holds none."""
    told = exchange.document
    if told is None or not ({"issuer", "authorization_endpoint"} & told.keys()):
        return None
    return ServerMetadata(
        exchange.url,
        _text(told, "issuer"),
        _text(told, "authorization_endpoint"),
        _text(told, "token_endpoint"),
        _text(told, "registration_endpoint"),
        _text(told, "revocation_endpoint"),
        _text(told, "jwks_uri"),
        _texts(told, "code_challenge_methods_supported"),
        _texts(told, "token_endpoint_auth_methods_supported"),
        _texts(told, "grant_types_supported"),
        _texts(told, "scopes_supported"),
        told.get("client_id_metadata_document_supported") is True,
        told.get("authorization_response_iss_parameter_supported") is True,
    )


def first_resource(answers: Mapping[str, Exchange]) -> ResourceMetadata | None:
    """The document that a client ends with: the challenge's, else the one for the path, else the root's."""
    asked = (answers[place] for place in ("challenge", "path", "root") if place in answers)
    return next((found for one in asked if (found := resource_metadata(one)) is not None), None)


def first_server(answers: Iterable[Exchange]) -> ServerMetadata | None:
    """The first of the well-known addresses that holds a document."""
    return next((found for one in answers if (found := server_metadata(one)) is not None), None)


def _text(told: dict[str, Any], name: str) -> str:
    value = told.get(name)
    return value if isinstance(value, str) else ""


def _texts(told: dict[str, Any], name: str) -> tuple[str, ...]:
    value = told.get(name)
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()
