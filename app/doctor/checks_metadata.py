"""Checks of the two metadata documents (RFC 9728, RFC 8414) and the published keys."""

from collections.abc import Iterator

from app.doctor import addresses
from app.doctor.addresses import PROTECTED_RESOURCE
from app.doctor.exchanges import Exchange
from app.doctor.findings import ADVICE, FAILED, OK, SKIPPED, Check, Row, quoted
from app.doctor.observations import CIMD, ISS, OFFLINE, View, is_resource_metadata
from app.doctor.profiles import Way

PRIVATE_MEMBERS = {"d", "p", "q", "dp", "dq", "qi", "k"}


def _resource(view: View) -> Iterator[Row]:
    """Found, and about this very address (RFC 9728)."""
    found, places, typed = view.resource, view.observed.discovery.resource, view.observed.url
    if not found.document:
        yield _no_resource(view)
        return
    read = {place for place, answer in places.items() if is_resource_metadata(answer)}
    if "challenge" in places and "challenge" not in read:
        why = f"the challenge names {quoted(places['challenge'].url)}, where no document is"
        change = "Make `resource_metadata` the address of the document itself (RFC 9728 section 5.1)."
        yield ADVICE if view.profile.probes_metadata else FAILED, why, change
    resource = found.text("resource")
    if resource != typed:
        covers = bool(resource) and addresses.covers(resource, typed)
        change = "Make `resource` the very address that users type, byte for byte (RFC 9728 section 3.3)."
        status = FAILED if view.profile.exact_resource or not covers else ADVICE
        yield status, f"`resource` is {quoted(resource)}, typed was {quoted(typed)}", change
    if missing := " and ".join(sorted({"path", "root"} - read)):
        change = "Serve it at the root and at the path-inserted address alike (RFC 9728 section 3.1)."
        yield ADVICE, f"there is none at the {missing} address, where some clients look", change


def _no_resource(view: View) -> Row:
    seen = ", ".join(f"{place}: {one.fault or one.status}" for place, one in view.observed.discovery.resource.items())
    change = (
        f"Serve the document at {quoted(addresses.inserted(view.observed.url, PROTECTED_RESOURCE))} and at the root, "
        "as JSON with 200, without a redirect to another host (RFC 9728 section 3)."
    )
    if view.profile.without_metadata and view.server.document:
        return ADVICE, f"none ({seen}); this client takes the gateway itself as authorization server", change
    return FAILED, f"none ({seen})", change


def _servers(view: View) -> Iterator[Row]:
    issuers = view.resource.texts("authorization_servers")
    if not issuers:
        change = "Name at least one issuer in `authorization_servers` (MCP authorization; RFC 9728 section 2)."
        yield FAILED, "there is no authorization server in the document", change
    if reason := addresses.unsafe(issuers[0], view.observed.url):
        change = "Name the issuer by its public https address (RFC 8414 section 2)."
        yield FAILED, f"{quoted(issuers[0])} is not asked: {reason}", change
    if OFFLINE in view.resource.texts("scopes_supported"):
        change = "List `offline_access` in the authorization server's metadata only (MCP authorization)."
        yield ADVICE, "`offline_access` is among the resource's scopes", change
    yield OK, quoted(issuers[0]), ""


def _server(view: View) -> Iterator[Row]:
    """Found, and by its own issuer (RFC 8414)."""
    found, expected = view.server, view.observed.discovery.issuer
    if not found.document:
        seen = "; ".join(f"{quoted(one.url)}: {one.fault or one.status}" for one in view.observed.discovery.server)
        change = (
            "Serve RFC 8414 metadata of the issuer at /.well-known/oauth-authorization-server with the issuer's path "
            "behind it, as JSON with 200 (RFC 8414 section 3.1)."
        )
        yield FAILED, f"none found ({seen or 'no address'})", change
        return
    issuer = found.text("issuer")
    if issuer != expected:
        slash = " (they differ by a trailing slash)" if issuer.rstrip("/") == expected.rstrip("/") else ""
        change = "Make `issuer` and the entry of `authorization_servers` the same string (RFC 8414 section 3.3)."
        yield FAILED, f"`issuer` is {quoted(issuer)}, `authorization_servers` says {quoted(expected)}{slash}", change
    yield OK, f"issuer {quoted(issuer)} at {quoted(found.url)}", ""


