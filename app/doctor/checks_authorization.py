"""Checks of the authorization server without signing in: registration, good and bad authorization requests."""

from collections.abc import Iterator
from http import HTTPStatus
from urllib.parse import parse_qsl, urljoin, urlsplit

from app.doctor import addresses
from app.doctor.exchanges import Exchange
from app.doctor.findings import ADVICE, FAILED, OK, SKIPPED, UNDECIDED, Check, Row, quoted
from app.doctor.observations import USABLE_METHODS, Played, View, way_for
from app.doctor.profiles import FOREIGN, Way

AUTHORIZE = "authorize"
REGISTRATION_CHANGES = {
    "invalid_redirect_uri": "Accept this client's redirect URIs: https, loopback http on any port, its own scheme",
    "invalid_client_metadata": "Accept this client's metadata, `token_endpoint_auth_method: none` above all",
    "invalid_scope": "Register the scopes that the resource metadata offers",
}
LENIENT = {
    "unknown client": "Refuse an unknown `client_id` before anybody signs in (RFC 6749 section 4.1.2.1).",
    "foreign redirect": "Refuse an unregistered redirect URI before anybody signs in (RFC 9700 section 4.1.3).",
    "no PKCE": "Demand `code_challenge` of every client (RFC 9700 section 2.1.1, OAuth 2.1).",
    "plain PKCE": "Refuse `code_challenge_method=plain` (MCP authorization: S256).",
}


def _registration(view: View) -> Iterator[Row]:
    """The way that this client takes, and whether it leads to a `client_id` (CIMD, RFC 7591)."""
    profile, server, answer = view.profile, view.server, view.played.registration
    way = way_for(profile, server)
    if not server.document:
        yield SKIPPED, "there is no server metadata", ""
    elif way is Way.DOCUMENT:
        yield OK, f"by its document, {profile.document}", ""
    elif way is None and profile.ways == (Way.DOCUMENT,):
        change = "Accept client ID metadata documents, with `none` among the token endpoint's methods (CIMD)."
        yield FAILED, "this client comes with its document, which the server does not take", change
    elif way is None:
        change = "Offer `registration_endpoint`, or client ID metadata documents where the client has one (RFC 7591)."
        yield FAILED, "the server offers no way by which this client could register", change
    elif answer is None:
        yield SKIPPED, "nothing was asked" if view.observed.registers else "no client was to be registered", ""
    elif answer.text("client_id"):
        yield from _registered(view, answer)
    else:
        yield FAILED, *_not_registered(view, answer)


def _registered(view: View, answer: Exchange) -> Iterator[Row]:
    secret, kept = answer.text("client_secret"), answer.document.get("redirect_uris")
    # Clients that are told no method look at what they hold: without a secret they are public.
    method = answer.document.get("token_endpoint_auth_method") or ("client_secret_basic" if secret else "none")
    if method not in USABLE_METHODS or (method != "none" and not secret):
        change = "Register it as a public client, `token_endpoint_auth_method: none` (RFC 7591 section 3.2.1)."
        yield FAILED, f"the registered method is {quoted(method)}, without the means for it", change
    dropped = [uri for uri in view.profile.redirects if isinstance(kept, list) and uri not in kept]
    if dropped:
        change = "Return and keep every redirect URI that was registered (RFC 7591 section 3.2.1)."
        yield FAILED, f"{quoted(dropped[0])} was dropped", change
    if answer.status != HTTPStatus.CREATED:
        change = "Answer a registration with 201 (RFC 7591 section 3.2.1)."
        yield ADVICE, f"registered, with status {answer.status}", change
    yield OK, f"dynamic, as {quoted(method)}", ""


