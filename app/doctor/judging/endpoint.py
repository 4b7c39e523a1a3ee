"""Judges the MCP endpoint before anybody signed in: GET, POST in both eras, the challenge, the Origin."""

from http import HTTPStatus

from app.doctor import addresses, messages
from app.doctor.exchanges import Exchange, Fault
from app.doctor.findings import Finding, advice, failed, ok, quoted, skipped
from app.doctor.messages import MODERN
from app.doctor.observed import Observed
from app.doctor.profiles import Profile

GET, POST, CHALLENGE, ORIGIN = "GET /mcp", "POST /mcp", "challenge", "Origin"
ADVICE_BY_STATUS = {
    HTTPStatus.NOT_FOUND: "Give users the address of the MCP endpoint itself; nothing answers POST at this one.",
    HTTPStatus.METHOD_NOT_ALLOWED: "Give users the address that takes POST (Streamable HTTP), not an SSE-only one.",
    HTTPStatus.MISDIRECTED_REQUEST: "Add the public host to the allowed hosts (Host check, DNS rebinding protection).",
    HTTPStatus.FORBIDDEN: "Answer a missing credential with 401 and WWW-Authenticate, not 403 (RFC 6750 section 3).",
    HTTPStatus.NOT_ACCEPTABLE: "Accept `application/json, text/event-stream` (MCP transports).",
}


def get(profile: Profile, observed: Observed) -> Finding:
    """Clients of the 2025 era open a GET stream; they need any prompt answer, 405 included."""
    del profile
    found = observed.endpoint.get
    if found.status is None:
        return advice(GET, f"{found.fault}", "Answer GET at once, with 405 when there is no stream (MCP transports).")
    if found.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return advice(GET, f"status {found.status}", "Answer GET with 405 when there is no stream (MCP transports).")
    return ok(GET, f"status {found.status}")


def post(profile: Profile, observed: Observed) -> Finding:
    """One era that the client speaks must be answered by protocol or by 401."""
    asked = {"2026-07-28": observed.endpoint.discover, "2025-11-25": observed.endpoint.initialize}
    mine = [asked[era] for era in profile.eras]
    if any(_understood(one) for one in mine):
        return _fallback(profile, observed)
    worst = mine[-1]
    if worst.redirects:
        return _redirected(worst)
    if worst.fault is not None:
        change = "Answer within the client's ten seconds and with a bounded body; check the proxy in front."
        return failed(POST, f"{worst.fault} ({worst.reason})", change)
    return failed(POST, _shown(worst), ADVICE_BY_STATUS.get(worst.status or 0, _protocol_change(worst)))  # type: ignore[call-overload]  # a status is an int of that enumeration


def challenge(profile: Profile, observed: Observed) -> Finding:
    """401 with `resource_metadata` (RFC 9728 section 5.1), which sends the client to the documents."""
    endpoint = observed.endpoint
    if endpoint.challenge is None:
        return _without_challenge(observed)
    if "www-authenticate" not in endpoint.challenge.headers:
        return _bare(profile, "401 without WWW-Authenticate")
    where = endpoint.parameters.get("resource_metadata", "")
    if not where:
        return _bare(profile, "WWW-Authenticate names no resource_metadata")
    if observed.discovery.resource.get("challenge") is None or addresses.parts(where) is None:
        return _bare(profile, f"resource_metadata is {quoted(where)}, which is no absolute address")
    if not endpoint.parameters.get("scope"):
        change = "Add `scope` with everything that the call needs to WWW-Authenticate (RFC 6750 section 3)."
        return advice(CHALLENGE, "401 with resource_metadata, without scope", change)
    return ok(CHALLENGE, "401 with resource_metadata and scope")


