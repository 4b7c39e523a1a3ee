"""Checks of the authorization server without signing in: registration, good and bad authorization requests."""

from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from app.doctor import addresses
from app.doctor.exchanges import Exchange
from app.doctor.findings import ADVICE, FAILED, OK, SKIPPED, UNDECIDED, Check, always
from app.doctor.observations import NO_DOCUMENT, USABLE_METHODS, View
from app.doctor.profiles import FOREIGN, Way

AUTHORIZE = "authorize"
JSON = "application/json"


def _method(view: View) -> object:
    """Clients that get no method look at what they hold: without a secret they are public."""
    default = "client_secret_basic" if view.registration.text("client_secret") else "none"
    return view.registration.document.get("token_endpoint_auth_method") or default


def _unusable_method(view: View) -> object:
    method = _method(view)
    is_usable = method in USABLE_METHODS and (method == "none" or view.registration.text("client_secret"))
    return None if is_usable or not view.is_registered else method


def _dropped_redirect(view: View) -> str:
    kept = view.registration.document.get("redirect_uris")
    dropped = (uri for uri in view.profile.redirects if isinstance(kept, list) and uri not in kept)
    return next(dropped, "") if view.is_registered else ""


def _refuses_loopback(view: View) -> bool:
    is_redirect = view.registration.error == "invalid_redirect_uri"
    return is_redirect and all(map(addresses.is_loopback, view.profile.redirects))


def _asks_browser(page: Exchange) -> bool:
    """A browser answers a 401 of its own accord, where it knows the scheme (RFC 9110 section 11.6.1)."""
    return page.status == HTTPStatus.UNAUTHORIZED and "www-authenticate" in page.headers


def _good(view: View) -> Exchange:
    return view.played.authorize.get("good", NO_DOCUMENT)


def _is_taken(view: View) -> bool:
    """Whether the server knows the client and took its good request."""
    good = _good(view)
    return good is not NO_DOCUMENT and good.fault is None and not good.is_refused


def _lacks_document(view: View) -> bool:
    """The server knows the client by its document only, and did not take that: other answers would say nothing."""
    return view.way is Way.DOCUMENT and "good" in view.played.authorize and not _is_taken(view)


def _goes_to(view: View, probe: str, target: str) -> bool:
    """Compared up to the query: the server adds its own parameters."""
    answer = view.played.authorize.get(probe, NO_DOCUMENT)
    return answer.redirects and answer.location.partition("?")[0].rstrip("/") == target.rstrip("/")


def _lacks_iss(view: View) -> bool:
    if not view.promised_issuer or not _goes_to(view, "no PKCE", view.profile.redirects[0]):
        return False
    return view.played.authorize["no PKCE"].redirect_parameters.get("iss") != view.promised_issuer


def _crashes(view: View) -> list[tuple[str, object]]:
    probes = {name: view.played.authorize.get(name) for name in ("unknown client", "foreign redirect", "no PKCE")}
    return [(name, one.status) for name, one in probes.items() if one and one.is_server_error]


def _accepted(view: View, probe: str) -> object:
    """The status of a bad request that goes on to the sign-in."""
    answer = view.played.authorize.get(probe)
    return None if answer is None or answer.fault is not None or answer.is_refused else answer.status


SIGN_IN_PAGE = Check[Exchange](
    AUTHORIZE,
    (SKIPPED, "often", lambda it: it.status == HTTPStatus.TOO_MANY_REQUESTS),
    (FAILED, "page_fault", lambda it: it.fault),
    (FAILED, "page_status", lambda it: it.is_error and not _asks_browser(it)),
    (FAILED, "page_error", lambda it: it.redirect_parameters.get("error")),
    (FAILED, "circle", lambda it: it.redirects and addresses.same_origin_target(it.url, it.location)),
    of=lambda view: (view.played.page or _good(view)) if _is_taken(view) else None,
)


CHECKS: tuple[Check[Any], ...] = (
    Check[View](
        "registration",
        (SKIPPED, "no_server", lambda it: not it.server.document),
        (OK, "document", lambda it: it.way is Way.DOCUMENT),
        (FAILED, "document_only", lambda it: it.way is None and it.profile.ways == (Way.DOCUMENT,)),
        (FAILED, "no_way", lambda it: it.way is None),
        (SKIPPED, "unseen", lambda it: it.registration is NO_DOCUMENT and it.observed.registers),
        (SKIPPED, "unwanted", lambda it: it.registration is NO_DOCUMENT),
        (FAILED, "method", _unusable_method),
        (FAILED, "dropped", _dropped_redirect),
        (ADVICE, "status", lambda it: it.is_registered and it.registration.status != HTTPStatus.CREATED),
        (OK, "fine", lambda it: it.is_registered and _method(it)),
        (FAILED, "fault", lambda it: it.registration.fault),
        (FAILED, "redirect", lambda it: it.registration.redirects),
        (FAILED, "type", lambda it: it.registration.media_type != JSON),
        (FAILED, "no_id", lambda it: not it.registration.is_error),
        (FAILED, "loopback", _refuses_loopback),
        (FAILED, "invalid_redirect_uri", lambda it: it.registration.error == "invalid_redirect_uri"),
        (FAILED, "invalid_client_metadata", lambda it: it.registration.error == "invalid_client_metadata"),
        (FAILED, "invalid_scope", lambda it: it.registration.error == "invalid_scope"),
        (FAILED, "refused", always),
    ),
    SIGN_IN_PAGE,
    Check[View](
        AUTHORIZE,
        (SKIPPED, "no_endpoint", lambda it: not it.played.authorize),
        (SKIPPED, "no_client", lambda it: _good(it) is NO_DOCUMENT and it.observed.registers),
        (UNDECIDED, "unknown", lambda it: _good(it) is NO_DOCUMENT),
        (FAILED, "fault", lambda it: _good(it).fault and _good(it)),
        (FAILED, "error", lambda it: _good(it).redirect_parameters.get("error")),
        (FAILED, "document", lambda it: _lacks_document(it) and (_good(it), urlsplit(it.profile.document).hostname)),
        (FAILED, "status", _good),
        of=lambda view: None if _is_taken(view) else view,
    ),
    Check[View](
        "authorize, other port",
        (SKIPPED, "document", _lacks_document),
        (ADVICE, "refused", lambda it: it.played.authorize["moved port"].is_refused),
        of=lambda view: view if view.profile.moved_redirect and "good" in view.played.authorize else None,
    ),
    # Whoever cannot be trusted must not be redirected to (RFC 6749 section 4.1.2.1, RFC 9700 section 4.11).
    Check[View](
        "authorize, bad requests",
        (SKIPPED, "document", _lacks_document),
        (FAILED, "foreign", lambda it: _goes_to(it, "foreign redirect", FOREIGN)),
        (FAILED, "unknown", lambda it: _goes_to(it, "unknown client", it.profile.redirects[0])),
        (FAILED, "iss", lambda it: it.profile.wants_iss and _lacks_iss(it)),
        (ADVICE, "iss", _lacks_iss),
        (ADVICE, "crash", _crashes),
        (ADVICE, "unknown client", lambda it: _accepted(it, "unknown client")),
        (ADVICE, "foreign redirect", lambda it: _accepted(it, "foreign redirect")),
        (ADVICE, "no PKCE", lambda it: _accepted(it, "no PKCE")),
        (ADVICE, "plain PKCE", lambda it: _accepted(it, "plain PKCE")),
        of=lambda view: view if view.played.authorize else None,
        every=True,
    ),
)
