"""Judges the protocol with a credential: the tools, and a call, in the eras that the client speaks."""

from app.doctor import messages
from app.doctor.exchanges import Exchange
from app.doctor.findings import Finding, advice, failed, ok, quoted, skipped
from app.doctor.messages import LEGACY
from app.doctor.observed import Called, Observed
from app.doctor.profiles import Profile

TOOLS, CALL = "tools/list", "tools/call"
HOW = "Run the doctor with --login, or with a key in DOCTOR_API_KEY, to see this step."


def calls(profile: Profile, observed: Observed) -> list[Finding]:
    """One era that the client speaks must work; an era beside it that breaks is advice."""
    mine = [called for called in observed.called if called.era in profile.eras]
    if not mine:
        return [skipped(TOOLS, "nobody signed in", HOW), skipped(CALL, "nobody signed in", HOW)]
    working = [called for called in mine if _listed(called) is not None]
    if not working:
        return [_no_list(mine[-1]), skipped(CALL, "the tools cannot be listed")]
    broken = [_no_era(called) for called in mine if called not in working and _is_broken(called)]
    tools = (_listed(working[0]) or {}).get("tools")
    shown = len(tools) if isinstance(tools, list) else 0
    eras = " and ".join(called.era for called in working)
    return [*broken, ok(TOOLS, f"{shown} tools, in {eras}"), _call(working[0])]


def _call(called: Called) -> Finding:
    if called.call is None or called.tool is None:
        return skipped(CALL, "no tool says that it only reads and needs no argument, so none was called")
    name, answer = quoted(called.tool), called.call
    result = messages.result(answer.body, answer.media_type)
    if result is None:
        change = "Answer `tools/call` with a result; business failures go into it with `isError` (MCP tools)."
        return failed(CALL, f"{name}: {_shown(answer)}", change)
    if result.get("isError") is True:
        return advice(CALL, f"{name} answered with `isError`", "Look at the tool's own error; the way to it is free.")
    return ok(CALL, f"{name} answered")


def _no_list(called: Called) -> Finding:
    answer = called.listed or called.start
    method = "tools/list" if called.listed else ("initialize" if called.era == LEGACY else "server/discover")
    change = (
        "Accept the credential at the MCP endpoint: its issuer, audience and scopes (RFC 9068 section 4, RFC 8707)."
        if answer.status in {401, 403}
        else f"Answer `{method}` with a result (MCP {called.era})."
    )
    return failed(TOOLS, f"`{method}` met {_shown(answer)}", change)


def _no_era(called: Called) -> Finding:
    change = "Answer an unknown version with 400 and JSON-RPC -32022, so that clients fall back (MCP versioning)."
    return advice(TOOLS, f"{called.era}: {_shown(called.listed or called.start)}", change)


def _is_broken(called: Called) -> bool:
    """A server that does not speak an era says so with a 4xx; everything else is a fault."""
    answer = called.listed or called.start
    return answer.fault is not None or not 400 <= (answer.status or 0) < 500  # noqa: PLR2004 - the class of client errors


def _listed(called: Called) -> dict[str, object] | None:
    if called.listed is None:
        return None
    return messages.result(called.listed.body, called.listed.media_type)


def _shown(answer: Exchange) -> str:
    if answer.fault is not None:
        return f"{answer.fault} ({answer.reason})"
    code = messages.error_code(answer.body, answer.media_type)
    return f"status {answer.status}" + (f", JSON-RPC error {code}" if code is not None else "")
