"""Judges a completed sign-in: the way back, the token, refreshing, revoking, and the refusals afterwards."""

from collections.abc import Iterator
from http import HTTPStatus

from app.doctor.exchanges import Exchange
from app.doctor.findings import Finding, advice, failed, ok, quoted, skipped
from app.doctor.observed import Grant, Observed
from app.doctor.profiles import Profile

SIGN_IN, TOKEN, REFRESH, REVOKE, AFTER = "sign-in", "token", "refresh", "revoke", "after revoking"
HOW = "Run the doctor with --login to see this step."
REFUSALS = {HTTPStatus.BAD_REQUEST, HTTPStatus.UNAUTHORIZED}


def grant(profile: Profile, observed: Observed) -> list[Finding]:
    """Step by step; what comes after a failed step was never tried."""
    found = observed.grant
    if found is None:
        return [skipped(SIGN_IN, "nobody signed in", HOW)]
    if found.gave_up:
        return [skipped(SIGN_IN, found.gave_up, "Open the address that the doctor prints, and sign in.")]
    back = _back(profile, observed, found)
    if found.token is None:
        return [back]
    token = _token(found.token)
    if not _holds(found.token, "access_token"):
        return [back, token]
    return [back, token, _refresh(found), _revoke(found), *(_after(found) or [ok(AFTER, "nothing works any more")])]


def _back(profile: Profile, observed: Observed, found: Grant) -> Finding:
    server = observed.discovery.server_metadata
    issuer, promised = (server.issuer, server.sends_iss) if server else ("", False)
    iss = found.callback.get("iss")
    if error := found.callback.get("error"):
        return failed(
            SIGN_IN, f"the browser came back with {quoted(error)}", "Sign in and allow the access (RFC 6749)."
        )
    if "code" not in found.callback:
        return failed(
            SIGN_IN, "the browser came back without a code", "Send `code` and `state` (RFC 6749 section 4.1.2)."
        )
    if iss is not None and iss != issuer:
        change = "Send `iss` as the metadata's `issuer`, byte for byte (RFC 9207 section 2.4)."
        return failed(SIGN_IN, f"`iss` is {quoted(iss)}, the issuer {quoted(issuer)}", change)
    if iss is None and promised:
        change = "Send `iss` with every authorization response, as the metadata promises (RFC 9207 section 2)."
        return failed(SIGN_IN, "there is no `iss`", change)
    del profile
    return ok(SIGN_IN, "the browser came back with a code" + (" and the right `iss`" if iss else ""))


def _token(answer: Exchange) -> Finding:
    if answer.fault is not None:
        change = "Answer within ten seconds at `token_endpoint` (RFC 6749 section 3.2)."
        return failed(TOKEN, f"{answer.fault} ({answer.reason})", change)
    if not _holds(answer, "access_token"):
        change = "Exchange the code for this client's own proof, PKCE verifier and `resource` (RFC 6749 section 4.1.3)."
        return failed(TOKEN, f"status {answer.status} {quoted(answer.error)}", change)
    told = answer.document or {}
    if str(told.get("token_type", "")).lower() != "bearer":
        change = "Say `token_type: Bearer` (RFC 6749 section 5.1)."
        return failed(TOKEN, "`token_type` is not Bearer", change)
    if "no-store" not in answer.header("cache-control").lower():
        change = "Send `Cache-Control: no-store` with tokens (RFC 6749 section 5.1)."
        return advice(TOKEN, "the response may be cached", change)
    if not isinstance(told.get("expires_in"), int):
        return advice(TOKEN, "`expires_in` is no number", "Say how long the token lives (RFC 6749 section 5.1).")
    return ok(TOKEN, f"a bearer token for {told['expires_in']} s")


def _refresh(found: Grant) -> Finding:
    if found.refresh is None:
        change = "Issue refresh tokens to clients that register `refresh_token`, or users sign in again and again."
        return advice(REFRESH, "there is no refresh token", f"{change[:-1]} (RFC 6749 section 1.5).")
    if not _holds(found.refresh, "access_token"):
        shown = f"status {found.refresh.status} {quoted(found.refresh.error)}"
        return failed(REFRESH, shown, "Accept the refresh token that was just issued (RFC 6749 section 6).")
    if found.after_refresh is not None and found.after_refresh.status != HTTPStatus.OK:
        change = "Accept the refreshed token at the MCP endpoint (RFC 6749 section 6)."
        return failed(REFRESH, f"the new token met status {found.after_refresh.status}", change)
    if not _holds(found.refresh, "refresh_token"):
        change = "Rotate the refresh tokens of public clients (RFC 9700 section 4.14.2)."
        return advice(REFRESH, "a new access token; the refresh token stays the same", change)
    return ok(REFRESH, "new tokens, and they work")


def _revoke(found: Grant) -> Finding:
    if found.revoke is None:
        change = "Offer `revocation_endpoint`, so that signing out ends the access (RFC 7009)."
        return advice(REVOKE, "the server names no revocation endpoint", change)
    if found.revoke.status != HTTPStatus.OK:
        change = "Answer a revocation with 200, for public clients too (RFC 7009 section 2.2)."
        return advice(REVOKE, f"{found.revoke.fault or found.revoke.status}", change)
    return ok(REVOKE, "accepted")


def _after(found: Grant) -> list[Finding]:
    return list(_survivors(found))


def _survivors(found: Grant) -> Iterator[Finding]:
    """What still works although it should not."""
    if found.refresh_after is not None and found.refresh_after.status not in REFUSALS:
        change = "Refuse a revoked refresh token with `invalid_grant` (RFC 7009 section 2.1, RFC 6749 section 5.2)."
        yield advice(AFTER, f"the revoked refresh token met status {found.refresh_after.status}", change)
    if found.call_after is not None and found.call_after.status != HTTPStatus.UNAUTHORIZED:
        change = "End the access tokens of a revoked grant at once as well (RFC 7009 section 2.1: SHOULD)."
        yield advice(AFTER, f"the access token still met status {found.call_after.status}", change)
    if found.code_again is not None and found.code_again.status not in REFUSALS:
        change = "Refuse the second use of a code with `invalid_grant` (RFC 6749 section 4.1.2)."
        yield advice(AFTER, f"the code could be used twice (status {found.code_again.status})", change)


def _holds(answer: Exchange, name: str) -> bool:
    return isinstance((answer.document or {}).get(name), str)
