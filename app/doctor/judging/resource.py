"""Judges the protected resource metadata (RFC 9728)."""

from app.doctor import addresses, documents
from app.doctor.documents import ResourceMetadata
from app.doctor.findings import Finding, advice, failed, ok, quoted
from app.doctor.observed import Observed
from app.doctor.profiles import Profile
from app.doctor.requests import OFFLINE

STEP, SERVERS = "resource metadata", "authorization_servers"


def resource_metadata(profile: Profile, observed: Observed) -> list[Finding]:
    """Found, about this very address, and naming an authorization server."""
    found = observed.discovery.resource_metadata
    if found is None:
        return [_missing(profile, observed)]
    return [_place(profile, observed, found) or _resource(profile, observed, found), _servers(profile, observed, found)]


def _missing(profile: Profile, observed: Observed) -> Finding:
    seen = ", ".join(f"{place}: {one.fault or one.status}" for place, one in observed.discovery.resource.items())
    change = (
        f"Serve the document at {quoted(addresses.inserted(observed.url, addresses.PROTECTED_RESOURCE))} and at the "
        "root, as JSON with 200, without a redirect to another host (RFC 9728 section 3)."
    )
    if profile.without_metadata and observed.discovery.server_metadata is not None:
        return advice(STEP, f"none ({seen}); this client takes the gateway itself as authorization server", change)
    return failed(STEP, f"none ({seen})", change)


def _place(profile: Profile, observed: Observed, found: ResourceMetadata) -> Finding | None:
    places = observed.discovery.resource
    read = {place for place, one in places.items() if documents.resource_metadata(one) is not None}
    if "challenge" in places and "challenge" not in read:
        where, change = quoted(places["challenge"].url), "Make `resource_metadata` the address of the document itself"
        words = STEP, f"the challenge names {where}, where no document is", f"{change} (RFC 9728 section 5.1)."
        return advice(*words) if profile.probes_metadata else failed(*words)
    if not {"path", "root"} <= read and found.resource == observed.url:
        missing = " and ".join(sorted({"path", "root"} - read))
        change = "Serve it at the root and at the path-inserted address alike (RFC 9728 section 3.1)."
        return advice(STEP, f"there is none at the {missing} address, where some clients look", change)
    return None


def _resource(profile: Profile, observed: Observed, found: ResourceMetadata) -> Finding:
    if found.resource == observed.url:
        return ok(STEP, "`resource` is the address that was typed")
    why = f"`resource` is {quoted(found.resource)}, typed was {quoted(observed.url)}"
    change = "Make `resource` the very address that users type, byte for byte (RFC 9728 section 3.3)."
    covers = bool(found.resource) and addresses.covers(found.resource, observed.url)
    if profile.exact_resource or not covers:
        return failed(STEP, why, change)
    return advice(STEP, why, change)


def _servers(profile: Profile, observed: Observed, found: ResourceMetadata) -> Finding:
    if not found.authorization_servers:
        change = "Name at least one issuer in `authorization_servers` (MCP authorization; RFC 9728 section 2)."
        return failed(SERVERS, "there is no authorization server in the document", change)
    first = found.authorization_servers[0]
    if reason := addresses.unsafe(first, observed.url):
        change = "Name the issuer by its public https address (RFC 8414 section 2)."
        return failed(SERVERS, f"{quoted(first)} is not asked: {reason}", change)
    if OFFLINE in found.scopes:
        change = "List `offline_access` in the authorization server's metadata only (MCP authorization)."
        return advice(SERVERS, "`offline_access` is among the resource's scopes", change)
    del profile
    return ok(SERVERS, quoted(first))