def _not_registered(view: View, answer: Exchange) -> tuple[str, str]:
    redirects = view.profile.redirects
    shown = f"status {answer.status}" + (f", {quoted(answer.error)}" if answer.error else "")
    if answer.fault is not None:
        change = "Name a `registration_endpoint` that answers within ten seconds (RFC 7591 section 3)."
        return f"{answer.fault} at {quoted(answer.url)} ({answer.reason})", change
    if answer.redirects:
        return f"{shown} to {quoted(answer.header('location'))}", "Name the final address in the metadata (RFC 8414)."
    if answer.media_type != "application/json":
        change = "Answer with a JSON object, errors too (RFC 7591 sections 3.2.1 and 3.2.2)."
        return f"{shown}, {answer.media_type or 'no content type'} instead of JSON", change
    if not answer.is_error:
        return f"{shown} without `client_id`", "Return `client_id` (RFC 7591 section 3.2.1)."
    if answer.error == "invalid_redirect_uri" and all(map(addresses.is_loopback, redirects)):
        change = "Accept loopback redirect URIs, http with any port (RFC 8252 section 7.3)."
        return f"{shown} for {quoted(redirects[0])}", change
    default = "Accept the body that this client sends, and say what is wrong in `error`"
    change = f"{REGISTRATION_CHANGES.get(answer.error, default)} (RFC 7591 section 3.2.2)."
    return f"{shown} for {quoted(', '.join(redirects))}", change


def _authorize(view: View) -> Iterator[Row]:
    """A good request, and the page that it leads to."""
    played, document = view.played, view.profile.document
    good = played.authorize.get("good")
    if not played.authorize:
        yield SKIPPED, "there is no authorization endpoint to ask", ""
    elif good is None:
        yield _without_client(view)
    elif played.document_unread:
        change = f"Let the gateway reach {urlsplit(document).hostname} over https (its DNS, firewall or proxy)."
        yield FAILED, f"this gateway could not fetch {document} (the client's metadata document)", change
    elif good.fault is not None:
        yield FAILED, good.failure, "Let the authorization endpoint answer in time (RFC 6749 section 3.1)."
    elif error := _query(good).get("error"):
        change = "Accept this client's own request: its redirect, `resource`, scopes and S256 (RFC 6749, RFC 8707)."
        yield FAILED, f"a good request was refused with {quoted(error)}", change
    elif good.is_error:
        change = "Accept this client's redirect and `resource`; for a document, fetch it and cache it (RFC 6749, CIMD)."
        yield FAILED, f"a good request met status {good.status} {quoted(good.error)}", change
    else:
        yield _page(played.page or good)


def _without_client(view: View) -> Row:
    """Without a client_id no good request can be made. Whether people can sign in is the same for every client."""
    if view.observed.registers:
        return SKIPPED, "without a client_id no good request can be made", ""
    pages = [_page(page) for page in map(_page_of, view.observed.played.values()) if page is not None]
    if not pages:
        change = "Run the doctor without --no-register."
        return UNDECIDED, "without registering nobody can see whether people can sign in", change
    if all(status is FAILED for status, *_ in pages):
        return pages[0]
    return SKIPPED, "not asked without registering; another client meets a sign-in page", ""


def _page_of(played: Played) -> Exchange | None:
    """Where the good request of a client ended that the server knows and took."""
    good = played.authorize.get("good")
    return None if good is None or played.document_unread or _is_refused(good) else played.page or good


def _page(page: Exchange) -> Row:
    """What a person sees whom the good request was answered with: it decides whether anybody gets any further."""
    where, error = quoted(page.url.partition("?")[0]), _query(page).get("error")
    # A browser answers a 401 of its own accord, where it knows the scheme (RFC 9110 section 11.6.1).
    asks_browser = page.status == HTTPStatus.UNAUTHORIZED and "www-authenticate" in page.headers
    if page.status == HTTPStatus.TOO_MANY_REQUESTS:
        return SKIPPED, f"{where} has been asked too often to answer", "Run the doctor again in some minutes."
    if page.fault is not None:
        return FAILED, f"nobody can sign in: {where} gave {page.failure}", "Let the sign-in page answer in time."
    if page.is_error and not asks_browser:
        change = "Set up a way of signing in, and let the page that `authorization_endpoint` leads to answer with 200."
        return FAILED, f"nobody can sign in there: {where} met status {page.status}", change
    if error:
        change = "Let people sign in before a good request is refused (RFC 6749 section 4.1.2.1)."
        return FAILED, f"a good request was refused with {quoted(error)} at {where}", change
    if page.redirects and addresses.same_origin_target(page.url, page.header("location")):
        return FAILED, f"nobody can sign in: {where} leads in a circle", "End the redirects at a sign-in page."
    return OK, f"status {page.status}, a sign-in or consent page", ""


