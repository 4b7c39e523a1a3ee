"""Judges the authorization endpoint's answers to good and to bad requests, all seen without signing in."""

from collections.abc import Iterator, Mapping
from http import HTTPStatus
from urllib.parse import parse_qs, urljoin, urlsplit

from app.doctor import addresses
from app.doctor.exchanges import Exchange
from app.doctor.findings import Finding, Status, advice, failed, ok, quoted, skipped, undecided
from app.doctor.observed import Observed, Played
from app.doctor.profiles import Profile
from app.doctor.requests import FOREIGN

Asked = Mapping[str, Exchange]
GOOD, BAD, PORT = "authorize", "authorize, bad requests", "authorize, other port"


def authorize(profile: Profile, observed: Observed) -> list[Finding]:
    """The good request, the one from another port, and the bad ones."""
    played = observed.played.get(profile.name, Played())
    asked = played.authorize
    if not asked:
        return [skipped(GOOD, "there is no authorization endpoint to ask")]
    if played.document_unread:
        return list(_unread(profile))
    good = _good(asked, played.page) if "good" in asked else _unasked(observed)
    return [good, *_other_port(profile, asked), *_bad(profile, observed, asked)]


def _unread(profile: Profile) -> Iterator[Finding]:
    """Without the document the server knows neither the client nor its redirects: other answers would say nothing."""
    host = urlsplit(profile.document).hostname
    yield failed(
        GOOD,
        f"this gateway could not fetch {profile.document} (the client's metadata document)",
        f"Let the gateway reach {host} over https (its DNS, firewall or proxy).",
    )
    for step in (PORT, BAD) if profile.moved_redirect else (BAD,):
        yield skipped(step, "the gateway does not know the client without its document")


def _good(asked: Asked, page: Exchange | None) -> Finding:
    answer = asked["good"]
    if answer.fault is not None:
        change = "Let the authorization endpoint answer in time (RFC 6749 section 3.1)."
        return failed(GOOD, f"{answer.fault} ({answer.reason})", change)
    if error := _error(answer):
        change = "Accept this client's own request: its redirect, `resource`, scopes and S256 (RFC 6749, RFC 8707)."
        return failed(GOOD, f"a good request was refused with {quoted(error)}", change)
    if (answer.status or 0) >= HTTPStatus.BAD_REQUEST:
        change = "Accept this client's redirect and `resource`; for a document, fetch it and cache it (RFC 6749, CIMD)."
        return failed(GOOD, f"a good request met status {answer.status} {quoted(answer.error)}", change)
    return _page(page or answer)


def _unasked(observed: Observed) -> Finding:
    """Without a client_id no good request can be made. Whether people can sign in is the same for every client."""
    if observed.registers:
        return skipped(GOOD, "without a client_id no good request can be made")
    pages = [_page(page) for page in map(_page_of, observed.played.values()) if page is not None]
    if not pages:
        change = "Run the doctor without --no-register."
        return undecided(GOOD, "without registering nobody can see whether people can sign in", change)
    if all(page.status is Status.FAILED for page in pages):
        return pages[0]
    return skipped(GOOD, "not asked without registering; another client meets a sign-in page")


def _page_of(played: Played) -> Exchange | None:
    """Where the good request of a client ended that the server knows and took."""
    good = played.authorize.get("good")
    if good is None or played.document_unread or _refused(good):
        return None
    return played.page or good


def _page(page: Exchange) -> Finding:
    """What a person sees whom the good request was answered with: it decides whether anybody gets any further."""
    where = quoted(page.url.partition("?")[0])
    if page.status == HTTPStatus.TOO_MANY_REQUESTS:
        return skipped(GOOD, f"{where} has been asked too often to answer", "Run the doctor again in some minutes.")
    if page.fault is not None:
        change = "Let the sign-in page answer in time."
        return failed(GOOD, f"nobody can sign in: {where} gave {page.fault} ({page.reason})", change)
    # A browser answers a 401 of its own accord, where it knows the scheme (RFC 9110 section 11.6.1).
    asks_browser = page.status == HTTPStatus.UNAUTHORIZED and "www-authenticate" in page.headers
    if (page.status or 0) >= HTTPStatus.BAD_REQUEST and not asks_browser:
        change = "Set up a way of signing in, and let the page that `authorization_endpoint` leads to answer with 200."
        return failed(GOOD, f"nobody can sign in there: {where} met status {page.status}", change)
    if error := _error(page):
        change = "Let people sign in before a good request is refused (RFC 6749 section 4.1.2.1)."
        return failed(GOOD, f"a good request was refused with {quoted(error)} at {where}", change)
    if page.redirects and addresses.same_origin_target(page.url, page.location):
        return failed(GOOD, f"nobody can sign in: {where} leads in a circle", "End the redirects at a sign-in page.")
    return ok(GOOD, f"status {page.status}, a sign-in or consent page")


