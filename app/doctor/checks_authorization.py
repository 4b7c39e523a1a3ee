"""Checks of the authorization server without signing in: the two metadata documents (RFC 9728, RFC 8414), the published
keys, registration, and good and bad authorization requests.
"""

from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from app.doctor import addresses
from app.doctor.addresses import PROTECTED_RESOURCE
from app.doctor.exchanges import Exchange, quoted
from app.doctor.findings import ADVICE, FAILED, OK, SKIPPED, UNDECIDED, Check
from app.doctor.observations import ISS, NO_DOCUMENT, OFFLINE, USABLE_METHODS, View, is_resource_metadata
from app.doctor.profiles import FOREIGN, Way

AUTHORIZE = "authorize"
BAD_REQUESTS = ("unknown client", "foreign redirect", "no PKCE", "plain PKCE")
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


def _unusable_method(view: View) -> object:
    is_usable = view.method in USABLE_METHODS and (view.method == "none" or view.registration.text("client_secret"))
    return None if is_usable or not view.is_registered else view.method


def _dropped_redirects(view: View) -> list[str]:
    kept = view.registration.texts("redirect_uris") or view.profile.redirects
    return [uri for uri in view.profile.redirects if view.is_registered and uri not in kept]


def _goes_to(view: View, probe: str, target: str) -> bool:
    """Compared up to the query: the server adds its own parameters."""
    answer = view.played.authorize.get(probe, NO_DOCUMENT)
    return answer.redirects and answer.location.partition("?")[0].rstrip("/") == target.rstrip("/")


def _lacks_iss(view: View) -> bool:
    issuer = view.promised_issuer if _goes_to(view, "no PKCE", view.profile.redirects[0]) else ""
    return issuer != "" and view.played.authorize["no PKCE"].redirect_parameters.get("iss") != issuer


def _bad_requests(view: View) -> list[tuple[str, Exchange]]:
    answers = view.played.authorize
    return [(name, answers[name]) for name in BAD_REQUESTS if name in answers and answers[name].fault is None]


DOCUMENTS: tuple[Check[Any], ...] = (
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


CHECKS: tuple[Check[Any], ...] = (
    Check[View](
        "registration",
        (SKIPPED, "no_server", lambda it: not it.server.document),
        (OK, "document", lambda it: it.way is Way.DOCUMENT),
        (FAILED, "document_only", lambda it: it.way is None and it.profile.ways == (Way.DOCUMENT,)),
        (FAILED, "no_way", lambda it: it.way is None),
        (SKIPPED, "unseen", lambda it: it.registration is NO_DOCUMENT),
        (FAILED, "method", _unusable_method),
        (FAILED, "dropped", _dropped_redirects),
        (ADVICE, "status", lambda it: it.is_registered and it.registration.status != HTTPStatus.CREATED),
        (OK, "fine", lambda it: it.is_registered and it.method),
        (FAILED, "fault", lambda it: it.registration.fault),
        (FAILED, "redirect", lambda it: it.registration.redirects),
        (FAILED, "type", lambda it: it.registration.media_type != "application/json"),
        (FAILED, "no_id", lambda it: not it.registration.is_error),
        (FAILED, "loopback", lambda it: it.is_on_loopback and it.registration.error == "invalid_redirect_uri"),
        (FAILED, "", lambda it: it.registration.error.startswith("invalid_") and it.registration.error),
        (FAILED, "refused", lambda _: True),
    ),
    Check[Exchange](
        AUTHORIZE,
        (SKIPPED, "often", lambda it: it.status == HTTPStatus.TOO_MANY_REQUESTS),
        (FAILED, "page_fault", lambda it: it.fault),
        # A browser answers a 401 of its own accord, where it knows the scheme (RFC 9110 section 11.6.1).
        (OK, "asked", lambda it: it.status == HTTPStatus.UNAUTHORIZED and "www-authenticate" in it.headers),
        (FAILED, "page_status", lambda it: it.is_error),
        (FAILED, "page_error", lambda it: it.redirect_parameters.get("error")),
        (FAILED, "circle", lambda it: it.redirects and addresses.same_origin_target(it.url, it.location)),
        of=lambda view: (view.played.page or view.good) if view.is_taken else None,
    ),
    Check[View](
        AUTHORIZE,
        (SKIPPED, "no_endpoint", lambda it: not it.played.authorize),
        (SKIPPED, "no_client", lambda it: it.good is NO_DOCUMENT and it.observed.registers),
        (UNDECIDED, "unknown", lambda it: it.good is NO_DOCUMENT),
        (FAILED, "fault", lambda it: it.good.fault and it.good),
        (FAILED, "error", lambda it: it.good.redirect_parameters.get("error")),
        (FAILED, "document", lambda it: it.lacks_document and (it.good, urlsplit(it.profile.document).hostname)),
        (FAILED, "status", lambda it: it.good),
        of=lambda view: None if view.is_taken else view,
    ),
    Check[View](
        "authorize, other port",
        (SKIPPED, "document", lambda it: it.lacks_document),
        (ADVICE, "refused", lambda it: it.played.authorize["moved port"].is_refused),
        of=lambda view: view if view.profile.moved_redirect and "good" in view.played.authorize else None,
    ),
    # Whoever cannot be trusted must not be redirected to (RFC 6749 section 4.1.2.1, RFC 9700 section 4.11).
    Check[View](
        "authorize, bad requests",
        (SKIPPED, "document", lambda it: it.lacks_document),
        (FAILED, "foreign", lambda it: _goes_to(it, "foreign redirect", FOREIGN)),
        (FAILED, "unknown", lambda it: _goes_to(it, "unknown client", it.profile.redirects[0])),
        (FAILED, "iss", lambda it: it.profile.wants_iss and _lacks_iss(it)),
        (ADVICE, "iss", _lacks_iss),
        (ADVICE, "crash", lambda it: [(name, one.status) for name, one in _bad_requests(it) if one.is_broken]),
        (ADVICE, "accepted", lambda it: [(name, one.status) for name, one in _bad_requests(it) if not one.is_refused]),
        of=lambda view: view if view.played.authorize else None,
        every=True,
    ),
)