def _fields(view: View) -> Iterator[Row]:
    """What clients insist on."""
    found = view.server
    for name in ("authorization_endpoint", "token_endpoint"):
        where = found.text(name)
        if reason := addresses.unsafe(where, view.observed.url):
            change = f"Name `{name}` by an absolute https address (RFC 8414 section 2)."
            yield FAILED, f"`{name}` is {quoted(where) if where else 'missing'}: {reason}", change
    if "S256" not in found.texts("code_challenge_methods_supported"):
        change = 'Set `code_challenge_methods_supported` to ["S256"]; clients refuse without it (MCP authorization).'
        yield FAILED, "`code_challenge_methods_supported` has no S256", change
    if Way.DYNAMIC not in view.profile.ways and found.document.get(CIMD) is not True:
        change = f"Accept client ID metadata documents and set `{CIMD}` to true (MCP authorization; CIMD)."
        yield FAILED, f"`{CIMD}` is not true", change
    yield from _remarks(view, found)


def _remarks(view: View, found: Exchange) -> Iterator[Row]:
    methods, grants = found.texts("token_endpoint_auth_methods_supported"), found.texts("grant_types_supported")
    if "plain" in found.texts("code_challenge_methods_supported"):
        change = "Take `plain` out of `code_challenge_methods_supported` (RFC 9700 section 2.1.1)."
        yield ADVICE, "PKCE by `plain` is offered", change
    if found.document.get(CIMD) is True and "none" not in methods and Way.DOCUMENT in view.profile.ways:
        change = "Add `none` to `token_endpoint_auth_methods_supported`; clients with documents are public (RFC 8414)."
        yield ADVICE, "`token_endpoint_auth_methods_supported` has no `none`", change
    if found.document.get(ISS) is not True and view.profile.wants_iss:
        change = f"Send `iss` with every authorization response and set `{ISS}` to true (RFC 9207 section 3)."
        yield ADVICE, "without `iss` this client falls back to a redirect for each connection", change
    if grants and "refresh_token" not in grants:
        change = "Add `refresh_token` to `grant_types_supported`, or users sign in every hour (RFC 8414 section 2)."
        yield ADVICE, "refresh tokens are not offered", change


def _keys(view: View) -> Iterator[Row]:
    """Clients do not read them, resource servers and curious attackers do."""
    answer = view.observed.discovery.jwks
    if answer is None:
        yield SKIPPED, "the server names no `jwks_uri`", ""
        return
    keys = answer.document.get("keys")
    if not isinstance(keys, list):
        change = "Serve a JWK set as JSON at `jwks_uri`, or leave the field out (RFC 7517 section 5)."
        yield ADVICE, f"no keys at {quoted(answer.url)}: {answer.fault or answer.status}", change
    elif any(isinstance(key, dict) and PRIVATE_MEMBERS & key.keys() for key in keys):
        change = "Publish public members only and replace these keys: anybody can forge tokens (RFC 7517 section 9)."
        yield FAILED, "the published keys hold their private parts", change
    else:
        yield OK, f"{len(keys)} published", ""


CHECKS = (
    Check("resource metadata", _resource, fine="`resource` is the address that was typed"),
    Check("authorization_servers", _servers, lambda view: view.resource.document),
    Check("server metadata", _server),
    Check(
        "server fields",
        _fields,
        lambda view: view.server.document,
        "endpoints, S256 and the rest are there",
        every=True,
    ),
    Check("keys", _keys, lambda view: view.server.document),
)