def _other_port(profile: Profile, asked: Asked) -> Iterator[Finding]:
    answer = asked.get("moved port")
    if answer is None or asked.get("good") is None:
        return
    if _refused(answer):
        change = "Ignore the port of loopback redirect URIs when they are compared (RFC 8252 section 7.3)."
        yield advice(PORT, f"{quoted(profile.moved_redirect)} is refused when the usual port is taken", change)
    else:
        yield ok(PORT, "a loopback redirect on another port is taken")


def _bad(profile: Profile, observed: Observed, asked: Asked) -> list[Finding]:
    faults = [*_leaks(profile, asked), *_iss(profile, observed, asked)]
    return faults or [*_lenient(asked), *_server_errors(asked)] or [ok(BAD, "each was refused where it should be")]


def _leaks(profile: Profile, asked: Asked) -> Iterator[Finding]:
    """Whoever cannot be trusted must not be redirected to (RFC 6749 section 4.1.2.1, RFC 9700 section 4.11)."""
    foreign, unknown = asked.get("foreign redirect"), asked.get("unknown client")
    if foreign is not None and _goes_to(foreign, FOREIGN):
        change = "Compare redirect URIs exactly before anything is sent there (RFC 9700 section 4.1.3)."
        yield failed(BAD, "an unregistered redirect URI was redirected to", change)
    if unknown is not None and _goes_to(unknown, profile.redirects[0]):
        change = "Show an error page when the client is unknown; do not redirect (RFC 6749 section 4.1.2.1)."
        yield failed(BAD, "a request of an unknown client was redirected to its redirect URI", change)


def _iss(profile: Profile, observed: Observed, asked: Asked) -> Iterator[Finding]:
    """A server that says it sends `iss` must do so with errors, too (RFC 9207 section 2)."""
    server, answer = observed.discovery.server_metadata, asked.get("no PKCE")
    if server is None or not server.sends_iss or answer is None or not _goes_to(answer, profile.redirects[0]):
        return
    if _query(answer).get("iss") != server.issuer:
        change = "Send `iss`, the issuer byte for byte, with error responses, too (RFC 9207 section 2)."
        words = BAD, "an error came back without the right `iss`, although the metadata promises it", change
        yield failed(*words) if profile.wants_iss else advice(*words)


def _lenient(asked: Asked) -> Iterator[Finding]:
    reasons = {
        "unknown client": "Refuse an unknown `client_id` before anybody signs in (RFC 6749 section 4.1.2.1).",
        "foreign redirect": "Refuse an unregistered redirect URI before anybody signs in (RFC 9700 section 4.1.3).",
        "no PKCE": "Demand `code_challenge` of every client (RFC 9700 section 2.1.1, OAuth 2.1).",
        "plain PKCE": "Refuse `code_challenge_method=plain` (MCP authorization: S256).",
    }
    for name, change in reasons.items():
        answer = asked.get(name)
        if answer is not None and answer.answered and not _refused(answer):
            yield advice(BAD, f"{name}: not refused before the sign-in (status {answer.status})", change)


def _server_errors(asked: Asked) -> Iterator[Finding]:
    for name in ("unknown client", "foreign redirect", "no PKCE"):
        answer = asked.get(name)
        if answer is not None and (answer.status or 0) >= HTTPStatus.INTERNAL_SERVER_ERROR:
            yield advice(
                BAD, f"{name}: status {answer.status}", "Answer bad requests with 400 (RFC 6749 section 4.1.2.1)."
            )


def _refused(answer: Exchange) -> bool:
    return (answer.status or 0) >= HTTPStatus.BAD_REQUEST or bool(_error(answer))


def _error(answer: Exchange) -> str:
    """The `error` that a redirect carries."""
    return _query(answer).get("error", "")


def _query(answer: Exchange) -> dict[str, str]:
    if not answer.redirects:
        return {}
    try:
        found = parse_qs(urlsplit(urljoin(answer.url, answer.location)).query)
    except ValueError:
        return {}
    return {name: values[0] for name, values in found.items()}


def _goes_to(answer: Exchange, target: str) -> bool:
    """Compared up to the query: the server adds its own parameters."""
    return answer.redirects and answer.location.partition("?")[0].rstrip("/") == target.rstrip("/")
