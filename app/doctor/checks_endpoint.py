"""Checks of the MCP endpoint before a sign-in: reaching it, GET, POST in both eras, challenge, Origin and CORS."""

from collections.abc import Iterator
from http import HTTPStatus

from app.doctor import addresses
from app.doctor.exchanges import Exchange, Fault
from app.doctor.findings import ADVICE, FAILED, OK, SKIPPED, UNDECIDED, Check, Row, quoted
from app.doctor.observations import View
from app.doctor.profiles import FALL_BACK, INSPECTOR_ORIGIN, LEGACY, MCP_HEADERS, MODERN

CHANGE_BY_STATUS = {
    HTTPStatus.NOT_FOUND: "Give users the address of the MCP endpoint itself; nothing answers POST at this one.",
    HTTPStatus.METHOD_NOT_ALLOWED: "Give users the address that takes POST (Streamable HTTP), not an SSE-only one.",
    HTTPStatus.MISDIRECTED_REQUEST: "Add the public host to the allowed hosts (Host check, DNS rebinding protection).",
    HTTPStatus.FORBIDDEN: "Answer a missing credential with 401 and WWW-Authenticate, not 403 (RFC 6750 section 3).",
    HTTPStatus.NOT_ACCEPTABLE: "Accept `application/json, text/event-stream` (MCP transports).",
}


def _reach(view: View) -> Iterator[Row]:
    get, url, hosted = view.endpoint.get, view.observed.url, "this client connects from its maker's servers"
    if get.fault is Fault.TLS:
        change = "Serve a certificate that names this host, is in date, and brings its whole chain (RFC 8446, 9525)."
        yield FAILED, f"TLS failed: {quoted(get.reason)}", change
    if get.fault is Fault.UNREACHABLE:
        yield FAILED, f"no connection ({get.reason})", "Check the DNS entry, the port and the firewall."
    if not view.profile.hosted:
        yield OK, "the address answers", ""
    if addresses.is_private(url):
        # A machine under development is not at fault, and everything after this step can be played from here. But that
        # the client gets through is not to be claimed: from where it is, there is nothing at this address.
        change = "Publish the gateway at a public https address before this client uses it."
        yield UNDECIDED, f"{hosted}, which never reach {quoted(addresses.origin(url))}", change
    if not url.startswith("https:"):
        change = "Publish the gateway at a public https address (MCP authorization: HTTPS; RFC 6750 section 5.3)."
        yield FAILED, f"{hosted}, to public https addresses only", change


def _get(view: View) -> Iterator[Row]:
    """Clients of the 2025 era open a GET stream; they need any prompt answer, 405 included."""
    found = view.endpoint.get
    if found.status is None:
        yield ADVICE, f"{found.fault}", "Answer GET at once, with 405 when there is no stream (MCP transports)."
    if found.is_server_error:
        yield ADVICE, f"status {found.status}", "Answer GET with 405 when there is no stream (MCP transports)."
    yield OK, f"status {found.status}", ""


def _post(view: View) -> Iterator[Row]:
    """One era that the client speaks must be answered by protocol or by 401."""
    endpoint, eras = view.endpoint, view.profile.eras
    answers = [{MODERN: endpoint.discover, LEGACY: endpoint.initialize}[era] for era in eras]
    first, worst = endpoint.discover, answers[-1]
    if not any(map(_is_understood, answers)):
        yield FAILED, *_not_understood(worst)
    # Who begins with `server/discover` falls back on 4xx with a body, not on a crash or silence.
    if MODERN in eras and (first.fault is not None or first.is_server_error):
        yield ADVICE, f"`server/discover` met {_shown(first)}", FALL_BACK
    yield OK, _shown(endpoint.initialize), ""


def _is_understood(answer: Exchange) -> bool:
    return answer.status == HTTPStatus.UNAUTHORIZED or (answer.fault is None and answer.rpc_result is not None)


def _not_understood(answer: Exchange) -> tuple[str, str]:
    """Why no client goes on from here, and what to change."""
    if answer.redirects:
        where, why = answer.header("location"), f"{answer.status} to "
        if addresses.parts(where) and not addresses.same_origin(answer.url, where):
            why += f"another host, {quoted(where)}; clients drop Authorization there"
        else:
            why += quoted(where)
        return why, "Give users the final address, or answer POST here; do not redirect (RFC 9110 section 15.4)."
    if answer.fault is not None:
        return (
            answer.failure,
            "Answer within the client's ten seconds and with a bounded body; check the proxy in front.",
        )
    change = "Answer `initialize` (2025-11-25) or `server/discover` (2026-07-28) with a result, or with 401."
    if answer.media_type == "text/html":
        change = "Answer POST with JSON-RPC, not HTML; a proxy or a login page may stand in front (MCP transports)."
    return _shown(answer), next((text for status, text in CHANGE_BY_STATUS.items() if status == answer.status), change)


def _shown(answer: Exchange) -> str:
    if answer.fault is Fault.SLOW and answer.status is None:
        return str(answer.fault)
    code, kind = answer.rpc_error_code, answer.media_type or "no content type"
    return f"status {answer.status}, {kind}" + (f", JSON-RPC error {code}" if code is not None else "")


