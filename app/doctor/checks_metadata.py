"""Checks of the two metadata documents (RFC 9728, RFC 8414) and of the published keys."""

from typing import Any

from app.doctor import addresses
from app.doctor.addresses import PROTECTED_RESOURCE
from app.doctor.exchanges import quoted
from app.doctor.findings import ADVICE, FAILED, Check
from app.doctor.observations import ISS, OFFLINE, View, is_resource_metadata
from app.doctor.profiles import Way

PRIVATE_MEMBERS = {"d", "p", "q", "dp", "dq", "qi", "k"}
ENDPOINTS = ("authorization_endpoint", "token_endpoint")


def _no_resource(view: View) -> tuple[str, str] | None:
    seen = ", ".join(f"{place}: {one.outcome}" for place, one in view.observed.discovery.resource.items())
    return None if view.resource.document else (addresses.inserted(view.url, PROTECTED_RESOURCE), seen)


def _empty_places(view: View) -> dict[str, str]:
    """Where some clients look for the resource metadata, and there is none: by place its address."""
    found = view.observed.discovery.resource
    return {place: one.url for place, one in found.items() if not is_resource_metadata(one)}


def _no_server(view: View) -> str:
    seen = "; ".join(f"{quoted(one.url)}: {one.outcome}" for one in view.observed.discovery.server)
    return "" if view.server.document else seen or "no address"


def _other_issuer(view: View) -> tuple[str, str, str] | None:
    issuer, expected = view.issuer, view.observed.discovery.issuer
    slash = " (they differ by a trailing slash)" if issuer.rstrip("/") == expected.rstrip("/") else ""
    return None if issuer == expected else (issuer, expected, slash)


def _unsafe_endpoints(view: View) -> list[tuple[str, str, str]]:
    named = ((name, view.server.text(name)) for name in ENDPOINTS)
    found = ((name, quoted(url) if url else "missing", addresses.unsafe(url, view.url)) for name, url in named)
    return [one for one in found if one[2]]


def _wants_public_clients(view: View) -> bool:
    by_document = view.takes_documents and Way.DOCUMENT in view.profile.ways
    return by_document and not view.offers("token_endpoint_auth_methods_supported", "none")


CHECKS: tuple[Check[Any], ...] = (
    Check[View](
        "resource metadata",
        (ADVICE, "legacy", lambda it: it.profile.without_metadata and it.server.document and _no_resource(it)),
        (FAILED, "none", _no_resource),
        (ADVICE, "challenge", lambda it: it.profile.probes_metadata and _empty_places(it).get("challenge")),
        (FAILED, "challenge", lambda it: _empty_places(it).get("challenge")),
        (ADVICE, "differs", lambda it: it.takes_resource and it.named != it.url),
        (FAILED, "differs", lambda it: it.named != it.url),
        (ADVICE, "place", lambda it: " and ".join(_empty_places(it))),
    ),
    Check[View](
        "authorization_servers",
        (FAILED, "none", lambda it: not it.first_issuer),
        (FAILED, "unsafe", lambda it: addresses.unsafe(it.first_issuer, it.url)),
        (ADVICE, "offline", lambda it: OFFLINE in it.resource.texts("scopes_supported")),
        of=lambda view: view if view.resource.document else None,
    ),
    Check[View]("server metadata", (FAILED, "none", _no_server), (FAILED, "issuer", _other_issuer)),
    Check[View](
        "server fields",
        (FAILED, "endpoint", _unsafe_endpoints),
        (FAILED, "S256", lambda it: not it.offers("code_challenge_methods_supported", "S256")),
        # Clients do not read the keys, resource servers and curious attackers do.
        (FAILED, "keys", lambda it: any(PRIVATE_MEMBERS & key.keys() for key in it.keys if isinstance(key, dict))),
        (FAILED, "documents", lambda it: Way.DYNAMIC not in it.profile.ways and not it.takes_documents),
        (ADVICE, "plain", lambda it: it.offers("code_challenge_methods_supported", "plain")),
        (ADVICE, "public", _wants_public_clients),
        (ADVICE, "iss", lambda it: it.profile.wants_iss and it.server.document.get(ISS) is not True),
        (ADVICE, "refresh", lambda it: not it.offers("grant_types_supported", "refresh_token", unsaid=True)),
        of=lambda view: view if view.server.document else None,
        every=True,
    ),
)
