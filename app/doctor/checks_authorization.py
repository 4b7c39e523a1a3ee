"""Checks of the authorization server without signing in: registration, good and bad authorization requests."""

from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from app.doctor import addresses
from app.doctor.exchanges import Exchange
from app.doctor.findings import ADVICE, FAILED, OK, SKIPPED, UNDECIDED, Check
from app.doctor.observations import NO_DOCUMENT, USABLE_METHODS, View
from app.doctor.profiles import FOREIGN, Way

AUTHORIZE = "authorize"
BAD_REQUESTS = ("unknown client", "foreign redirect", "no PKCE", "plain PKCE")


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
