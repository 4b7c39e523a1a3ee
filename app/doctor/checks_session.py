"""Checks with a credential: a completed sign-in, its tokens and their end, and the tools in both eras."""

from collections.abc import Iterator
from http import HTTPStatus

from app.doctor.exchanges import Exchange
from app.doctor.findings import ADVICE, FAILED, OK, SKIPPED, Check, Row, quoted
from app.doctor.observations import Called, View
from app.doctor.profiles import FALL_BACK, LEGACY

REFUSALS = {HTTPStatus.BAD_REQUEST, HTTPStatus.UNAUTHORIZED}
SIGN_IN_FIRST = "Run the doctor with --login, or with a key in DOCTOR_API_KEY, to see this step."


def _returned(view: View) -> Iterator[Row]:
    """The way back from the browser."""
    grant, issuer = view.grant, view.server.text("issuer")
    error, iss = grant.callback.get("error"), grant.callback.get("iss")
    if view.observed.grant is None:
        yield SKIPPED, "nobody signed in", "Run the doctor with --login to see this step."
    if grant.gave_up:
        yield SKIPPED, grant.gave_up, "Open the address that the doctor prints, and sign in."
    if error:
        yield FAILED, f"the browser came back with {quoted(error)}", "Sign in and allow the access (RFC 6749)."
    if "code" not in grant.callback:
        yield FAILED, "the browser came back without a code", "Send `code` and `state` (RFC 6749 section 4.1.2)."
    if iss is not None and iss != issuer:
        change = "Send `iss` as the metadata's `issuer`, byte for byte (RFC 9207 section 2.4)."
        yield FAILED, f"`iss` is {quoted(iss)}, the issuer {quoted(issuer)}", change
    if iss is None and view.promised_issuer:
        change = "Send `iss` with every authorization response, as the metadata promises (RFC 9207 section 2)."
        yield FAILED, "there is no `iss`", change
    yield OK, "the browser came back with a code" + (" and the right `iss`" if iss else ""), ""


def _token(view: View) -> Iterator[Row]:
    answer = view.grant.token
    if answer is None:
        return
    if answer.fault is not None:
        yield FAILED, answer.failure, "Answer within ten seconds at `token_endpoint` (RFC 6749 section 3.2)."
    if not answer.text("access_token"):
        change = "Exchange the code for this client's own proof, PKCE verifier and `resource` (RFC 6749 section 4.1.3)."
        yield FAILED, f"status {answer.status} {quoted(answer.error)}", change
    if answer.text("token_type").lower() != "bearer":
        yield FAILED, "`token_type` is not Bearer", "Say `token_type: Bearer` (RFC 6749 section 5.1)."
    if "no-store" not in answer.header("cache-control").lower():
        change = "Send `Cache-Control: no-store` with tokens (RFC 6749 section 5.1)."
        yield ADVICE, "the response may be cached", change
    expires = answer.document.get("expires_in")
    if not isinstance(expires, int):
        yield ADVICE, "`expires_in` is no number", "Say how long the token lives (RFC 6749 section 5.1)."
    yield OK, f"a bearer token for {expires} s", ""


def _refresh(view: View) -> Iterator[Row]:
    answer, after = view.grant.refresh, view.grant.after_refresh
    if answer is None:
        change = "Issue refresh tokens to clients that register `refresh_token` (RFC 6749 section 1.5)."
        yield ADVICE, "there is no refresh token, so users sign in again and again", change
    elif not answer.text("access_token"):
        change = "Accept the refresh token that was just issued (RFC 6749 section 6)."
        yield FAILED, f"status {answer.status} {quoted(answer.error)}", change
    elif after is not None and after.status != HTTPStatus.OK:
        change = "Accept the refreshed token at the MCP endpoint (RFC 6749 section 6)."
        yield FAILED, f"the new token met status {after.status}", change
    elif not answer.text("refresh_token"):
        change = "Rotate the refresh tokens of public clients (RFC 9700 section 4.14.2)."
        yield ADVICE, "a new access token; the refresh token stays the same", change


