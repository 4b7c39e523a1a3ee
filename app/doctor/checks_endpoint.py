"""Checks of the MCP endpoint before a sign-in: reaching it, GET, POST in both eras, challenge, Origin and CORS."""

from http import HTTPStatus
from typing import Any

from app.doctor import addresses
from app.doctor.exchanges import Exchange, Fault, quoted
from app.doctor.findings import ADVICE, FAILED, OK, SKIPPED, UNDECIDED, Check
from app.doctor.observations import View
from app.doctor.profiles import INSPECTOR_ORIGIN, LEGACY, MCP_HEADERS, MODERN


def _not_understood(view: View) -> Exchange | None:
    """The worse of the answers to the eras that the client speaks; None when one is a result or 401."""
    answers = [{MODERN: view.endpoint.discover, LEGACY: view.endpoint.initialize}[era] for era in view.profile.eras]
    return None if any(one.speaks_mcp for one in answers) else answers[-1]


def _challenge_fault(view: View) -> str:
    """What keeps a 401 from leading to the documents (RFC 9728 section 5.1)."""
    where, challenge = view.endpoint.parameters.get("resource_metadata", ""), view.endpoint.challenge
    if challenge is not None and "www-authenticate" not in challenge.headers:
        return "401 without WWW-Authenticate"
    if not where:
        return "WWW-Authenticate names no resource_metadata"
    return "" if addresses.parts(where) else f"resource_metadata is {quoted(where)}, which is no absolute address"


def _lets_read(answer: Exchange) -> bool:
    return answer.header("access-control-allow-origin") in {"*", INSPECTOR_ORIGIN}


def _stopped_preflights(view: View) -> list[tuple[str, object]]:
    """Requests of a page that the browser would stop, and documents that it would not let the page read."""
    good = {HTTPStatus.OK, HTTPStatus.NO_CONTENT}
    asked = view.observed.preflights.items()
    return [
        (name, one.outcome)
        for name, one in asked
        if not _lets_read(one) or (one.method == "OPTIONS" and one.status not in good)
    ]


def _stopped_headers(view: View) -> str:
    answer, needed = view.observed.preflights.get("MCP endpoint"), MCP_HEADERS.split(",")
    if answer is None or any(name == "MCP endpoint" for name, _ in _stopped_preflights(view)):
        return ""
    allowed = answer.header_list("access-control-allow-headers")
    # The Fetch standard excepts Authorization from the wildcard.
    wildcard = set() if "*" not in allowed else set(needed) - {"authorization"}
    return ", ".join(header for header in needed if header not in allowed | wildcard)


def _page_answer(view: View) -> Exchange | None:
    """What the page's own request met: the real answer must be readable as well, and its challenge with it."""
    answer = view.played.with_origin
    return None if answer is None or answer.is_broken else answer


def _hides_challenge(view: View) -> bool:
    if (answer := _page_answer(view)) is None or not _lets_read(answer):
        return False
    return "www-authenticate" in answer.headers.keys() - answer.header_list("access-control-expose-headers")


REACH = Check[View](
    "reach",
    (FAILED, "tls", lambda it: it.endpoint.get.fault is Fault.TLS),
    (FAILED, "unreachable", lambda it: it.endpoint.get.fault is Fault.UNREACHABLE),
    (FAILED, "path", lambda it: it.observed.meant),
    (OK, "answers", lambda it: not it.profile.hosted),
    # A machine under development is not at fault, and everything after this step can be played from here. But that
    # the client gets through is not to be claimed: from where it is, there is nothing at this address.
    (UNDECIDED, "private", lambda it: addresses.is_private(it.url) and addresses.origin(it.url)),
    (FAILED, "http", lambda it: not it.url.startswith("https:")),
)


CHECKS: tuple[Check[Any], ...] = (
    REACH,
    # Clients of the 2025 era open a GET stream; they need any prompt answer, 405 included.
    Check[Exchange](
        "GET /mcp",
        (ADVICE, "error", lambda it: (it.status is None or it.is_broken) and it.outcome),
        of=lambda view: view.endpoint.get,
    ),
    # One era that the client speaks must be answered by protocol or by 401.
    Check[Exchange](
        "POST /mcp",
        (FAILED, "redirect", lambda it: it.redirects),
        (FAILED, "fault", lambda it: it.fault),
        (FAILED, "", lambda it: it.status),
        (FAILED, "html", lambda it: it.media_type == "text/html"),
        (FAILED, "other", lambda _: True),
        of=_not_understood,
    ),
    # Who begins with `server/discover` falls back on 4xx with a body, not on a crash or silence.
    Check[View](
        "POST /mcp",
        (ADVICE, "discover", lambda it: MODERN in it.profile.eras and it.endpoint.discover.is_broken),
        of=lambda view: None if _not_understood(view) else view,
    ),
    Check[View](
        "challenge",
        (FAILED, "none", lambda it: it.endpoint.challenge is None and it.observed.requires_sign_in),
        (SKIPPED, "open", lambda it: it.endpoint.challenge is None),
        (ADVICE, "searched", lambda it: it.profile.probes_metadata and _challenge_fault(it)),
        (FAILED, "lost", _challenge_fault),
        (ADVICE, "scope", lambda it: not it.endpoint.parameters.get("scope")),
    ),
    # Whose pages may call is the operator's policy; a developer's own page is no fault until somebody asks for it.
    Check[View](
        "Origin",
        (SKIPPED, "none", lambda it: not it.profile.origin or it.played.with_origin is None),
        (ADVICE, "refused", lambda it: it.refuses_origin and it.profile.browser and not it.is_only_client),
        (FAILED, "refused", lambda it: it.refuses_origin),
    ),
)


# Every address that the page's own script requests (Fetch standard).
CORS = Check[View](
    "CORS",
    (SKIPPED, "elsewhere", lambda it: not it.profile.browser),
    # What a gateway says to pages that it does not let in tells nothing about its CORS. As long as nobody says
    # whether it should, the client is neither in order nor at fault.
    (SKIPPED, "policy", lambda it: it.refuses_origin and it.is_only_client),
    (UNDECIDED, "policy", lambda it: it.refuses_origin),
    (SKIPPED, "unseen", lambda it: not it.observed.preflights),
    (FAILED, "preflight", _stopped_preflights),
    (FAILED, "headers", _stopped_headers),
    (FAILED, "answer", lambda it: (answer := _page_answer(it)) is not None and not _lets_read(answer)),
    (ADVICE, "exposed", _hides_challenge),
    (OK, "fine", lambda it: len(it.observed.preflights)),
    every=True,
)
