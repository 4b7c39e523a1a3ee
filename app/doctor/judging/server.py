"""Judges the authorization server's metadata (RFC 8414) and its keys."""

from collections.abc import Iterator

from app.doctor import addresses
from app.doctor.documents import ServerMetadata
from app.doctor.findings import Finding, advice, failed, ok, quoted, skipped
from app.doctor.observed import Observed
from app.doctor.profiles import Profile, Way

STEP, FIELDS, KEYS = "server metadata", "server fields", "keys"
PRIVATE_MEMBERS = {"d", "p", "q", "dp", "dq", "qi", "k"}


def server_metadata(profile: Profile, observed: Observed) -> list[Finding]:
    """Found, by its own issuer, and with what this client insists on."""
    found = observed.discovery.server_metadata
    if found is None:
        return [_missing(observed)]
    return [_issuer(observed, found), *_fields(profile, observed, found), _keys(observed, found)]


def _missing(observed: Observed) -> Finding:
    seen = "; ".join(f"{quoted(one.url)}: {one.fault or one.status}" for one in observed.discovery.server)
    change = (
        "Serve RFC 8414 metadata of the issuer at /.well-known/oauth-authorization-server with the issuer's path "
        "behind it, as JSON with 200 (RFC 8414 section 3.1)."
    )
    return failed(STEP, f"none found ({seen or 'no address'})", change)


def _issuer(observed: Observed, found: ServerMetadata) -> Finding:
    expected = observed.discovery.issuer
    if found.issuer == expected:
        return ok(STEP, f"issuer {quoted(found.issuer)} at {quoted(found.found_at)}")
    slash = " (they differ by a trailing slash)" if found.issuer.rstrip("/") == expected.rstrip("/") else ""
    return failed(
        STEP,
        f"`issuer` is {quoted(found.issuer)}, `authorization_servers` says {quoted(expected)}{slash}",
        "Make `issuer` and the entry of `authorization_servers` the same string, byte for byte (RFC 8414 section 3.3).",
    )


def _fields(profile: Profile, observed: Observed, found: ServerMetadata) -> list[Finding]:
    """What fails comes alone; advice stands beside each other."""
    faults = list(_faults(profile, observed, found))
    return faults or list(_remarks(profile, found)) or [ok(FIELDS, "endpoints, S256 and the rest are there")]


def _faults(profile: Profile, observed: Observed, found: ServerMetadata) -> Iterator[Finding]:
    for name in ("authorization_endpoint", "token_endpoint"):
        where: str = getattr(found, name)
        if reason := addresses.unsafe(where, observed.url):
            shown = quoted(where) if where else "missing"
            change = f"Name `{name}` by an absolute https address (RFC 8414 section 2)."
            yield failed(FIELDS, f"`{name}` is {shown}: {reason}", change)
    if "S256" not in found.challenge_methods:
        change = 'Set `code_challenge_methods_supported` to ["S256"]; clients refuse without it (MCP authorization).'
        yield failed(FIELDS, "`code_challenge_methods_supported` has no S256", change)
    if Way.DYNAMIC not in profile.ways and not found.takes_documents:
        change = (
            "Accept client ID metadata documents and set `client_id_metadata_document_supported` to true "
            "(MCP authorization; draft-ietf-oauth-client-id-metadata-document)."
        )
        yield failed(FIELDS, "`client_id_metadata_document_supported` is not true", change)


def _remarks(profile: Profile, found: ServerMetadata) -> Iterator[Finding]:
    if "plain" in found.challenge_methods:
        change = "Take `plain` out of `code_challenge_methods_supported` (RFC 9700 section 2.1.1)."
        yield advice(FIELDS, "PKCE by `plain` is offered", change)
    if found.takes_documents and "none" not in found.auth_methods and Way.DOCUMENT in profile.ways:
        change = (
            "Add `none` to `token_endpoint_auth_methods_supported`; clients that use documents are public (RFC 8414)."
        )
        yield advice(FIELDS, "`token_endpoint_auth_methods_supported` has no `none`", change)
    if not found.sends_iss and profile.wants_iss:
        change = (
            "Send `iss` with every authorization response and set "
            "`authorization_response_iss_parameter_supported` to true (RFC 9207 section 3)."
        )
        yield advice(FIELDS, "without `iss` this client falls back to a redirect for each connection", change)
    if found.grant_types and "refresh_token" not in found.grant_types:
        change = "Add `refresh_token` to `grant_types_supported`, or users sign in every hour (RFC 8414 section 2)."
        yield advice(FIELDS, "refresh tokens are not offered", change)


def _keys(observed: Observed, found: ServerMetadata) -> Finding:
    """Clients do not read them, resource servers and curious attackers do."""
    answer = observed.discovery.jwks
    if not found.jwks_uri or answer is None:
        return skipped(KEYS, "the server names no `jwks_uri`")
    listed = (answer.document or {}).get("keys")
    if not isinstance(listed, list):
        change = "Serve a JWK set as JSON at `jwks_uri`, or leave the field out (RFC 7517 section 5)."
        return advice(KEYS, f"no keys at {quoted(found.jwks_uri)}: {answer.fault or answer.status}", change)
    if any(isinstance(key, dict) and PRIVATE_MEMBERS & key.keys() for key in listed):
        change = (
            "Publish public members only, and replace these keys today: anybody can forge tokens (RFC 7517 section 9)."
        )
        return failed(KEYS, "the published keys hold their private parts", change)
    return ok(KEYS, f"{len(listed)} published")
