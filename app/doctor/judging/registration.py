"""Judges how the client becomes known to the authorization server (CIMD, RFC 7591)."""

from app.doctor import addresses
from app.doctor.documents import ServerMetadata
from app.doctor.exchanges import CREATED, OK, Exchange
from app.doctor.findings import Finding, advice, failed, ok, quoted, skipped
from app.doctor.observed import Observed, Played
from app.doctor.profiles import Profile, Way
from app.doctor.requests import USABLE_METHODS, registered_id, way_for

STEP = "registration"
HINTS = {
    "invalid_redirect_uri": "Accept this client's redirect URIs: https, loopback http on any port, its own scheme",
    "invalid_client_metadata": "Accept this client's metadata, `token_endpoint_auth_method: none` above all",
    "invalid_scope": "Register the scopes that the resource metadata offers",
}


def registration(profile: Profile, observed: Observed) -> Finding:
    """The way that this client takes, and whether it leads to a `client_id`."""
    server, played = observed.discovery.server_metadata, observed.played.get(profile.name, Played())
    if server is None:
        return skipped(STEP, "there is no server metadata")
    way = way_for(profile, server)
    if way is Way.DOCUMENT:
        return ok(STEP, f"by its document, {profile.document}")
    if way is None:
        return _no_way(profile, server)
    if played.registration is None:
        why = "no client was to be registered" if not observed.registers else "nothing was asked"
        return skipped(STEP, why)
    return _answered(profile, played.registration)


def _no_way(profile: Profile, server: ServerMetadata) -> Finding:
    if profile.ways == (Way.DOCUMENT,):
        change = "Accept client ID metadata documents, with `none` among the token endpoint's methods (CIMD)."
        return failed(STEP, "this client comes with its document, which the server does not take", change)
    del server
    change = "Offer `registration_endpoint`, or client ID metadata documents where the client has one (RFC 7591)."
    return failed(STEP, "the server offers no way by which this client could register", change)


def _answered(profile: Profile, answer: Exchange) -> Finding:
    if answer.fault is not None:
        change = "Name a `registration_endpoint` that answers within ten seconds (RFC 7591 section 3)."
        return failed(STEP, f"{answer.fault} at {quoted(answer.url)} ({answer.reason})", change)
    if not registered_id(answer):
        return _refused(profile, answer)
    told = answer.document or {}
    # Clients that are told no method look at what they hold: without a secret they are public.
    method = told.get("token_endpoint_auth_method") or ("client_secret_basic" if told.get("client_secret") else "none")
    if method not in USABLE_METHODS or (method != "none" and not told.get("client_secret")):
        change = "Register it as a public client, `token_endpoint_auth_method: none` (RFC 7591 section 3.2.1)."
        return failed(STEP, f"the registered method is {quoted(method)}, without the means for it", change)
    dropped = _dropped(profile, told.get("redirect_uris"))
    if dropped:
        change = "Return and keep every redirect URI that was registered (RFC 7591 section 3.2.1)."
        return failed(STEP, f"{quoted(dropped[0])} was dropped", change)
    if answer.status != CREATED:
        change = "Answer a registration with 201 (RFC 7591 section 3.2.1)."
        return advice(STEP, f"registered, with status {answer.status}", change)
    return ok(STEP, f"dynamic, as {quoted(method)}")


def _dropped(profile: Profile, kept: object) -> list[str]:
    return [uri for uri in profile.redirects if isinstance(kept, list) and uri not in kept]


def _refused(profile: Profile, answer: Exchange) -> Finding:
    shown = f"status {answer.status}" + (f", {quoted(answer.error)}" if answer.error else "")
    if answer.redirects:
        return failed(
            STEP, f"{shown} to {quoted(answer.location)}", "Name the final address in the metadata (RFC 8414)."
        )
    if answer.media_type != "application/json":
        change = "Answer with a JSON object, errors too (RFC 7591 sections 3.2.1 and 3.2.2)."
        return failed(STEP, f"{shown}, {answer.media_type or 'no content type'} instead of JSON", change)
    if answer.status in {OK, CREATED}:
        return failed(STEP, f"{shown} without `client_id`", "Return `client_id` (RFC 7591 section 3.2.1).")
    if answer.error == "invalid_redirect_uri" and all(map(addresses.is_loopback, profile.redirects)):
        change = "Accept loopback redirect URIs, http with any port (RFC 8252 section 7.3)."
        return failed(STEP, f"{shown} for {quoted(profile.redirects[0])}", change)
    hint = HINTS.get(answer.error, "Accept the body that this client sends, and say what is wrong in `error`")
    return failed(STEP, f"{shown} for {quoted(', '.join(profile.redirects))}", f"{hint} (RFC 7591 section 3.2.2).")
