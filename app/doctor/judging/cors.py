"""Judges CORS (Fetch standard), which decides what a client inside a web page may send and read."""

from collections.abc import Iterator

from app.doctor.exchanges import OK, SERVER_ERROR, Exchange
from app.doctor.findings import Finding, advice, failed, ok, skipped, undecided
from app.doctor.judging.endpoint import refuses_origin
from app.doctor.observed import Observed
from app.doctor.profiles import Profile
from app.doctor.requests import BROWSER, MCP_HEADERS

STEP = "CORS"
NO_CONTENT = 204


def cors(profile: Profile, observed: Observed) -> list[Finding]:
    """Every address that the page's own script asks."""
    if not profile.browser:
        return [skipped(STEP, "this client is no web page")]
    if refuses_origin(profile, observed):
        return [_unlisted(profile, observed)]
    if not observed.preflights:
        return [skipped(STEP, "nothing was asked")]
    faults = [*_preflights(observed), *_reads(observed)]
    return faults or [
        *_exposed(profile, observed),
        ok(STEP, f"{len(observed.preflights)} questions of a page answered"),
    ]


def _unlisted(profile: Profile, observed: Observed) -> Finding:
    """What a gateway says to pages that it does not let in tells nothing about its CORS."""
    why = f"its page is at {profile.origin}, an origin that may not call this gateway"
    # As long as nobody says whether it should, the client is neither in order nor at fault.
    return skipped(STEP, why) if observed.of_one_client else undecided(STEP, why)


def _preflights(observed: Observed) -> Iterator[Finding]:
    for name, answer in observed.preflights.items():
        if answer.method != "OPTIONS":
            continue
        if answer.status not in {OK, NO_CONTENT} or not _allowed(answer):
            change = f"Answer OPTIONS at the {name} before any check, with Access-Control-Allow-Origin (Fetch, CORS)."
            yield failed(STEP, f"the preflight of the {name} met {answer.fault or answer.status}", change)
        elif name == "MCP endpoint" and (missing := _refused_headers(answer)):
            change = f"Name {', '.join(missing)} in Access-Control-Allow-Headers; `*` leaves Authorization out (Fetch)."
            yield failed(STEP, f"the MCP endpoint does not take {', '.join(missing)} from pages", change)


def _reads(observed: Observed) -> Iterator[Finding]:
    for name, answer in observed.preflights.items():
        if answer.method == "GET" and not _allowed(answer):
            change = "Send `Access-Control-Allow-Origin: *` with the document itself, too (Fetch, CORS)."
            yield failed(STEP, f"a page may not read the {name.removesuffix(', read')}", change)


def _exposed(profile: Profile, observed: Observed) -> list[Finding]:
    """The real answer must be readable as well, and its challenge with it."""
    played = observed.played.get(profile.name)
    answer = played.with_origin if played else None
    if answer is None or (answer.status or SERVER_ERROR) >= SERVER_ERROR:
        return []
    if not _allowed(answer):
        change = "Send Access-Control-Allow-Origin with every answer of the MCP endpoint, 401 included (Fetch, CORS)."
        return [failed(STEP, "a page may not read the answers of the MCP endpoint", change)]
    exposed = _list(answer.header("access-control-expose-headers"))
    if "www-authenticate" in answer.headers and "www-authenticate" not in exposed:
        change = "Add WWW-Authenticate and Mcp-Session-Id to Access-Control-Expose-Headers (Fetch, CORS)."
        return [advice(STEP, "a page cannot read the challenge", change)]
    return []


def _allowed(answer: Exchange) -> bool:
    return answer.header("access-control-allow-origin") in {"*", BROWSER}


def _refused_headers(answer: Exchange) -> list[str]:
    taken = _list(answer.header("access-control-allow-headers"))
    # The Fetch standard excepts Authorization from the wildcard.
    return [
        name for name in MCP_HEADERS.split(",") if name not in taken and ("*" not in taken or name == "authorization")
    ]


def _list(header: str) -> set[str]:
    return {name.strip().lower() for name in header.split(",")}