def _other_port(view: View) -> Iterator[Row]:
    if view.played.document_unread:
        yield SKIPPED, "the gateway does not know the client without its document", ""
    elif _is_refused(view.played.authorize["moved port"]):
        change = "Ignore the port of loopback redirect URIs when they are compared (RFC 8252 section 7.3)."
        yield ADVICE, f"{quoted(view.profile.moved_redirect)} is refused when the usual port is taken", change


def _bad_requests(view: View) -> Iterator[Row]:
    """Whoever cannot be trusted must not be redirected to (RFC 6749 section 4.1.2.1, RFC 9700 section 4.11)."""
    answers, redirect = view.played.authorize, view.profile.redirects[0]
    if view.played.document_unread:
        # The server knows neither the client nor its redirects: other answers would say nothing.
        yield SKIPPED, "the gateway does not know the client without its document", ""
        return
    if _goes_to(answers.get("foreign redirect"), FOREIGN):
        change = "Compare redirect URIs exactly before anything is sent there (RFC 9700 section 4.1.3)."
        yield FAILED, "an unregistered redirect URI was redirected to", change
    if _goes_to(answers.get("unknown client"), redirect):
        change = "Show an error page when the client is unknown; do not redirect (RFC 6749 section 4.1.2.1)."
        yield FAILED, "a request of an unknown client was redirected to its redirect URI", change
    no_pkce, issuer = answers.get("no PKCE"), view.promised_issuer
    if issuer and no_pkce and _goes_to(no_pkce, redirect) and _query(no_pkce).get("iss") != issuer:
        change = "Send `iss`, the issuer byte for byte, with error responses, too (RFC 9207 section 2)."
        why = "an error came back without the right `iss`, although the metadata promises it"
        yield FAILED if view.profile.wants_iss else ADVICE, why, change
    for name, change in LENIENT.items():
        answer = answers.get(name)
        if answer and answer.is_server_error and name != "plain PKCE":
            yield ADVICE, f"{name}: status {answer.status}", "Answer bad requests with 400 (RFC 6749 section 4.1.2.1)."
        elif answer and answer.status is not None and answer.fault is None and not _is_refused(answer):
            yield ADVICE, f"{name}: not refused before the sign-in (status {answer.status})", change


def _is_refused(answer: Exchange) -> bool:
    return answer.is_error or bool(_query(answer).get("error"))


def _query(answer: Exchange) -> dict[str, str]:
    """The parameters that a redirect carries."""
    try:
        return (
            dict(parse_qsl(urlsplit(urljoin(answer.url, answer.header("location"))).query)) if answer.redirects else {}
        )
    except ValueError:
        return {}


def _goes_to(answer: Exchange | None, target: str) -> bool:
    """Compared up to the query: the server adds its own parameters."""
    if answer is None or not answer.redirects:
        return False
    return answer.header("location").partition("?")[0].rstrip("/") == target.rstrip("/")


def _tries_other_port(view: View) -> bool:
    unread = view.played.document_unread and bool(view.profile.moved_redirect)
    return unread or {"good", "moved port"} <= view.played.authorize.keys()


CHECKS = (
    Check("registration", _registration),
    Check(AUTHORIZE, _authorize),
    Check("authorize, other port", _other_port, _tries_other_port, "a loopback redirect on another port is taken"),
    Check(
        "authorize, bad requests",
        _bad_requests,
        lambda view: view.played.authorize,
        "each was refused where it should be",
        every=True,
    ),
)