def origin(profile: Profile, observed: Observed) -> Finding:
    """The Origin that this client sends must not be refused (MCP transports: only untrusted ones are)."""
    played = observed.played.get(profile.name)
    if not profile.origin or played is None or played.with_origin is None:
        return skipped(ORIGIN, "this client sends none")
    if not refuses_origin(profile, observed):
        return ok(ORIGIN, f"{profile.origin} is let in")
    why = f"403 for Origin {quoted(profile.origin)}"
    change = f"Add {profile.origin} to the origins that may call (here: ALLOWED_ORIGINS; MCP transports, Origin check)."
    # Whose pages may call is the operator's policy; a developer's own page is no fault until somebody asks for it.
    return (
        advice(ORIGIN, why, change) if profile.browser and not observed.of_one_client else failed(ORIGIN, why, change)
    )


def refuses_origin(profile: Profile, observed: Observed) -> bool:
    """The client's Origin is not on the gateway's list: the same request without it met something else."""
    played = observed.played.get(profile.name)
    if not profile.origin or played is None or played.with_origin is None:
        return False
    is_refused = played.with_origin.status == HTTPStatus.FORBIDDEN
    return is_refused and observed.endpoint.initialize.status != HTTPStatus.FORBIDDEN


def asks_for_sign_in(observed: Observed) -> bool:
    """An open gateway shows neither a challenge nor any metadata."""
    return observed.endpoint.challenge is not None or observed.discovery.resource_metadata is not None


def _without_challenge(observed: Observed) -> Finding:
    if asks_for_sign_in(observed):
        change = (
            "Answer a missing or unknown token with 401 and WWW-Authenticate, in HTTP, not in the result (RFC 6750)."
        )
        return failed(CHALLENGE, "there is resource metadata, but no request is answered with 401", change)
    return skipped(CHALLENGE, "the gateway asks nobody to sign in")


def _bare(profile: Profile, why: str) -> Finding:
    change = 'Send `WWW-Authenticate: Bearer resource_metadata="…", scope="…"` with every 401 (RFC 9728 section 5.1).'
    if profile.probes_metadata:
        return advice(CHALLENGE, f"{why}; this client tries the well-known addresses", change)
    return failed(CHALLENGE, f"{why}; this client looks nowhere else", change)


def _understood(found: Exchange) -> bool:
    if found.status == HTTPStatus.UNAUTHORIZED:
        return True
    return found.fault is None and messages.result(found.body, found.media_type) is not None


def _fallback(profile: Profile, observed: Observed) -> Finding:
    """Who begins with `server/discover` falls back on 4xx with a body, not on a crash or silence."""
    first = observed.endpoint.discover
    crashed = first.fault is not None or (first.status or 0) >= HTTPStatus.INTERNAL_SERVER_ERROR
    if MODERN in profile.eras and crashed:
        change = "Answer an unknown version with 400 and JSON-RPC -32022, so that clients fall back (MCP versioning)."
        return advice(POST, f"`server/discover` met {_shown(first)}", change)
    return ok(POST, _shown(observed.endpoint.initialize))


def _redirected(found: Exchange) -> Finding:
    if not addresses.same_origin(found.url, found.location) and addresses.parts(found.location):
        why = f"{found.status} to another host, {quoted(found.location)}; clients drop Authorization there"
    else:
        why = f"{found.status} to {quoted(found.location)}"
    return failed(
        POST, why, "Give users the final address, or answer POST here; do not redirect (RFC 9110 section 15.4)."
    )


def _protocol_change(found: Exchange) -> str:
    if found.media_type == "text/html":
        return "Answer POST with JSON-RPC instead of HTML; a proxy or a login page may stand in front (MCP transports)."
    return "Answer `initialize` (2025-11-25) or `server/discover` (2026-07-28) with a result, or with 401."


def _shown(found: Exchange) -> str:
    if found.fault is Fault.SLOW and found.status is None:
        return str(found.fault)
    told = messages.error_code(found.body, found.media_type)
    kind = found.media_type or "no content type"
    return f"status {found.status}, {kind}" + (f", JSON-RPC error {told}" if told is not None else "")