def _revoke(view: View) -> Iterator[Row]:
    answer = view.grant.revoke
    if answer is None:
        change = "Offer `revocation_endpoint`, so that signing out ends the access (RFC 7009)."
        yield ADVICE, "the server names no revocation endpoint", change
    elif answer.status != HTTPStatus.OK:
        change = "Answer a revocation with 200, for public clients too (RFC 7009 section 2.2)."
        yield ADVICE, f"{answer.fault or answer.status}", change


def _after_revoking(view: View) -> Iterator[Row]:
    """What still works although it should not."""
    refresh, call, code = view.grant.refresh_after, view.grant.call_after, view.grant.code_again
    if refresh is not None and refresh.status not in REFUSALS:
        change = "Refuse a revoked refresh token with `invalid_grant` (RFC 7009 section 2.1, RFC 6749 section 5.2)."
        yield ADVICE, f"the revoked refresh token met status {refresh.status}", change
    if call is not None and call.status != HTTPStatus.UNAUTHORIZED:
        change = "End the access tokens of a revoked grant at once as well (RFC 7009 section 2.1: SHOULD)."
        yield ADVICE, f"the access token still met status {call.status}", change
    if code is not None and code.status not in REFUSALS:
        change = "Refuse the second use of a code with `invalid_grant` (RFC 6749 section 4.1.2)."
        yield ADVICE, f"the code could be used twice (status {code.status})", change


def _tools(view: View) -> Iterator[Row]:
    """One era that the client speaks must work; an era beside it that breaks is advice."""
    mine = [called for called in view.observed.called if called.era in view.profile.eras]
    working = [called for called in mine if called.tools is not None]
    if not mine:
        yield SKIPPED, "nobody signed in", SIGN_IN_FIRST
    elif not working:
        yield _no_list(mine[-1])
    else:
        for called in mine:
            # A server that does not speak an era says so with a 4xx; everything else is a fault.
            is_refusal = called.last.fault is None and called.last.is_error and not called.last.is_server_error
            if called not in working and not is_refusal:
                yield ADVICE, f"{called.era}: {_shown(called.last)}", FALL_BACK
        eras = " and ".join(called.era for called in working)
        yield OK, f"{len(working[0].tools or ())} tools, in {eras}", ""


def _no_list(called: Called) -> Row:
    method = "tools/list" if called.listed else ("initialize" if called.era == LEGACY else "server/discover")
    change = f"Answer `{method}` with a result (MCP {called.era})."
    if called.last.status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        change = "Accept the credential at the MCP endpoint: issuer, audience, scopes (RFC 9068 section 4, RFC 8707)."
    return FAILED, f"`{method}` met {_shown(called.last)}", change


def _call(view: View) -> Iterator[Row]:
    mine = [called for called in view.observed.called if called.era in view.profile.eras]
    working = next((called for called in mine if called.tools is not None), None)
    if not mine:
        yield SKIPPED, "nobody signed in", SIGN_IN_FIRST
    elif working is None:
        yield SKIPPED, "the tools cannot be listed", ""
    elif working.call is None:
        yield SKIPPED, "no tool says that it only reads and needs no argument, so none was called", ""
    elif working.call.rpc_result is None:
        change = "Answer `tools/call` with a result; business failures go into it with `isError` (MCP tools)."
        yield FAILED, f"{quoted(working.tool)}: {_shown(working.call)}", change
    elif working.call.rpc_result.get("isError") is True:
        change = "Look at the tool's own error; the protocol around it works."
        yield ADVICE, f"{quoted(working.tool)} answered with `isError`", change
    else:
        yield OK, f"{quoted(working.tool)} answered", ""


def _shown(answer: Exchange) -> str:
    if answer.fault is not None:
        return answer.failure
    code = answer.rpc_error_code
    return f"status {answer.status}" + (f", JSON-RPC error {code}" if code is not None else "")


def _has_token(view: View) -> bool:
    return view.grant.token is not None and bool(view.grant.token.text("access_token"))


SIGN_IN = (
    Check("sign-in", _returned),
    Check("token", _token, lambda view: view.grant.token),
    Check("refresh", _refresh, _has_token, "new tokens, and they work"),
    Check("revoke", _revoke, _has_token, "accepted"),
    Check("after revoking", _after_revoking, _has_token, "nothing works any more", every=True),
)
TOOLS = (Check("tools/list", _tools, every=True), Check("tools/call", _call))
