"""Checks with a credential: a completed sign-in, its tokens and their end, and the tools in both eras."""

from http import HTTPStatus
from typing import Any

from app.doctor.exchanges import Exchange
from app.doctor.findings import ADVICE, FAILED, OK, SKIPPED, Check
from app.doctor.observations import Called, Grant, View
from app.doctor.profiles import LEGACY

REFUSALS = {HTTPStatus.BAD_REQUEST, HTTPStatus.UNAUTHORIZED}


def _unless(answer: Exchange | None, *expected: int) -> Exchange | None:
    return None if answer is None or answer.status in expected else answer


def _unlisted(view: View, *, credential: bool = False) -> tuple[str, Called] | None:
    """What the last era stopped at, where none works; with `credential` only where that was refused."""
    last = view.called[-1]
    is_refused = last.last.status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}
    if view.working or is_refused is not credential:
        return None
    return "tools/list" if last.listed else ("initialize" if last.era == LEGACY else "server/discover"), last


SIGN_IN: tuple[Check[Any], ...] = (
    Check[View](
        "sign-in",
        (SKIPPED, "nobody", lambda it: it.observed.grant is None),
        (SKIPPED, "gave_up", lambda it: it.grant.gave_up),
        (FAILED, "error", lambda it: it.grant.callback.get("error")),
        (FAILED, "no_code", lambda it: "code" not in it.grant.callback),
        (FAILED, "wrong_iss", lambda it: it.grant.callback.get("iss", it.issuer) != it.issuer),
        (FAILED, "no_iss", lambda it: "iss" not in it.grant.callback and it.promised_issuer),
        (OK, "with_iss", lambda it: it.grant.callback.get("iss")),
    ),
    Check[Exchange](
        "token",
        (FAILED, "fault", lambda it: it.fault),
        (FAILED, "refused", lambda it: not it.text("access_token")),
        (FAILED, "type", lambda it: it.text("token_type").lower() != "bearer"),
        (ADVICE, "cached", lambda it: "no-store" not in it.header("cache-control").lower()),
        (ADVICE, "expires", lambda it: not isinstance(it.document.get("expires_in"), int)),
        of=lambda view: view.grant.token,
    ),
    Check[Grant](
        "refresh",
        (ADVICE, "none", lambda it: it.refresh is None),
        (FAILED, "refused", lambda it: it.refresh and not it.refresh.text("access_token")),
        (FAILED, "useless", lambda it: _unless(it.after_refresh, HTTPStatus.OK)),
        (ADVICE, "same", lambda it: it.refresh and not it.refresh.text("refresh_token")),
        of=lambda view: view.granted,
    ),
    Check[Grant](
        "revoke",
        (ADVICE, "none", lambda it: it.revoke is None),
        (ADVICE, "refused", lambda it: _unless(it.revoke, HTTPStatus.OK)),
        of=lambda view: view.granted,
    ),
    # What still works although it should not.
    Check[Grant](
        "after revoking",
        (ADVICE, "refresh", lambda it: _unless(it.refresh_after, *REFUSALS)),
        (ADVICE, "access", lambda it: _unless(it.call_after, HTTPStatus.UNAUTHORIZED)),
        (ADVICE, "code", lambda it: _unless(it.code_again, *REFUSALS)),
        of=lambda view: view.granted,
        every=True,
    ),
)


TOOLS: tuple[Check[Any], ...] = (
    # One era that the client speaks must work; an era beside it that breaks is advice.
    Check[View](
        "tools/list",
        (SKIPPED, "nobody", lambda it: not it.called),
        (FAILED, "credential", lambda it: _unlisted(it, credential=True)),
        (FAILED, "none", _unlisted),
        # A server that does not speak an era says so with a 4xx; everything else is a fault.
        (ADVICE, "era", lambda it: [one for one in it.called if one.tools is None and not one.is_declined]),
        (OK, "fine", lambda it: it.working and (len(it.working[0].tools or ()), " and ".join(it.eras))),
        every=True,
    ),
    Check[Called](
        "tools/call",
        (SKIPPED, "no_tool", lambda it: it.call is None),
        (FAILED, "refused", lambda it: it.result is None),
        (ADVICE, "error", lambda it: it.result and it.result.get("isError") is True),
        of=lambda view: next(iter(view.working), None),
    ),
)
