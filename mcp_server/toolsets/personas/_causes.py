"""Why a training failed, in this gateway's own words, and what to do about it.

Only stable words of the upstream are read: its sentences may quote a stranger's web page.
"""

from collections.abc import Mapping
from typing import Any

from mcp_server.minds_api.refusals import UNREADABLE
from mcp_server.toolkit import json_coercion as reading
from mcp_server.toolsets.personas.models import Failure

CAUSES: dict[str, tuple[str, str]] = {
    "COLLECTION_FAILED": (
        "None of its sources could be read.",
        "Check that the link is public and opens without signing in, or create the persona again from other material.",
    ),
    "PROFILE_GEN_FAILED": (
        "There was not enough material to make a character from.",
        (
            "Add knowledge to it and retrain it (POST /api/v1/minds/{id}/retrain), or create it again with more: "
            "a longer personaContext, more keywords or another link."
        ),
    ),
    "TIMEOUT": (
        "The training took too long and was stopped.",
        "Create it again; fewer or shorter sources train faster.",
    ),
    "INTERNAL": (
        "The training broke off through a fault of the service, not of the input.",
        "Create it again in a few minutes.",
    ),
}
UNKNOWN_CAUSE = ("The training failed, and no reason was given that is known here.", "Create the persona again.")
LOST = "Trying the same again will fail again: change the input first."

OTHER_PAGE = "Create the persona again with a link to another page."
OTHER_KIND = "Web pages, text, Markdown, CSV, JSON, XML, RTF, PDF and DOCX are read. Give a link to one of these."
WHOLE_FILE = "Check that the file opens and is not protected, or create the persona again with another one."
SMALLER = "Create the persona again with a link to a smaller page, or to a part of it."
ADDRESS = "Create the persona again with the full http or https address of a public page."
ADVICE: Mapping[str, str] = {
    "not_text": OTHER_KIND,
    "no_text": OTHER_PAGE,
    "unreadable_pdf": WHOLE_FILE,
    "unreadable_docx": WHOLE_FILE,
    "unreadable_json": WHOLE_FILE,
    "unreadable_xml": WHOLE_FILE,
    "too_large": SMALLER,
    "timeout": "Create the persona again later, or with a link to a smaller or faster page.",
    "unreachable": "Check the address, and create the persona again later.",
    "http_status": "Check that the page exists and opens without signing in, then create the persona again.",
    "too_many_redirects": "Create the persona again with the address where it ends.",
    "bad_encoding": OTHER_PAGE,
    "private_address": "Create the persona again with the address of a public web page.",
    "bad_url": ADDRESS,
    "not_http": ADDRESS,
    "bad_host": ADDRESS,
    "bad_port": ADDRESS,
    "credentials_in_url": ADDRESS,
}


def read_failure(error: Mapping[str, Any]) -> Failure:
    """Read the `error` of a failed training; a word that is not known here counts as absent."""
    code = reading.word(error, "code") or "UNKNOWN"
    explanation, advice = CAUSES.get(code, UNKNOWN_CAUSE)
    if code == "COLLECTION_FAILED":
        reason = reading.word(error, "reason") or ""
        explanation, advice = UNREADABLE.get(reason, explanation), ADVICE.get(reason, advice)
    retryable = reading.flag(error, "retryable")
    return Failure(
        code=code if code in CAUSES else "UNKNOWN",
        retryable=bool(retryable),
        explanation=explanation,
        what_to_do=advice if retryable is not False else f"{advice} {LOST}",
    )