def _challenge(view: View) -> Iterator[Row]:
    """401 with `resource_metadata` (RFC 9728 section 5.1), which sends the client to the documents."""
    endpoint = view.endpoint
    if endpoint.challenge is None and view.observed.requires_sign_in:
        change = (
            "Answer a missing or unknown token with 401 and WWW-Authenticate in HTTP, not in the result (RFC 6750)."
        )
        yield FAILED, "there is resource metadata, but no request is answered with 401", change
    elif endpoint.challenge is None:
        yield SKIPPED, "the gateway asks nobody to sign in", ""
    elif why := _bare(view, endpoint.challenge):
        change = (
            'Send `WWW-Authenticate: Bearer resource_metadata="…", scope="…"` with every 401 (RFC 9728 section 5.1).'
        )
        if view.profile.probes_metadata:
            yield ADVICE, f"{why}; this client tries the well-known addresses", change
        yield FAILED, f"{why}; this client looks nowhere else", change
    elif not endpoint.parameters.get("scope"):
        change = "Add `scope` with everything that the call needs to WWW-Authenticate (RFC 6750 section 3)."
        yield ADVICE, "401 with resource_metadata, without scope", change


def _bare(view: View, challenge: Exchange) -> str:
    where = view.endpoint.parameters.get("resource_metadata", "")
    if "www-authenticate" not in challenge.headers:
        return "401 without WWW-Authenticate"
    if not where:
        return "WWW-Authenticate names no resource_metadata"
    return "" if addresses.parts(where) else f"resource_metadata is {quoted(where)}, which is no absolute address"


def _origin(view: View) -> Iterator[Row]:
    """The Origin that this client sends must not be refused (MCP transports: only untrusted ones are)."""
    origin = view.profile.origin
    if not origin or view.played.with_origin is None:
        yield SKIPPED, "this client sends none", ""
    if view.refuses_origin:
        # Whose pages may call is the operator's policy; a developer's own page is no fault until somebody asks for it.
        status = ADVICE if view.profile.browser and not view.is_only_client else FAILED
        change = f"Add {origin} to the origins that may call (here: ALLOWED_ORIGINS; MCP transports, Origin check)."
        yield status, f"403 for Origin {quoted(origin)}", change
    yield OK, f"{origin} is let in", ""


def _cors(view: View) -> Iterator[Row]:
    """Every address that the page's own script requests (Fetch standard)."""
    if not view.profile.browser:
        yield SKIPPED, "this client is no web page", ""
    elif view.refuses_origin:
        # What a gateway says to pages that it does not let in tells nothing about its CORS. As long as nobody says
        # whether it should, the client is neither in order nor at fault.
        status = SKIPPED if view.is_only_client else UNDECIDED
        yield status, f"its page is at {view.profile.origin}, an origin that may not call this gateway", ""
    elif not view.observed.preflights:
        yield SKIPPED, "nothing was asked", ""
    else:
        for name, answer in view.observed.preflights.items():
            yield from _preflight(name, answer) if answer.method == "OPTIONS" else _read(name, answer)
        yield from _exposed(view.played.with_origin)
        yield OK, f"{len(view.observed.preflights)} requests of a page answered", ""


def _preflight(name: str, answer: Exchange) -> Iterator[Row]:
    allowed = answer.header_list("access-control-allow-headers")
    # The Fetch standard excepts Authorization from the wildcard.
    wildcard = set() if "*" not in allowed else set(MCP_HEADERS.split(",")) - {"authorization"}
    missing = [header for header in MCP_HEADERS.split(",") if header not in allowed | wildcard]
    if answer.status not in {HTTPStatus.OK, HTTPStatus.NO_CONTENT} or not _is_allowed(answer):
        change = f"Answer OPTIONS at the {name} before any check, with Access-Control-Allow-Origin (Fetch, CORS)."
        yield FAILED, f"the preflight of the {name} met {answer.fault or answer.status}", change
    elif name == "MCP endpoint" and missing:
        change = f"Name {', '.join(missing)} in Access-Control-Allow-Headers; `*` leaves Authorization out (Fetch)."
        yield FAILED, f"the MCP endpoint does not take {', '.join(missing)} from pages", change


def _read(name: str, answer: Exchange) -> Iterator[Row]:
    if not _is_allowed(answer):
        change = "Send `Access-Control-Allow-Origin: *` with the document itself, too (Fetch, CORS)."
        yield FAILED, f"a page may not read the {name.removesuffix(', read')}", change


def _exposed(answer: Exchange | None) -> Iterator[Row]:
    """The real answer must be readable as well, and its challenge with it."""
    if answer is None or answer.status is None or answer.is_server_error:
        return
    if not _is_allowed(answer):
        change = "Send Access-Control-Allow-Origin with every answer of the MCP endpoint, 401 included (Fetch, CORS)."
        yield FAILED, "a page may not read the answers of the MCP endpoint", change
    elif "www-authenticate" in answer.headers.keys() - answer.header_list("access-control-expose-headers"):
        change = "Add WWW-Authenticate and Mcp-Session-Id to Access-Control-Expose-Headers (Fetch, CORS)."
        yield ADVICE, "a page cannot read the challenge", change


def _is_allowed(answer: Exchange) -> bool:
    return answer.header("access-control-allow-origin") in {"*", INSPECTOR_ORIGIN}


REACH = Check("reach", _reach, fine="the address is https and answers")
CHECKS = (
    REACH,
    Check("GET /mcp", _get),
    Check("POST /mcp", _post),
    Check("challenge", _challenge, fine="401 with resource_metadata and scope"),
    Check("Origin", _origin),
)
CORS = Check("CORS", _cors, every=True)
